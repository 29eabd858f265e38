// Unit tests of Findings: kind and place of a finding, recorded waits, and how the process dies.
#include "libsched/report/findings.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include "libsched/memory/patched_program.h"
#include "libsched/report/faults.h"
#include "libsched/report/trace_for_tests.h"

namespace rff {
namespace {

using testing::KilledBySignal;
using trace::RecordKind;

std::uint64_t x;

// Shared memory in which the process that ends leaves its results.
struct Left {
  RunRecord record;
  int started, finished, status;
};

class FindingsTest : public testing::Test, public RunControl {
 protected:
  FindingsTest() {
    left_ = static_cast<Left*>(mmap(nullptr, sizeof(Left), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    left_->record.begin();
    give_parts(p_.main);
    p_.on_create = [this](Thread& t) { give_parts(t); };
    schedule_.scheduler = SchedulerKind::kSteady;
    schedule_.max_steps = 300;
    findings_.set_control(*this, sanitizer_);
    findings_.start(&left_->record);
    p_.use(execution_, accesses_);
    execution_.set_witness(witness_);
    execution_.set_scheduler(
        make_run_scheduler(schedule_, accesses_, execution_.progress, findings_), schedule_);
    writer_.open(trace_.path(), false, nullptr);
  }
  ~FindingsTest() override { munmap(left_, sizeof(Left)); }

  void start_run() override { ++left_->started; }
  void finish_run(int status) override {
    ++left_->finished;
    left_->status = status;
    writer_.flush();
  }
  [[noreturn]] void reject_run() override { std::abort(); }
  [[noreturn]] void end_process(int signal) override { die(signal); }
  void give_parts(Thread& t) {
    carried_.push_back(std::make_unique<CarriedThread>());
    t.carried = carried_.back().get();
  }
  // For the process that ends: runs the program with handlers for its faults.
  void run(PatchedProgram::Body body) {
    faults::SignalPolicy policy;
    policy.ours = [](int signal) { return signal == SIGSEGV; };
    policy.program_handles = [](int) { return false; };
    policy.deliver = [](int, siginfo_t*, void*) { return false; };
    policy.from_within = [](const siginfo_t&) { return true; };
    policy.in_object = [](std::uint64_t) { return false; };
    faults::install(findings_, *p_.modules, policy);
    p_.run(std::move(body));
  }
  // Two threads wait for each other's mutex, and the main thread joins one of them.
  void deadlock() {
    run([this] {
      Thread& t = p_.create([this] {
        p_.lock(n_, 30);
        bool taken = false;
        p_.create([this, &taken] {
          p_.lock(m_, 40);
          taken = true;
          p_.lock(n_, 50);
        });
        p_.wait_for(taken, 25);
        p_.lock(m_, 20);
      });
      p_.join(t, 10);
    });
  }
  void expect_finding(FindingKind kind, CodeName place) const {
    EXPECT_EQ(left_->record.finding, kind);
    EXPECT_EQ(left_->record.place, place);
    EXPECT_EQ(left_->record.outcome.load(), RunOutcome::kFinding);
    EXPECT_EQ(left_->started, 1);
    EXPECT_EQ(left_->finished, 1);
    auto told = trace_.all<trace::OutcomeInfo>(RecordKind::kOutcome);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].outcome, static_cast<std::uint32_t>(RunOutcome::kFinding));
    EXPECT_EQ(told[0].finding, static_cast<std::uint32_t>(kind));
    EXPECT_EQ(told[0].place, place);
    EXPECT_EQ(told[0].failure, left_->record.failure);
  }
  std::vector<trace::WaitInfo> waits() const {
    return trace_.all<trace::WaitInfo>(RecordKind::kWait);
  }
  CodeName here(const void* code) const {
    return p_.modules->name(reinterpret_cast<std::uint64_t>(code));
  }

