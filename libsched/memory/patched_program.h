// Test fixture: a real Execution and real Accesses with a fake carrier and world. The program's
// threads are functions of the test that access memory through the sites of a patched module.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libsched/engine/fake_program.h"
#include "libsched/memory/accesses.h"
#include "libsched/memory/patched_module_for_tests.h"

namespace rff {

struct FakeMutex {
  Thread* holder = nullptr;
  CodeName since;
};

class PatchedProgram : public RunListener, public World {
 public:
  using Body = std::function<void()>;

  explicit PatchedProgram(std::shared_ptr<Modules> of_process = modules_of_test())
      : modules(std::move(of_process)) {
    now_on_runtime_stack = true;  // the test's stack serves as the runtime's own
    main.name = "main";
    main.memory = &main_memory_;
  }
  ~PatchedProgram() override { now_on_runtime_stack = false; }
  PatchedProgram(const PatchedProgram&) = delete;
  PatchedProgram& operator=(const PatchedProgram&) = delete;

  // Sets the engine and the memory under test. Call before `run`.
  void use(Execution& execution, Accesses& accesses) {
    execution_ = &execution;
    accesses_ = &accesses;
    execution.set_carrier(carrier_);
  }

  // Runs the program and returns how it ended: "", "deadlock", "hang" or "gave up".
  std::string run(Body body) {
    running_ = this;
    bodies_[0] = std::move(body);
    carrier_.make(main, start, nullptr);
    carrier_.enter(main);
    return verdict_;
  }

  // The functions below are called by the program's threads.
  Thread& create(Body body) {
    threads_.push_back(std::make_unique<Made>());
    Thread& t = threads_.back()->thread;
    execution_->prepare(t, CodeName{1, 1000});
    threads_.back()->memory.set_index(t.index);
    t.memory = &threads_.back()->memory;
    bodies_[t.index] = std::move(body);
    carrier_.make(t, start, nullptr);
    if (on_create) {
      on_create(t);
    }
    execution_->add(t);
    return t;
  }
  void join(Thread& t, std::uint32_t offset = 1) {
    static constexpr WaitRule kEnded = {
        [](const Operation& op) {
          return static_cast<Thread*>(op.state)->state == ThreadState::kEnded;
        },
        [](const Operation& op, CodeName*) { return static_cast<Thread*>(op.state); },
        WaitObject::kThreadEnd, true};
    Operation op;
    op.op = OpKind::kThreadJoin;
    op.address = reinterpret_cast<std::uint64_t>(&t);
    op.place = {LocationKind::kThread, t.created_at.packed(), 0};
    op.site = {1, offset};
    op.state = &t;
    op.waits_for = &kEnded;
    order().joins(current(), &t);
    execution_->perform(op);
    order().joins(current(), nullptr);
    order().joined(current(), t);
  }
  // Creates threads and joins all of them.
  void together(std::vector<Body> bodies) {
    std::vector<Thread*> made;
    for (Body& body : bodies) {
      made.push_back(&create(std::move(body)));
    }
    for (Thread* t : made) {
      join(*t);
    }
  }

