// Finds values that a read has not read yet although another thread writes them, and makes
// schedules in which it reads them.
//
// A reads-from pair names places in code, so a counter that is read after three increments or after
// five is one pair. Where the value decides how a thread continues, it matters as well: the
// schedules made here let one read come just after a chosen write of an earlier run.
//
// Code that looks at a value in a loop wants one value in each round: it may walk through a table
// of them. A value that the code has read before is wanted again in a later round, where the loop
// ended.
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

  enum class Only : std::uint8_t {
    kAll,
    kTogether,  // wanted by a critical section that reads several words
    kCompared,  // the program compared what it read with the value
  };
  // Fills prefix and scheduler of `schedule`. Returns false if no such value is wanted.
  bool take(Random& random, Only only, Schedule& schedule);
  // Drops all wishes, to free memory.
  void forget();

 private:
  static constexpr std::size_t kMaxReaders = 1024;
  static constexpr std::size_t kMaxWishes = 128;  // per reader
  static constexpr std::uint64_t kTriesOfCompared = 4;

  struct Wish {
    std::shared_ptr<const std::vector<Decision>> order;
    std::uint16_t thread;    // the one that reads
    std::uint32_t reader;    // index in the order: start of the steps that lead to the read
    std::uint32_t read_end;  // index in the order: the first entry after the read
    std::uint32_t write;     // the write that must come just before; if write <= reader, just after
    std::uint64_t key;       // the place in code and the value; what a section sees together
    std::uint64_t round_key;  // the same in the round of the read
    // The thread that makes no step from `write` on, in place of a read that comes earlier: what
    // others wrote meanwhile, and what the reader saw of it, stays as it was.
    static constexpr std::uint16_t kNobody = 0xffff;
    std::uint16_t held = kNobody;

    std::uint32_t distance() const { return write > reader ? write - reader : reader - write; }
  };
  struct Reader {
    unsigned tries = 0;
    Only kind = Only::kAll;
    std::uint64_t loop = 0;    // see wish(); such a reader counts only if rounds matter there
    std::vector<Wish> wishes;  // the newest last
  };

  // A read of a thread, and where `known_` says how it continued. Null: none.
  struct Read {
    std::uint64_t site = 0;
    std::uint64_t* continued = nullptr;
  };
  static constexpr std::uint64_t kUnseen = 0;

  struct Seen;
  struct Mover;

  // Learns what was read, and how threads went on from there.
  void look_at(const RunSummary& run, const Focus& focus, bool worthwhile, Seen& seen);
  void follow(const Read& read, std::uint64_t next);
  // Adds what one read of a run could have read.
  void wish_for(std::uint32_t read, const Mover& mover);
  // A compared value is wanted a few times, since what comes next may want another order, and once
  // more in runs in which other values than before were equal. Returns the key of the next time, or
  // of the last.
  std::uint64_t next_try(std::uint64_t key, std::uint64_t agreement) const;
  // `loop`: the place in code if `place` is one in a round, else 0.
  void wish(std::uint64_t place, const Wish& wish, std::uint64_t loop, Only kind);
  Reader* choose(Random& random, Only only);
  static void go_on_from_prefix(Random& random, Schedule& schedule);
  static std::size_t pick(const std::vector<Wish>& wishes, Random& random);

  bool deciding_;
  Bounds bounds_;
  // (place in code, value) seen or tried, and the place to which the thread went on from there.
  std::unordered_map<std::uint64_t, std::uint64_t> known_;
  std::unordered_set<std::uint64_t> rounds_;  // places where the value alone does not decide
  std::unordered_map<std::uint64_t, std::size_t> index_;  // place in code, in a round → reader
  std::vector<Reader> readers_;                           // oldest first
  bool any_compared_ = false;                             // some wish is for a compared value
};

}  // namespace rff
