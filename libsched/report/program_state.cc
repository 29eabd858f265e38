#include "libsched/report/program_state.h"

#include <algorithm>

#include "libsched/report/outside_watch.h"
#include "libsched/report/stack_walk.h"
#include "libsched/support/memory_map.h"
#include "libsched/support/words.h"
#include "schedule/hash.h"
#include "schedule/hook_entry.h"

namespace rff {
namespace {

struct PendingState {
  OpKind op;
  std::uint64_t address;
  std::uint32_t size;
  CodeName site;
  const WaitRule *waits_for, *tries;
  const void* state;
  std::uint64_t id;
  const Operation* place;
  bool operator==(const PendingState&) const = default;
};

PendingState pending_state(const Operation& o) {
  return {o.op, o.address, o.size, o.site, o.waits_for, o.tries, o.state, o.id, &o};
}

struct RegistersAndPending {
  StopContext where;        // where the program called the runtime
  std::uint64_t saved = 0;  // hash of the other registers, if they are in use
  std::uint64_t vectors = 0;
  PendingState pending = {};
  bool operator==(const RegistersAndPending&) const = default;
};

}  // namespace

struct ProgramState::Stop {
  const Thread* thread;
  // At its last stop.
  StopContext inside;
  RegistersAndPending state;
  bool known_outside = false;  // `state` has its registers at the call to the runtime
};

struct ProgramState::Kept {
  std::vector<Stop> stops;     // current
  std::vector<Stop> expected;  // at `remember`
  std::vector<Span> spans;
  std::vector<PageContent> content;
  std::uint64_t objects = 0;
  mutable std::size_t suspect = 0;  // index in `content` that differed in the last comparison
  bool outside = false;
};

ProgramState::ProgramState(const Execution& execution, const Modules& modules, World& world)
    : execution_(execution), modules_(modules), world_(world) {}
ProgramState::~ProgramState() = default;

void ProgramState::begin() {
  keeping_vectors(vectors_, [&] { kept_ = std::make_unique<Kept>(); });
}

ProgramState::Stop* ProgramState::stop_of(const Thread& t) const {
  auto it = std::find_if(kept_->stops.begin(), kept_->stops.end(),
                         [&](const Stop& s) { return s.thread == &t; });
  return it == kept_->stops.end() ? nullptr : &*it;
}

bool ProgramState::knows(const Thread& t) const { return stop_of(t) != nullptr; }

void ProgramState::stopped(Thread& t, const StopContext& where) {
  keeping_vectors(vectors_, [&] {
    Stop* s = stop_of(t);
    if (s == nullptr) {
      kept_->stops.push_back({&t, {}, {}});
      s = &kept_->stops.back();
    }
    std::uint64_t vectors = t.carried->vectors.fingerprint();
    if (t.carried->entry_frame != 0) {
      vectors = hash_combine(vectors, vectors_.fingerprint());
    }
    *s = {&t, where, {{}, 0, vectors, pending_state(*t.pending)}};
  });
}

// Finds the registers at the call to the runtime: its own frames are not part of the state.
void ProgramState::look_outside(Stop& s) const {
  if (s.known_outside) {
    return;
  }
  s.known_outside = true;
  s.state.where = registers_outside(modules_, s.inside);
  std::uint64_t entry = s.thread->carried->entry_frame;
  for (std::uint64_t at = entry - hook::kEntrySaves; entry != 0 && at < entry; at += kWordBytes) {
    s.state.saved = hash_combine(s.state.saved, *reinterpret_cast<const std::uint64_t*>(at));
  }
}

bool ProgramState::remember() {
  bool kept = false;
  keeping_vectors(vectors_, [&] { kept = keep_state(); });
  return kept;
}

bool ProgramState::keep_state() {
  Kept& k = *kept_;
  for (Stop& s : k.stops) {
    look_outside(s);
  }
  k.expected = k.stops;
  k.spans = writable_memory();
  if (const Module* own = modules_.find(reinterpret_cast<std::uint64_t>(&execution_))) {
    leave_out(k.spans, own->begin, own->end);
  }
  for (const Stop& s : k.stops) {
    std::uint64_t rsp = s.state.where.rsp;
    leave_out(k.spans, s.thread->stack_low, rsp);
    // The watchdog's handler may have changed this stack (watchdog.h).
    World::Stack own = world_.signal_stack(*s.thread);
    leave_out(k.spans, own.low, own.low < rsp && rsp <= own.high ? rsp : own.high);
  }
  k.objects = world_.objects();
  return memory_content(k.spans, &k.content);
}

bool ProgramState::same_memory() const {
  const Kept& k = *kept_;
  PageContent page;
  // Check the page that differed last first: a counter there is likely to differ again.
  if (k.suspect < k.content.size()) {
    const PageContent& expected = k.content[k.suspect];
    if (!page_content(expected.begin, expected.end, &page) || !(page == expected)) {
      return false;
    }
  }
  std::vector<PageContent> now;
  if (!memory_content(k.spans, &now) || now != k.content) {
    std::size_t both = std::min(now.size(), k.content.size());
    k.suspect = static_cast<std::size_t>(
        std::mismatch(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(both),
                      k.content.begin())
            .first -
        now.begin());
    return false;
  }
  return true;
}

bool ProgramState::at_same_place(const Thread& t) const {
  auto before = std::find_if(kept_->expected.begin(), kept_->expected.end(),
                             [&](const Stop& s) { return s.thread == &t; });
  Stop& now = *stop_of(t);
  if (before == kept_->expected.end() || now.state.pending != before->state.pending) {
    return false;
  }
  keeping_vectors(vectors_, [&] { look_outside(now); });
  return now.state == before->state;
}

bool ProgramState::same(const Thread& t) const {
  bool same = false;
  keeping_vectors(vectors_, [&] {
    same = at_same_place(t) && world_.objects() == kept_->objects && same_memory();
  });
  return same;
}

void ProgramState::watch(bool on) {
  if (!on) {
    outside_watch::end();
    if (kept_ != nullptr) {
      kept_->outside |= outside_watch::noticed();
    }
    return;
  }
  const Module* own = modules_.find(reinterpret_cast<std::uint64_t>(&execution_));
  kept_->outside |= own == nullptr || !outside_watch::begin(*own);
}

bool ProgramState::saw_outside() const { return kept_->outside; }

}  // namespace rff
