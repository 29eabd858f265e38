// Test fixture: a real Execution with a fake carrier, memory and world. The program's threads are
// functions that run on stacks of the test.
#pragma once

#include <ucontext.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libsched/engine/execution.h"
#include "libsched/support/runtime_stack.h"

namespace rff {

// Switches threads by swapcontext; the test waits in a context of its own.
class FakeCarrier : public Carrier {
 public:
  void make(Thread& t, void (*start)(), ucontext_t* after) {
    ucontext_t& context = contexts_[t.index];
    getcontext(&context);
    stacks_.emplace_back(kStack);
    context.uc_stack.ss_sp = stacks_.back().data();
    context.uc_stack.ss_size = kStack;
    context.uc_link = after;
    makecontext(&context, start, 0);
  }
  void switch_to(Thread& from, Thread& to) override {
    ++switches;
    swapcontext(&contexts_[from.index], &contexts_[to.index]);
  }
  void end(Thread&, Thread* to) override {
    setcontext(to != nullptr ? &contexts_[to->index] : &tester);
  }
  void enter(Thread& t) { swapcontext(&tester, &contexts_[t.index]); }
  [[noreturn]] void leave() {
    setcontext(&tester);
    __builtin_unreachable();
  }

  ucontext_t tester;
  int switches = 0;

 private:
  static constexpr std::size_t kStack = 256 << 10;
  std::map<std::uint32_t, ucontext_t> contexts_;
  std::deque<std::vector<char>> stacks_;
};

// Stores no data. Remembers which operations took effect, and the last writer of each address.
class FakeMemory : public OperationListener, public LastWriters {
 public:
  void name(Operation& op) override {
    Location global = {LocationKind::kGlobal, 1, op.address};
    op.event = AbstractEvent::make(op.op, op.place.kind != LocationKind::kNone ? op.place : global,
                                   op.size, op.site);
    op.id = op.event.id();
  }
  void commit(Thread&) override {}
  void announced(Thread&, Operation& op) override { name(op); }
  void takes_effect(Thread& t, Operation& op) override {
    if (op.op != OpKind::kThreadStart) {
      order += (order.empty() ? "" : " ") + t.name + ":" + std::to_string(op.site.offset);
    }
    if (op.writes()) {
      writers_[op.address] = op.id;
    }
  }
  void interrupted(Thread&) override {}
  void ended(Thread&) override {}
  std::uint64_t last_writer(std::uint64_t address) override {
    return writers_.contains(address)
               ? writers_[address]
               : AbstractEvent::init({LocationKind::kGlobal, 1, address}).id();
  }

  std::string order;  // "main:1 main.1:2 …": threads and the offsets of their sites

 private:
  std::map<std::uint64_t, std::uint64_t> writers_;
};

// State of the fake program: the position of each thread, and a number that they may change.
class FakeWitness : public StateWitness {
 public:
  void begin() override { stops_.clear(); }
  void stopped(Thread& t, const StopContext&) override { stops_[&t] = t.pending->site; }
  bool knows(const Thread& t) const override { return stops_.contains(&t); }
  bool remember() override {
    kept_ = stops_;
    kept_number_ = number;
    return true;
  }
  bool at_same_place(const Thread& t) const override { return stops_.at(&t) == kept_.at(&t); }
  bool same(const Thread& t) const override { return at_same_place(t) && number == kept_number_; }
  void watch(bool on) override { watching = on; }
  bool saw_outside() const override { return outside; }

  std::uint64_t number = 0;
  bool watching = false, outside = false;

 private:
  std::map<const Thread*, CodeName> stops_, kept_;
  std::uint64_t kept_number_ = 0;
};

class FakeProgram : public RunListener, public World {
 public:
  using Body = std::function<void(FakeProgram&)>;

  explicit FakeProgram(Schedule schedule = {}, Driver* driver = nullptr)
      : schedule_(std::move(schedule)) {
    now_on_runtime_stack = true;  // the test's stack serves as the runtime's own
    main_.name = "main";
    execution_ = std::make_unique<Execution>(main_, memory_, *this, *this);
    execution_->set_carrier(carrier_);
    execution_->set_witness(witness);
    record_ = std::make_unique<RunRecord>();
    record_->begin();
    execution_->report_to(record_.get(), true);
    execution_->set_scheduler(
        make_run_scheduler(schedule_, memory_, execution_->progress, *this, driver), schedule_);
  }
  ~FakeProgram() override { now_on_runtime_stack = false; }
  FakeProgram(const FakeProgram&) = delete;
  FakeProgram& operator=(const FakeProgram&) = delete;

