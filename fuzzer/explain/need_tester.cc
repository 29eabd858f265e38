#include "fuzzer/explain/need_tester.h"

#include <map>

#include "fuzzer/debug/finding_identity.h"
#include "fuzzer/explain/thread_order.h"

namespace rff {
namespace {

// Ends runs in which the changed order leads to an endless loop.
constexpr std::uint64_t kStepsWithoutProgress = 20'000;

// Identifies an event in another run: the n-th such event of the thread.
struct Instance {
  std::uint32_t thread;
  std::uint64_t id;
  std::size_t ordinal;
};

Instance instance_of(const Trace& trace, const StoryEvent& e) {
  Instance i{e.thread, e.event.id(), 0};
  for (const trace::EventInfo& other : trace.events) {
    if (other.step >= e.step) {
      break;
    }
    i.ordinal += other.thread == i.thread && other.event.id() == i.id ? 1 : 0;
  }
  return i;
}

const trace::EventInfo* find(const Trace& trace, const Instance& i) {
  std::size_t seen = 0;
  for (const trace::EventInfo& e : trace.events) {
    if (e.thread == i.thread && e.event.id() == i.id && seen++ == i.ordinal) {
      return &e;
    }
  }
  return nullptr;
}

// Identifies the write that an event read from; 0 for the initial value.
std::uint64_t source_of(const Trace& trace, const trace::EventInfo& e) {
  if ((e.flags & trace::kReadsFromKnown) == 0) {
    return 0;
  }
  const trace::EventInfo* source = trace.at_step(e.reads_from);
  std::uint64_t thread = source != nullptr ? source->thread : e.source_thread;
  return hash_combine(thread + 1, e.source_site.packed());
}

// Locks pass between threads in every run, so only values and switches are tested.
bool can_test_pair(const StoryEvent& e) {
  return op_accesses(e.event.op) && e.scheduling_point &&
         (e.from == From::kOtherThread || e.from == From::kInitial);
}

bool can_test_switch(const StoryEvent& e) { return e.switched && e.preempted; }

}  // namespace

Run NeedTester::try_order(const std::vector<std::uint16_t>& order) {
  Schedule s = guided(schedule_, order);
  if (failing_.finding.kind != FindingKind::kHang) {
    s.max_steps = kStepsWithoutProgress + order.size();
  }
  return runner_.run(s);
}

bool NeedTester::same_failure(const Run& run) {
  return same_finding(failing_.finding, run.finding, debug_);
}

Need NeedTester::test_pair(const StoryEvent& read) {
  const trace::EventInfo* original = failing_.trace.at_step(read.step);
  if (original == nullptr) {
    return Need::kUntested;
  }
  Instance instance = instance_of(failing_.trace, read);
  for (const ThreadOrder& order : reversed_orders(failing_.trace, order_, read)) {
    if (enough()) {
      break;
    }
    Run run = try_order(order);
    const trace::EventInfo* again = find(run.trace, instance);
    bool turned =
        again == nullptr || source_of(run.trace, *again) != source_of(failing_.trace, *original);
    if (!turned) {
      continue;
    }
    return same_failure(run) ? Need::kNotNeeded : Need::kNeeded;
  }
  return Need::kUntested;
}

Need NeedTester::test_switch(const StoryEvent& after, std::uint64_t until) {
  auto order = without_switch(failing_.trace, order_, after, until);
  if (!order || enough()) {
    return Need::kUntested;
  }
  return same_failure(try_order(*order)) ? Need::kNotNeeded : Need::kNeeded;
}

bool NeedTester::enough() {
  if (result_.end == Experiments::End::kDone) {
    if (runner_.runs() - first_run_ >= budget_.runs) {
      result_.end = Experiments::End::kRuns;
    } else if (Clock::now() - began_ >= budget_.time) {
      result_.end = Experiments::End::kTime;
    }
  }
  return result_.end != Experiments::End::kDone;
}

void NeedTester::test_all(std::vector<StoryEvent>& story,
                          const std::function<void(std::uint64_t)>& progress) {
  if (!same_failure(try_order(order_))) {
    result_.end = Experiments::End::kOrderIsNotEnough;  // nothing can be concluded
    return;
  }
  std::map<std::uint32_t, std::uint64_t> next_told;  // of each thread
  for (auto e = story.rbegin(); e != story.rend() && !enough(); ++e) {
    if (progress) {
      progress(runner_.runs() - first_run_);
    }
    if (can_test_pair(*e)) {
      e->pair_need = test_pair(*e);
    }
    if (can_test_switch(*e) && !enough()) {
      auto until = next_told.find(e->previous);
      e->switch_need = test_switch(*e, until != next_told.end() ? until->second : 0);
    }
    next_told[e->thread] = e->step;
  }
}

Experiments NeedTester::test(std::vector<StoryEvent>& story, const Budget& budget,
                             const std::function<void(std::uint64_t)>& progress) {
  first_run_ = runner_.runs();
  budget_ = budget;
  began_ = Clock::now();
  result_ = {};
  order_ = order_of(failing_.trace);
  try {
    if (!enough()) {
      test_all(story, progress);
    }
  } catch (const Interrupted&) {
    result_.end = Experiments::End::kInterrupt;
  }
  result_.runs = runner_.runs() - first_run_;
  for (const StoryEvent& e : story) {
    auto count = [&](bool can, Need need) {
      result_.tested += need != Need::kUntested ? 1 : 0;
      result_.untested += can && need == Need::kUntested ? 1 : 0;
    };
    count(can_test_pair(e), e.pair_need);
    count(can_test_switch(e), e.switch_need);
  }
  return result_;
}

}  // namespace rff