  // Executes the instruction at `site` up to its access of `x`.
  template <typename T>
  void access(Site site, OpKind op, T& x, const std::uint64_t* expected = nullptr) {
    accesses_->access(current(), module(), site,
                      {op, reinterpret_cast<std::uint64_t>(&x), sizeof x}, expected);
  }
  template <typename T>
  T read(Site site, T& x) {
    access(site, OpKind::kRead, x);
    return x;
  }
  template <typename T>
  void write(Site site, T& x, T value) {
    access(site, OpKind::kWrite, x);
    x = value;
  }
  void add(Site site, std::uint64_t& x, std::uint64_t value) {
    access(site, OpKind::kReadModifyWrite, x);
    x += value;
  }
  bool compare_exchange(std::uint64_t& x, std::uint64_t expected, std::uint64_t value) {
    access(kExchange, OpKind::kReadModifyWrite, x, &expected);
    bool equal = x == expected;
    x = equal ? value : x;
    return equal;
  }
  void lock(FakeMutex& m, std::uint32_t offset) {
    static constexpr WaitRule kFree = {
        [](const Operation& op) { return static_cast<FakeMutex*>(op.state)->holder == nullptr; },
        [](const Operation& op, CodeName* since) {
          *since = static_cast<FakeMutex*>(op.state)->since;
          return static_cast<FakeMutex*>(op.state)->holder;
        },
        WaitObject::kMutex, false};
    Operation op = mutex_operation(OpKind::kLock, m, offset);
    op.waits_for = &kFree;
    execution_->perform(op);
    m = {&current(), op.site};
    order().locked(current(), &m, true);
  }
  void wait_for(bool& flag, std::uint32_t offset) {
    static constexpr WaitRule kSet = {
        [](const Operation& op) { return *static_cast<bool*>(op.state); }, nullptr,
        WaitObject::kConditionVariable, false};
    Operation op;
    op.op = OpKind::kWait;
    op.address = reinterpret_cast<std::uint64_t>(&flag);
    op.site = {1, offset};
    op.state = &flag;
    op.waits_for = &kSet;
    execution_->perform(op);
  }
  void unlock(FakeMutex& m, std::uint32_t offset) {
    Operation op = mutex_operation(OpKind::kUnlock, m, offset);
    execution_->perform(op);
    order().unlocked(*m.holder, &m);
    m = {};
  }

  Thread& current() { return execution_->current(); }
  PatchedModule& module() { return patched(*modules); }
  SyncOrder& order() { return accesses_->sharing.order; }

  const std::shared_ptr<Modules> modules;
  Thread main;
  std::function<void(Thread&)> on_create;

 private:
  struct Made {
    Thread thread;
    ThreadMemory memory;
  };

  static Operation mutex_operation(OpKind kind, FakeMutex& m, std::uint32_t offset) {
    Operation op;
    op.op = kind;
    op.address = reinterpret_cast<std::uint64_t>(&m);
    op.site = {1, offset};
    op.state = &m;
    return op;
  }
  static void start() {
    PatchedProgram& p = *running_;
    Thread& t = p.current();
    if (t.index != 0) {
      p.execution_->started(t);
    }
    p.bodies_[t.index]();
    p.execution_->end_current();
  }

  [[noreturn]] void leave(const char* verdict) {
    verdict_ = verdict;
    carrier_.leave();
  }
  [[noreturn]] void deadlock() override { leave("deadlock"); }
  [[noreturn]] void hang() override { leave("hang"); }
  [[noreturn]] void gave_up() override { leave("gave up"); }
  [[noreturn]] void rejected() override { leave("rejected"); }
  void diverged(std::size_t, const Decision&, const Thread*, std::size_t) override {}
  void chosen(std::uint64_t, const Thread&, const Thread&, std::size_t) override {}
  bool take_signals(Thread&, Interruption) override { return false; }
  void send_noted_signals() override {}
  bool will_wake_a_thread() override { return false; }
  void wait_a_moment() override {}
  bool shares_memory() override { return false; }

  inline static PatchedProgram* running_ = nullptr;
  ThreadMemory main_memory_;
  Execution* execution_ = nullptr;
  Accesses* accesses_ = nullptr;
  FakeCarrier carrier_;
  std::vector<std::unique_ptr<Made>> threads_;
  std::map<std::uint32_t, Body> bodies_;
  std::string verdict_;
};

// A program with its own engine and memory.
struct WatchedProgram : PatchedProgram {
  explicit WatchedProgram(SchedulerKind scheduler = SchedulerKind::kSteady, std::uint64_t seed = 0,
                          bool every_access = false)
      : locations(*modules),
        events(locations, *modules),
        execution(main, accesses, *this, *this),
        accesses(execution, shadow, events, locations, *modules) {
    schedule.scheduler = scheduler;
    schedule.seed = seed;
    use(execution, accesses);
    execution.set_scheduler(make_run_scheduler(schedule, accesses, execution.progress, *this),
                            schedule);
    accesses.start({.racing = true, .every_access = every_access}, seed, {});
  }
  // Returns the name of the last event at the site.
  AbstractEvent name(Site site, const void* x, OpKind did) const {
    return events.describe(site_code(site), reinterpret_cast<std::uint64_t>(x), did);
  }

  Schedule schedule;
  Locations locations;
  EventTable events;
  Shadow shadow;
  Execution execution;
  Accesses accesses;
};

}  // namespace rff