  // Runs the program and returns how it ended: "", "deadlock", "hang" or "gave up".
  std::string run(Body main) {
    running_ = this;
    bodies_[0] = std::move(main);
    carrier_.make(main_, start, nullptr);
    carrier_.enter(main_);
    return verdict_;
  }

  // The functions below are called by the program's threads.
  Thread& create(Body body) {
    threads_.push_back(std::make_unique<Thread>());
    Thread& t = *threads_.back();
    execution_->prepare(t, CodeName{1, 1000});
    bodies_[t.index] = std::move(body);
    carrier_.make(t, start, nullptr);
    execution_->add(t);
    return t;
  }
  void join(Thread& t, std::uint32_t site) {
    static constexpr WaitRule kEnded = {[](const Operation& op) {
                                          return static_cast<Thread*>(op.state)->state ==
                                                 ThreadState::kEnded;
                                        },
                                        nullptr,
                                        {},
                                        true};
    Operation op;
    op.op = OpKind::kThreadJoin;
    op.site = {1, site};
    op.state = &t;
    op.waits_for = &kEnded;
    execution_->perform(op);
  }
  void write(std::uint64_t address, std::uint32_t site) { access(OpKind::kWrite, address, site); }
  void read(std::uint64_t address, std::uint32_t site) { access(OpKind::kRead, address, site); }
  // `lock` takes a lock that is always free; `try_lock` asks whether it is.
  void lock(std::uint64_t address, std::uint32_t site) { on_lock(address, site, false); }
  void try_lock(std::uint64_t address, std::uint32_t site) { on_lock(address, site, true); }
  // Waits until `flag` is set or the deadline has passed; returns whether the deadline passed.
  bool wait(bool& flag, std::uint32_t site, std::uint64_t deadline = kNever) {
    static constexpr WaitRule kSet = {
        [](const Operation& op) { return *static_cast<bool*>(op.state); }, nullptr, {}, false};
    Operation op;
    op.op = OpKind::kWait;
    op.address = reinterpret_cast<std::uint64_t>(&flag);
    op.site = {1, site};
    op.state = &flag;
    op.waits_for = &kSet;
    op.deadline = deadline;
    op.on_signal = Interruption::kAlways;
    execution_->perform(op);
    interrupted = op.interrupted;
    return op.timed_out;
  }

  Execution& execution() { return *execution_; }
  const std::string& order() const { return memory_.order; }
  std::vector<Decision> decisions() const {
    return {record_->decisions.begin(), record_->decisions.end()};
  }
  std::uint32_t flags() const { return record_->flags; }

  FakeWitness witness;
  int divergences = 0;
  int choices = 0;  // reported for traces
  int signals_taken = 0;
  bool interrupted = false;      // whether the last wait was interrupted
  bool external_signal = false;  // noted and sent
  int moments = 0;               // times that the world was waited for
  std::function<void()> on_moment;

 private:
  void on_lock(std::uint64_t address, std::uint32_t site, bool tries) {
    static constexpr WaitRule kFree = {[](const Operation&) { return true; }, nullptr, {}, false};
    Operation op;
    op.op = OpKind::kLock;
    op.address = address;
    op.site = {1, site};
    (tries ? op.tries : op.waits_for) = &kFree;
    execution_->perform(op);
  }
  void access(OpKind kind, std::uint64_t address, std::uint32_t site) {
    Operation op;
    op.op = kind;
    op.address = address;
    op.size = 4;
    op.site = {1, site};
    execution_->perform(op);
  }

  static void start() {
    FakeProgram& p = *running_;
    Thread& t = p.execution_->current();
    if (t.index != 0) {
      p.execution_->started(t);
    }
    p.bodies_[t.index](p);
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
  void diverged(std::size_t, const Decision&, const Thread*, std::size_t) override {
    ++divergences;
  }
  void chosen(std::uint64_t, const Thread&, const Thread&, std::size_t) override { ++choices; }

  bool take_signals(Thread&, Interruption allowed) override {
    ++signals_taken;
    return allowed == Interruption::kAlways;
  }
  void send_noted_signals() override { external_signal = true; }
  bool will_wake_a_thread() override { return on_moment != nullptr; }
  void wait_a_moment() override {
    ++moments;
    on_moment();
  }
  bool shares_memory() override { return false; }

  inline static FakeProgram* running_ = nullptr;
  Schedule schedule_;
  FakeCarrier carrier_;
  FakeMemory memory_;
  Thread main_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::map<std::uint32_t, Body> bodies_;
  std::unique_ptr<RunRecord> record_;
  std::unique_ptr<Execution> execution_;
  std::string verdict_;
};

}  // namespace rff
