// Values that a piece of code has not yet been given to read, although some other thread writes
// them.
//
// A reads-from pair names places in code, so a counter that is read after three increments or after
// five is one pair. Where what is read decides how a thread goes on, the value matters as well: the
// schedules made here let one read come just after one certain write of an earlier run.
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
  // `deciding`: only memory that decides where threads go (Focus), or else only the other.
  explicit WantedValues(bool deciding = true, const Bounds& bounds = {})
      : deciding_(deciding), bounds_(bounds) {}

  // `worthwhile`: the run showed something new, so that others may go on from it.
  void add(const RunSummary& run, const RecordedOrder& recorded, const Focus& focus,
           bool worthwhile);

  // Fills prefix and scheduler of `schedule`. False: nothing is wanted.
  bool take(Random& random, Schedule& schedule);
  // Gives up what is wanted, to make room.
  void forget();

 private:
  static constexpr std::size_t kMaxReaders = 1024;
  static constexpr std::size_t kMaxWishes = 128;  // of a reader

  struct Wish {
    std::shared_ptr<const std::vector<Decision>> order;
    std::uint32_t reader;  // entries of the order: what leads to the read begins here
    std::uint32_t read;    // and this is the read
    std::uint32_t write;   // the one to come just before, or (write < reader) just the next one
    std::uint64_t key;     // the place in code and the value
  };
  struct Reader {
    unsigned tries = 0;
    std::vector<Wish> wishes;  // the newest last
  };

  void wish(std::uint64_t site, Wish wish);
  Reader* choose(Random& random);

  bool deciding_;
  Bounds bounds_;
  std::unordered_set<std::uint64_t> known_;  // a place in code with a value, seen or tried
  std::unordered_map<std::uint64_t, std::size_t> index_;  // site → reader
  std::vector<Reader> readers_;                           // oldest first
};

}  // namespace rff
