#include "fuzzer/core/races.h"

#include <algorithm>
#include <unordered_map>

namespace rff {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint64_t kMaxClockWork = 20'000'000;  // limit of threads × steps
constexpr std::uint64_t kMaxWords = 64;              // examined in a range
constexpr std::size_t kMaxFar = 3;                   // far races of one step

bool structural(OpKind op) {
  return op == OpKind::kThreadCreate || op == OpKind::kThreadStart || op == OpKind::kThreadEnd ||
         op == OpKind::kThreadJoin;
}

bool signals(OpKind op) { return op == OpKind::kSignal || op == OpKind::kBroadcast; }

// A signal before the wait is lost.
bool wait_and_signal(OpKind a, OpKind b) {
  return (a == OpKind::kWait && signals(b)) || (signals(a) && b == OpKind::kWait);
}

// A vector clock: for every thread, its last step (plus one) that is ordered before.
class Clock {
 public:
  std::uint32_t of(std::size_t thread) const { return thread < at_.size() ? at_[thread] : 0; }
  void set(std::size_t thread, std::uint32_t step) {
    grow(thread + 1);
    at_[thread] = step + 1;
  }
  void join(const Clock& other) {
    grow(other.at_.size());
    for (std::size_t i = 0; i < other.at_.size(); ++i) {
      at_[i] = std::max(at_[i], other.at_[i]);
    }
  }
  void clear() { at_.clear(); }

 private:
  void grow(std::size_t n) {
    if (at_.size() < n) {
      at_.resize(n, 0);
    }
  }
  std::vector<std::uint32_t> at_;
};

// The history of one word or one synchronization object.
struct Place {
  Clock structure;  // for a thread as an object: its end
  Clock writes;
  Clock reads;                            // since the last write
  std::uint32_t last_write = kNone;       // a step
  std::vector<std::uint32_t> last_reads;  // since the last write, one for each thread
  std::vector<std::uint32_t> last_locks;  // the last lock or write of each thread
};

class Finder {
 public:
  explicit Finder(const RunSummary& run) : run_(run) {}

  std::vector<Race> find() {
    std::size_t threads = 1;
    for (const Step& s : run_.steps) {
      threads = std::max<std::size_t>(threads, s.thread + 1u);
    }
    std::size_t n = std::min<std::size_t>(run_.steps.size(), kMaxClockWork / threads);
    clocks_.resize(threads);
    structure_.resize(threads);
    held_.resize(threads, 0);
    guarded_.assign(n, false);
    previous_write_.assign(n, kNone);
    first_reader_.assign(n, kNone);
    for (std::uint32_t j = 0; j < n && races_.size() < kMaxRaces; ++j) {
      if (run_.steps[j].event < run_.events.size()) {
        step(j);
      }
    }
    for (Race& r : races_) {
      r.lock ? predict_sections(r) : predict(r);
    }
    return std::move(races_);
  }

 private:
  const Step& at(std::uint32_t i) const { return run_.steps[i]; }
  const AbstractEvent& event(std::uint32_t i) const { return run_.events[at(i).event]; }
  bool ordered(std::uint32_t i, const Clock& c) const { return c.of(at(i).thread) > i; }

  void step(std::uint32_t j) {
    const Step& s = at(j);
    const AbstractEvent& e = event(j);
    Clock& clock = clocks_[s.thread];
    Clock& structure = structure_[s.thread];
    if (e.op == OpKind::kThreadStart && s.thread > 0 && s.thread <= creators_.size()) {
      structure.join(creators_[s.thread - 1].structure);
      clock.join(creators_[s.thread - 1].clock);
    }
    if (acquires(e.op)) {
      ++held_[s.thread];
    } else if (releases(e.op) && held_[s.thread] > 0) {
      --held_[s.thread];
    }
    guarded_[j] = held_[s.thread] > 0;
    if (s.address != 0 && (e.reads() || e.writes())) {
      if (!structural(e.op) && e.op != OpKind::kWake) {
        list_races(j);
      }
      for_each_place(j, [&](Place& p) {
        clock.join(p.writes);
        structure.join(p.structure);
        if (e.writes()) {
          clock.join(p.reads);
        }
      });
      clock.set(s.thread, j);
      for_each_place(j, [&](Place& p) { update(p, j); });
      if (e.op == OpKind::kThreadEnd) {
        structure.set(s.thread, j);
        for_each_place(j, [&](Place& p) { p.structure = structure; });
      }
    }
    clock.set(s.thread, j);
    structure.set(s.thread, j);
    if (e.op == OpKind::kThreadCreate) {
      creators_.push_back({clock, structure});
    }
  }

  template <typename Visit>
  void for_each_place(std::uint32_t i, Visit visit) {
    std::uint64_t size = event(i).size > 0 ? event(i).size : 1;
    std::uint64_t first = at(i).address >> 3;
    std::uint64_t last = std::min((at(i).address + size - 1) >> 3, first + kMaxWords - 1);
    for (std::uint64_t word = first; word <= last; ++word) {
      visit(places_[word]);
    }
  }

  void update(Place& p, std::uint32_t j) {
    const AbstractEvent& e = event(j);
    const Clock& clock = clocks_[at(j).thread];
    if (e.reads() && p.last_write != kNone && first_reader_[p.last_write] == kNone) {
      first_reader_[p.last_write] = j;
    }
    if (e.writes()) {
      previous_write_[j] = p.last_write;
      p.writes = clock;
      p.reads.clear();
      p.last_reads.clear();
      p.last_write = j;
    } else {
      p.reads.join(clock);
      replace(p.last_reads, j);
    }
    if (acquires(e.op) || (e.writes() && !releases(e.op))) {
      replace(p.last_locks, j);
    }
  }