  PatchedProgram p_;
  FakeMutex m_, n_;
  std::uint64_t address_ = 16;  // unmapped
  std::vector<std::unique_ptr<CarriedThread>> carried_;
  Sanitizer sanitizer_;
  TraceFile trace_;
  TraceWriter writer_;
  Schedule schedule_;
  Left* left_;
  Locations locations_{*p_.modules};
  EventTable events_{locations_, *p_.modules};
  Shadow shadow_;
  Execution execution_{p_.main, accesses_, findings_, p_};
  FakeWitness witness_;
  Accesses accesses_{execution_, shadow_, events_, locations_, *p_.modules};
  Findings findings_{execution_, accesses_, events_, locations_, *p_.modules, writer_};
};

TEST_F(FindingsTest, ADeadlockIsFoundAtItsFirstWaitInTheCode) {
  EXPECT_EXIT(deadlock(), KilledBySignal(SIGABRT), "");
  expect_finding(FindingKind::kDeadlock, {1, 20});  // not the join: it only waits for the others
}

TEST_F(FindingsTest, TheRecordOfADeadlockSaysWhoWaitsForWhomSinceWhere) {
  EXPECT_EXIT(deadlock(), KilledBySignal(SIGABRT), "");
  ASSERT_EQ(left_->record.waits.size(), 3u);
  const SharedWait* waits = left_->record.waits.items;
  std::vector<std::uint32_t> holders;
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(waits[i].thread, i);
    holders.push_back(waits[i].holder);
  }
  EXPECT_EQ(holders, (std::vector<std::uint32_t>{1, 2, 1}));
  EXPECT_EQ(waits[0].object, WaitObject::kThreadEnd);
  EXPECT_EQ(waits[1].object, WaitObject::kMutex);
  EXPECT_EQ(waits[1].address, reinterpret_cast<std::uint64_t>(&m_));
  EXPECT_EQ(waits[1].site, (CodeName{1, 20}));
  EXPECT_EQ(waits[1].held_since, (CodeName{1, 40}));
  EXPECT_EQ(waits[1].thread_name.view(), "main.1");
  EXPECT_EQ(waits[1].holder_name.view(), "main.1.1");
}

TEST_F(FindingsTest, TheTraceOfADeadlockHasAWaitAndAStackOfEachThread) {
  EXPECT_EXIT(deadlock(), KilledBySignal(SIGABRT), "");
  std::vector<trace::WaitInfo> all = waits();
  ASSERT_EQ(all.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all[i].thread, i);
    EXPECT_EQ(all[i].blocked, 1u);
  }
  EXPECT_EQ(all[0].op, static_cast<std::uint32_t>(OpKind::kThreadJoin));
  EXPECT_EQ(all[2].waits_for, static_cast<std::uint32_t>(WaitObject::kMutex));
  EXPECT_EQ(all[2].holder, 1u);
  EXPECT_EQ(all[2].held_since, (CodeName{1, 30}));
  EXPECT_EQ(trace_.all<trace::StackInfo>(RecordKind::kStack).size(), 3u);
}

TEST_F(FindingsTest, ThreadsThatOnlyJoinAreADeadlockAtTheirJoin) {
  EXPECT_EXIT(run([&] { p_.join(p_.main, 10); }), KilledBySignal(SIGABRT), "");
  expect_finding(FindingKind::kDeadlock, {1, 10});
}

TEST_F(FindingsTest, AThreadThatSpinsForEverIsAHangWhereItSpins) {
  EXPECT_EXIT(run([&] {
                p_.read(kRead2, x);
                p_.join(p_.create([&] {
                  while (p_.read(kRead, x) == 0) {
                  }
                }),
                        10);
              }),
              KilledBySignal(SIGABRT), "");
  expect_finding(FindingKind::kHang, p_.module().site_name(kRead));
  ASSERT_EQ(left_->record.waits.size(), 1u);  // the main thread cannot go on: not part of the hang
  EXPECT_EQ(left_->record.waits.items[0].thread, 1u);
  ASSERT_EQ(left_->record.repeated_reads.size(), 1u);
  EXPECT_EQ(left_->record.repeated_reads.items[0].thread, 1u);
  EXPECT_EQ(left_->record.repeated_reads.items[0].site, p_.module().site_name(kRead));
}

TEST_F(FindingsTest, AFailedAssertionIsFoundWhereItsCallerSays) {
  EXPECT_EXIT(run([&] { findings_.assertion("x == 1", {3, 4}); }), KilledBySignal(SIGABRT), "");
  expect_finding(FindingKind::kAssert, {3, 4});
  EXPECT_EQ(left_->record.words.view(), "x == 1");
}

TEST_F(FindingsTest, ABadExitStatusIsAFinding) {
  EXPECT_EXIT(run([&] { findings_.bad_exit(3, {3, 8}); }), KilledBySignal(SIGABRT), "");
  expect_finding(FindingKind::kExit, {3, 8});
  EXPECT_EQ(left_->record.failure.exit_status, 3);
}

