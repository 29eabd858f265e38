// Collects races of earlier runs and proposes to reverse them. This part of the search learns from
// the order of a run, not only from reads-from.
//
// races.h finds the steps of an interesting run that could have come in the other order. A flip is
// the schedule that reverses one such pair: concretely, the recorded order up to the first step,
// then without its thread up to the second; or abstractly, a constraint that asks the same of every
// thread. Flips that predict an unseen reads-from pair at untried places come first; places where
// reversing found nothing come last.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzzer/core/bounded.h"
#include "fuzzer/core/event_pool.h"
#include "fuzzer/core/focus.h"
#include "fuzzer/core/races.h"
#include "schedule/schedule_file.h"

namespace rff {

class Flips {
 public:
  // `frees_first`: a use that comes after the free of its memory is a finding, so that flips which
  // lead there come first.
  explicit Flips(const Bounds& bounds = {}, bool frees_first = false)
      : bounds_(bounds), frees_first_(frees_first) {}

  // Adds the races of a run.
  void add(const RunSummary& run, const RecordedOrder& recorded);

  // Fills prefix, constraints and scheduler of `schedule`. Returns false if no flip is left; with
  // `promising`, if no flip is left that predicts something new.
  bool take(Random& random, const EventPool& pool, const Focus& focus, bool promising,
            Schedule& schedule);
  // Reports on the run of the last flip taken. `fruitful`: some thread took a new path.
  void report(bool fruitful);
  // Drops all flips that have not been taken, to free memory.
  void forget();

 private:
  // How to schedule after the two reversed steps (a bit set).
  enum Continuation : unsigned { kRandomly = 1, kSteadily = 2, kBoth = 3 };

  struct Flip {
    std::shared_ptr<const std::vector<Decision>> order;
    std::uint32_t first;  // indexes into the order
    std::uint32_t second;
    bool lock;
    bool far;
    bool idle;
    bool plain_write;  // the second step is a write
    bool frees;        // it frees what the first one used
    std::uint8_t taken = 0;
    std::uint64_t predicted;
    std::uint64_t sites;    // identifies the two places in code
    std::uint64_t threads;  // identifies the two places and the threads that reached them
    std::uint64_t where;    // the location
    Constraint constraint;  // the abstract form; its events are kNone if there is none
  };
  // The flips of one pair of places in code. A hundred equal threads yield ten thousand of them.
  struct Group {
    std::uint64_t sites;
    std::vector<Flip> flips;
  };
  static constexpr std::size_t kMaxGroups = 4096;
  static constexpr std::size_t kMaxFlips = 64;  // kept in each group
  static constexpr std::size_t kLookAt = 256;   // groups to compare for one choice
  static constexpr std::size_t kLookInto = 3;   // flips to compare in each group

  double rank(const Flip& flip, const EventPool& pool, const Focus& focus) const;
  void count_threads(const RunSummary& run);
  void make_concrete(const Flip& flip, Continuation then, Schedule& schedule) const;
  void insert(Flip flip);
  void erase(std::size_t group, std::size_t flip);

  Bounds bounds_;
  bool frees_first_;
  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, std::size_t> group_of_;  // sites → index
  std::uint64_t inserted_ = 0;
  // Pairs of places → the continuations tried there.
  std::unordered_map<std::uint64_t, unsigned> tried_sites_;
  std::unordered_set<std::uint64_t> tried_threads_;
  std::unordered_set<std::uint64_t> tried_constraints_;
  std::unordered_map<std::uint64_t, unsigned>
      threads_at_;  // site → number of threads that reached it
  struct Record {
    unsigned fruitful = 0;
    unsigned fruitless = 0;
  };
  std::unordered_map<std::uint64_t, Record> record_;  // by location
  std::uint64_t last_where_ = 0;
};

}  // namespace rff
