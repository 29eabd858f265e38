#include "fuzzer/explain/selection.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "fuzzer/explain/repeats.h"
#include "fuzzer/explain/wakeup_causes.h"

namespace rff {
namespace {

// Remembers whether one thread or several used something.
class Users {
 public:
  void add(std::uint32_t thread) {
    first_ = first_ == kNone ? thread : first_;
    several_ = several_ || first_ != thread;
  }
  bool others(std::uint32_t thread) const {
    return several_ || (first_ != kNone && first_ != thread);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t first_ = kNone;
  bool several_ = false;
};

// The threads that use and that write each word, in the run and in their next operations.
class WordUsers {
 public:
  explicit WordUsers(const Trace& trace) {
    for (const trace::EventInfo& e : trace.events) {
      if (e.address != 0) {
        add(e.address, e.thread, e.event.writes());
      }
    }
    for (const Trace::Wait& w : trace.waits) {
      add(w.info.object, w.info.thread, op_writes(static_cast<OpKind>(w.info.op)));
    }
  }
  bool others_use(const trace::EventInfo& e) const { return others(users_, e); }
  bool others_write(const trace::EventInfo& e) const { return others(writers_, e); }

 private:
  using Words = std::unordered_map<std::uint64_t, Users>;
  void add(std::uint64_t address, std::uint32_t thread, bool writes) {
    users_[address / 8].add(thread);
    if (writes) {
      writers_[address / 8].add(thread);
    }
  }
  static bool others(const Words& words, const trace::EventInfo& e) {
    auto it = words.find(e.address / 8);
    return it != words.end() && it->second.others(e.thread);
  }
  Words users_;
  Words writers_;
};

// Adds the frees of blocks that another thread used later.
void add_fatal_frees(const std::vector<trace::EventInfo>& events,
                     std::vector<std::size_t>& chosen) {
  std::map<std::uint64_t, std::pair<std::uint32_t, std::size_t>>
      later;  // the last use: thread and event
  for (std::size_t i = events.size(); i-- > 0;) {
    const trace::EventInfo& e = events[i];
    if (e.event.op != OpKind::kFree) {
      later.try_emplace(e.address, e.thread, i);
      continue;
    }
    for (auto use = later.lower_bound(e.address);
         use != later.end() && use->first < e.address + e.event.size; ++use) {
      if (use->second.first != e.thread) {
        chosen.insert(chosen.end(), {i, use->second.second});
      }
    }
  }
}

// Recognizes values that a thread got from its creator, which no schedule can change.
class Inheritance {
 public:
  explicit Inheritance(const Trace& trace) : trace_(trace) {
    for (const trace::EventInfo& e : trace.events) {
      if (e.event.op == OpKind::kThreadCreate) {
        created_.push_back(e.step);
      }
    }
  }
  bool has(const StoryEvent& read) const {
    // Threads are numbered in order of creation.
    return read.from == From::kOtherThread && created_.size() + 1 == trace_.threads.size() &&
           read.thread > 0 && read.thread < trace_.threads.size() &&
           read.from_thread == trace_.threads[read.thread].info.parent &&
           read.from_step < created_[read.thread - 1];
  }