TEST_F(FindingsTest, AFaultIsFoundAtTheInstructionAndEndsWithItsSignal) {
  StopContext where;
  where.rip = reinterpret_cast<std::uint64_t>(&modules_of_test);
  where.rsp = reinterpret_cast<std::uint64_t>(&where);
  EXPECT_EXIT(run([&] { findings_.crashed(SIGFPE, where, 0, false, false); }),
              KilledBySignal(SIGFPE), "");
  expect_finding(FindingKind::kCrash, here(reinterpret_cast<void*>(&modules_of_test)));
}

TEST_F(FindingsTest, AnAccessToBadMemoryIsFoundWithItsAddress) {
  EXPECT_EXIT(run([&] { *reinterpret_cast<volatile int*>(address_) = 1; }), KilledBySignal(SIGSEGV),
              "");
  expect_finding(FindingKind::kCrash, left_->record.place);
  EXPECT_EQ(left_->record.place.module, p_.module().hash);
  EXPECT_EQ(left_->record.failure.cause, CrashCause::kSignal);
  EXPECT_EQ(left_->record.failure.signal, SIGSEGV);
  EXPECT_EQ(left_->record.failure.address, address_);
  EXPECT_EQ(left_->record.failure.flags, kAccessedAddress);
}

TEST_F(FindingsTest, AnAbortIsFoundAtTheCall) {
  const char* code = reinterpret_cast<const char*>(&modules_of_test);
  EXPECT_EXIT(run([&] { findings_.aborted(code + 1); }), KilledBySignal(SIGABRT), "");
  expect_finding(FindingKind::kCrash, here(code));
  EXPECT_EQ(left_->record.failure.cause, CrashCause::kAbort);
}

TEST_F(FindingsTest, ADamagedHeapIsFoundAtTheFunctionThatWouldNotice) {
  const void* function = reinterpret_cast<void*>(&modules_of_test);
  FailureFacts facts = {.flags = kBadFreeList, .signal = SIGBUS};
  EXPECT_EXIT(run([&] { findings_.heap_damaged(facts, "bad list", function); }),
              KilledBySignal(SIGBUS), "");
  expect_finding(FindingKind::kCrash, here(function));
  EXPECT_EQ(left_->record.failure, facts);
  EXPECT_EQ(left_->record.words.view(), "bad list");
}

TEST_F(FindingsTest, ASignalThatEndsTheProgramIsACrash) {
  EXPECT_EXIT(run([&] { findings_.ended_by_signal(SIGTERM, false); }), KilledBySignal(SIGTERM), "");
  expect_finding(FindingKind::kCrash, CodeName{});
  EXPECT_EQ(left_->record.failure.signal, SIGTERM);
}

TEST_F(FindingsTest, AReplayThatGivesUpIsNoFinding) {
  EXPECT_EXIT(run([&] { findings_.gave_up(); }), KilledBySignal(SIGABRT), "");
  EXPECT_EQ(left_->record.outcome.load(), RunOutcome::kUnknown);
  EXPECT_EQ(left_->finished, 1);
  EXPECT_TRUE(trace_.all<trace::OutcomeInfo>(RecordKind::kOutcome).empty());
}

TEST_F(FindingsTest, ADivergenceIsRecordedAndTheRunGoesOn) {
  bool went_on = false;
  p_.run([&] {
    findings_.diverged(4, Decision{7, EventCheck(0x8123)}, nullptr, 2);
    went_on = true;
  });
  EXPECT_TRUE(went_on);
  EXPECT_FALSE(findings_.found());
  EXPECT_EQ(left_->record.outcome.load(), RunOutcome::kDiverged);
  EXPECT_EQ(left_->record.divergence.cause, DivergenceCause::kCannotRun);
  auto told = trace_.all<trace::DivergenceInfo>(RecordKind::kDivergence);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].decision, 4u);
  EXPECT_EQ(told[0].expected_thread, 7u);
  EXPECT_EQ(told[0].seen_thread, ~0u);
  EXPECT_EQ(told[0].check, 0x123u);
  EXPECT_EQ(told[0].enabled, 2u);
}

TEST_F(FindingsTest, WithoutARecordTheProcessDiesTheSame) {
  findings_.start(nullptr);
  EXPECT_EXIT(run([&] { findings_.assertion("x == 1", {3, 4}); }), KilledBySignal(SIGABRT), "");
  EXPECT_EQ(left_->record.outcome.load(), RunOutcome::kUnknown);
  EXPECT_EQ(left_->finished, 1);
}

}  // namespace
}  // namespace rff
