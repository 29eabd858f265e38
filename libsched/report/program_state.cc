#include "libsched/report/program_state.h"

#include <algorithm>

#include "libsched/report/outside_watch.h"
#include "libsched/support/memory_map.h"

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
  StopContext where;
  std::uint64_t vectors = 0;
  PendingState pending = {};
  bool operator==(const RegistersAndPending&) const = default;
};

}  // namespace

struct ProgramState::Stop {
  const Thread* thread;
  RegistersAndPending state;  // when it stopped last
};

struct ProgramState::Kept {
  std::vector<Stop> stops;     // as of now
  std::vector<Stop> expected;  // as of `remember`
  std::vector<Span> spans;
  std::vector<PageContent> content;
  std::uint64_t objects = 0;
  mutable std::size_t suspect = 0;  // of the content: differed when last compared
  bool outside = false;
};

ProgramState::ProgramState(const Execution& execution, const Modules& modules, World& world)
    : execution_(execution), modules_(modules), world_(world) {}
ProgramState::~ProgramState() = default;

void ProgramState::begin() { kept_ = std::make_unique<Kept>(); }

ProgramState::Stop* ProgramState::stop_of(const Thread& t) const {
  auto it = std::find_if(kept_->stops.begin(), kept_->stops.end(),
                         [&](const Stop& s) { return s.thread == &t; });
  return it == kept_->stops.end() ? nullptr : &*it;
}

bool ProgramState::knows(const Thread& t) const { return stop_of(t) != nullptr; }

void ProgramState::stopped(Thread& t, const StopContext& where) {
  Stop* s = stop_of(t);
  if (s == nullptr) {
    kept_->stops.push_back({&t, {}});
    s = &kept_->stops.back();
  }
  s->state = {where, t.carried->vectors.fingerprint(), pending_state(*t.pending)};
}

bool ProgramState::remember() {
  Kept& k = *kept_;
  k.expected = k.stops;
  k.spans = writable_memory();
  if (const Module* own = modules_.find(reinterpret_cast<std::uint64_t>(&execution_))) {
    leave_out(k.spans, own->begin, own->end);
  }
  for (const Stop& s : k.stops) {
    leave_out(k.spans, s.thread->stack_low, s.state.where.rsp);
    auto op = reinterpret_cast<std::uint64_t>(s.state.pending.place);
    leave_out(k.spans, op, op + sizeof(Operation));
  }
  k.objects = world_.objects();
  return memory_content(k.spans, &k.content);
}

bool ProgramState::same_memory() const {
  const Kept& k = *kept_;
  PageContent page;
  // Where something counts, it was there that the memory was not the same before.
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
  return before != kept_->expected.end() && stop_of(t)->state == before->state;
}

bool ProgramState::same(const Thread& t) const {
  return at_same_place(t) && world_.objects() == kept_->objects && same_memory();
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