 private:
  const Trace& trace_;
  std::vector<std::uint64_t> created_;
};

// Chooses values passed between threads, values read before another thread wrote the location, and
// the steps around each switch that touch shared memory.
std::vector<std::size_t> choose_events(const Run& run, Storyteller& teller) {
  const auto& events = run.trace.events;
  bool blocked = run.finding.kind == FindingKind::kDeadlock;
  WordUsers words(run.trace);
  Inheritance inherited(run.trace);
  std::vector<std::size_t> chosen;
  auto near_switch = [&](std::size_t i) {
    bool told = op_accesses(events[i].event.op)
                    ? words.others_use(events[i]) && !inherited.has(teller.outline(events[i]))
                    : !is_lifecycle(events[i].event.op);
    if (told) {
      chosen.push_back(i);
    }
  };
  std::set<std::pair<std::uint64_t, std::uint32_t>> init_seen;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (is_lifecycle(events[i].event.op)) {
      continue;
    }
    StoryEvent e = teller.outline(events[i]);
    if (e.from == From::kOtherThread && !inherited.has(e)) {
      chosen.push_back(i);
      if (const trace::EventInfo* source = run.trace.at_step(e.from_step)) {
        chosen.push_back(static_cast<std::size_t>(source - events.data()));
      }
    } else if (e.from == From::kInitial && op_accesses(e.event.op) &&
               init_seen.insert({e.address, e.thread}).second && words.others_write(events[i])) {
      chosen.push_back(i);
    }
    if (blocked && !op_accesses(e.event.op) && e.address != 0) {
      chosen.push_back(i);  // the order of lock acquisitions
    }
    if (e.event.op == OpKind::kExit) {
      chosen.push_back(i);  // later steps of other threads are rarely relevant
    }
    if (e.preempted && e.switched) {
      near_switch(i);
      if (i > 0) {
        near_switch(i - 1);
      }
    }
  }
  for (const MissedChange& change : missed_changes(run)) {
    chosen.insert(chosen.end(), {change.read, change.write});
  }
  if (run.finding.kind == FindingKind::kCrash) {
    add_fatal_frees(events, chosen);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

// Whether both events are printed as the same line.
bool same_line(const trace::EventInfo& a, const trace::EventInfo& b, std::uint32_t flags) {
  return a.thread == b.thread && a.event.id() == b.event.id() && a.address == b.address &&
         a.value == b.value && a.source_site == b.source_site &&
         a.source_thread == b.source_thread && (a.flags & flags) == (b.flags & flags);
}

// Returns the first event after which a hanging run made no progress.
std::size_t last_progress(const std::vector<trace::EventInfo>& events) {
  std::unordered_map<std::uint64_t, std::uint64_t> values;
  std::size_t after = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const trace::EventInfo& e = events[i];
    bool changes = false;
    if (op_accesses(e.event.op) && e.event.writes()) {
      auto [old, fresh] = values.try_emplace(e.address, e.value);
      changes = fresh || old->second != e.value;
      old->second = e.value;
    }
    if (changes || is_lifecycle(e.event.op)) {
      after = i + 1;
    }
  }
  return after;
}

struct ToldEvent {
  std::size_t index;
  std::size_t last = 0;  // the last event that this line stands for
  std::size_t repeated_lines = 0;
  std::size_t repeated_times = 0;
};

// Keeps one iteration of each loop, with the number of repetitions.
std::vector<ToldEvent> without_loops(const Run& run, const std::vector<std::size_t>& chosen) {
  const auto& events = run.trace.events;
  std::vector<ToldEvent> told;
  // The part of a hang without progress is one loop, in whatever order the threads iterate.
  std::size_t turning =
      run.finding.kind == FindingKind::kHang ? last_progress(events) : events.size();
  auto end = static_cast<std::size_t>(std::lower_bound(chosen.begin(), chosen.end(), turning) -
                                      chosen.begin());
  constexpr std::uint32_t kAll = ~std::uint32_t{trace::kSchedulingPoint};
  std::vector<Repeat> repeats = find_repeats(end, [&](std::size_t i, std::size_t j) {
    return same_line(events[chosen[i]], events[chosen[j]], kAll);
  });
  auto repeat = repeats.begin();
  for (std::size_t i = 0; i < end; ++i) {
    told.push_back({chosen[i], chosen[i]});
    if (repeat != repeats.end() && i + 1 == repeat->begin + repeat->length) {
      i = repeat->end() - 1;
      told.back() = {told.back().index, chosen[i], repeat->length, repeat->times};
      ++repeat;
    }
  }
  constexpr std::uint32_t kSource = trace::kReadsFromKnown | trace::kFromUnseen;
  auto turn = static_cast<std::ptrdiff_t>(told.size());
  for (std::size_t n = end; n < chosen.size(); ++n) {
    auto same = std::find_if(told.begin() + turn, told.end(), [&](const ToldEvent& t) {
      return same_line(events[t.index], events[chosen[n]], kSource);
    });
    if (same == told.end()) {
      told.push_back({chosen[n], chosen[n]});
    } else {
      same->repeated_lines = 1;
      ++same->repeated_times;
    }
  }
  return told;
}

}  // namespace

std::vector<StoryEvent> tell_story(const Run& run, Storyteller& teller, std::size_t* left_out) {
  const auto& events = run.trace.events;
  std::vector<ToldEvent> all = without_loops(run, choose_events(run, teller));
  *left_out = all.size() > kLongestStory ? all.size() - kLongestStory : 0;
  std::vector<StoryEvent> story;
  std::size_t before = 0;
  for (std::size_t n = *left_out; n < all.size(); ++n) {
    const ToldEvent& told = all[n];
    StoryEvent e = teller.tell(events[told.index]);
    e.repeated_lines = told.repeated_lines;
    e.repeated_times = told.repeated_times;
    if (!story.empty() && story.back().thread != e.thread) {
      // Events between the two may be omitted; only whether the first thread was preempted matters.
      std::size_t left = before + 1;
      while (events[left].thread == story.back().thread) {
        ++left;
      }
      StoryEvent first = teller.outline(events[left]);
      e.switched = true;
      e.preempted = first.preempted;
      e.previous = story.back().thread;
      e.switch_step = first.step;
    }
    for (std::size_t i = story.empty() ? told.index : before + 1; i < told.index; ++i) {
      ++(events[i].thread == e.thread ? e.left_out : e.left_out_of_others);
    }
    before = told.last;
    story.push_back(std::move(e));
  }
  return story;
}

}  // namespace rff