  // Keeps one entry for each thread, the newest last.
  void replace(std::vector<std::uint32_t>& list, std::uint32_t j) {
    std::erase_if(list, [&](std::uint32_t i) { return at(i).thread == at(j).thread; });
    list.push_back(j);
  }

  void list_races(std::uint32_t j) {
    const AbstractEvent& e = event(j);
    candidates_.clear();
    for_each_place(j, [&](Place& p) {
      if (acquires(e.op)) {
        add_far(p, j);
        return;
      }
      if (p.last_write != kNone) {
        add(p.last_write, j, false);
      }
      if (e.writes()) {
        for (std::uint32_t i : p.last_reads) {
          add(i, j, false);
        }
      }
      add_far(p, j);
    });
  }

  void add_far(const Place& p, std::uint32_t j) {
    std::size_t n = 0;
    for (auto it = p.last_locks.rbegin(); it != p.last_locks.rend() && n < kMaxFar; ++it) {
      if (at(*it).thread != at(j).thread && acquires(event(*it).op) == acquires(event(j).op)) {
        add(*it, j, true);
        ++n;
      }
    }
  }

  void add(std::uint32_t i, std::uint32_t j, bool maybe_far) {
    const AbstractEvent& a = event(i);
    if (at(i).thread == at(j).thread || structural(a.op) || at(i).check == 0 || at(j).check == 0 ||
        ordered(i, structure_[at(j).thread]) || !overlap(i, j)) {
      return;
    }
    bool far = ordered(i, clocks_[at(j).thread]);
    bool lock = acquires(a.op) && acquires(event(j).op);
    // A guarded step can only be reversed together with its lock, and a wakeup cannot precede its
    // signal.
    if (far && (!maybe_far || (!lock && guarded_[i] && guarded_[j]) || a.op == OpKind::kWake)) {
      return;
    }
    if (std::find(candidates_.begin(), candidates_.end(), i) != candidates_.end()) {
      return;
    }
    candidates_.push_back(i);
    races_.push_back({i, j, lock, far});
  }

  bool overlap(std::uint32_t i, std::uint32_t j) const {
    std::uint64_t a = at(i).address;
    std::uint64_t b = at(j).address;
    std::uint64_t a_size = std::max<std::uint64_t>(event(i).size, 1);
    std::uint64_t b_size = std::max<std::uint64_t>(event(j).size, 1);
    return a < b + b_size && b < a + a_size;
  }

  std::uint64_t pair(std::uint32_t write, std::uint32_t read) const {
    return write == kNone ? pair_id(AbstractEvent::init(event(read).location()), event(read))
                          : pair_id(event(write), event(read));
  }

  void predict(Race& r) const {
    const AbstractEvent& a = event(r.first);
    const AbstractEvent& b = event(r.second);
    if (a.reads() && b.writes()) {
      r.predicted = pair(r.second, r.first);
    } else if (a.writes() && b.reads()) {
      r.predicted = pair(previous_write_[r.first], r.second);
    } else if (first_reader_[r.second] != kNone) {
      r.predicted = pair(r.first, first_reader_[r.second]);
    }
  }

  // Reversing two locks also reverses the steps that they guard.
  void predict_sections(Race& r) const {
    std::vector<std::uint32_t> mine = section(r.first);
    std::vector<std::uint32_t> theirs = section(r.second);
    r.idle = true;
    for (std::uint32_t i : mine) {
      for (std::uint32_t j : theirs) {
        if (acquires(event(i).op) && acquires(event(j).op)) {
          r.idle = false;
        }
        bool accesses = op_accesses(event(i).op) && op_accesses(event(j).op) &&
                        (event(i).writes() || event(j).writes());
        if (!(accesses || wait_and_signal(event(i).op, event(j).op)) || !overlap(i, j)) {
          continue;
        }
        r.idle = false;
        if (event(i).reads() && event(j).writes()) {
          r.predicted = pair(j, i);
          return;
        }
        if (event(i).writes() && event(j).reads()) {
          r.predicted = pair(previous_write_[i], j);
        }
      }
    }
  }

  // Returns the steps of a thread from a lock to its release, up to a limit.
  std::vector<std::uint32_t> section(std::uint32_t lock) const {
    constexpr std::size_t kMaxSection = 32;
    constexpr std::uint32_t kMaxDistance = 2000;
    std::vector<std::uint32_t> steps;
    auto n = static_cast<std::uint32_t>(previous_write_.size());
    for (std::uint32_t i = lock + 1; i < std::min(n, lock + kMaxDistance); ++i) {
      if (at(i).thread != at(lock).thread || at(i).event >= run_.events.size()) {
        continue;
      }
      if ((releases(event(i).op) && at(i).address == at(lock).address) ||
          steps.size() >= kMaxSection) {
        break;
      }
      steps.push_back(i);
    }
    return steps;
  }

  const RunSummary& run_;
  std::vector<Clock> clocks_;     // per thread: all orderings
  std::vector<Clock> structure_;  // per thread: only creating and joining threads
  struct Creation {
    Clock clock;
    Clock structure;
  };
  std::vector<Creation> creators_;  // for threads 1, 2, …
  std::unordered_map<std::uint64_t, Place> places_;
  std::vector<unsigned> held_;                 // per thread: number of locks it holds
  std::vector<bool> guarded_;                  // per step: its thread holds a lock
  std::vector<std::uint32_t> previous_write_;  // per write: the write that it replaced
  std::vector<std::uint32_t> first_reader_;    // per write
  std::vector<std::uint32_t> candidates_;
  std::vector<Race> races_;
};

}  // namespace

std::vector<Race> find_races(const RunSummary& run) { return Finder(run).find(); }

}  // namespace rff
