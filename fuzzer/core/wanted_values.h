// Finds values that a read has not read yet although another thread writes them, and makes
// schedules in which it reads them.
//
// A reads-from pair names places in code, so a counter that is read after three increments or after
// five is one pair. Where the value decides how a thread continues, it matters as well: the
// schedules made here let one read come just after a chosen write of an earlier run.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzzer/core/bounded.h"
#include "fuzzer/core/focus.h"
#include "fuzzer/core/recorded_order.h"

namespace rff {

class WantedValues {
 public:
  // `deciding`: considers only memory that decides where threads go (Focus); else only other
  // memory.
  explicit WantedValues(bool deciding = true, const Bounds& bounds = {})
      : deciding_(deciding), bounds_(bounds) {}

  // `worthwhile`: the run showed something new, so other runs may continue from it.
  void add(const RunSummary& run, const RecordedOrder& recorded, const Focus& focus,
           bool worthwhile);

  // Fills prefix and scheduler of `schedule`. Returns false if no value is wanted.
  bool take(Random& random, Schedule& schedule);
  // Drops all wishes, to free memory.
  void forget();

 private:
  static constexpr std::size_t kMaxReaders = 1024;
  static constexpr std::size_t kMaxWishes = 128;  // per reader

  struct Wish {
    std::shared_ptr<const std::vector<Decision>> order;
    std::uint16_t thread;    // the one that reads
    std::uint32_t reader;    // index in the order: start of the steps that lead to the read
    std::uint32_t read_end;  // index in the order: the first entry after the read
    std::uint32_t write;     // the write that must come just before; if write < reader, just after
    std::uint64_t key;       // the place in code and the value
  };
  struct Reader {
    unsigned tries = 0;
    std::vector<Wish> wishes;  // the newest last
  };

  void wish(std::uint64_t site, Wish wish);
  Reader* choose(Random& random);

  bool deciding_;
  Bounds bounds_;
  std::unordered_set<std::uint64_t> known_;               // (place in code, value) seen or tried
  std::unordered_map<std::uint64_t, std::size_t> index_;  // site → reader
  std::vector<Reader> readers_;                           // oldest first
};

}  // namespace rff
