#include "schedule/run_finding.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace rff {
namespace {

class RunFinding : public ::testing::Test {
 protected:
  void SetUp() override {
    void* memory = mmap(nullptr, sizeof(SharedMemory), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ = static_cast<SharedMemory*>(memory);
    shared_->initialize();
    ModuleRecord m{};
    m.hash = 9;
    m.path.set("/opt/prog.patched");
    shared_->modules.append(m);
    shared_->run.begin();
  }
  void TearDown() override { munmap(shared_, sizeof(SharedMemory)); }
  SharedMemory* shared_ = nullptr;
};

TEST_F(RunFinding, KeepsWaitsAndTheModulesTheyMention) {
  RunRecord& run = shared_->run;
  run.finding = FindingKind::kDeadlock;
  run.outcome.store(RunOutcome::kFinding);
  SharedWait w{};
  w.thread = 1;
  w.object = WaitObject::kMutex;
  w.site = {9, 0x10};
  w.held_since = {77, 0x20};  // in an unknown module
  w.thread_name.set("main.1");
  run.waits.append(w);
  Finding f = finding_of(*shared_);
  EXPECT_EQ(f.kind, FindingKind::kDeadlock);
  ASSERT_EQ(f.failure.waits.size(), 1u);
  EXPECT_EQ(f.failure.waits[0].thread_name, "main.1");
  EXPECT_EQ(f.failure.waits[0].object, WaitObject::kMutex);
  EXPECT_EQ(f.failure.modules, (std::vector<ModuleName>{{9, "prog.patched"}}));
  EXPECT_FALSE(f.failure.divergence);
}

TEST_F(RunFinding, NonsenseOfADyingWriterIsMadePlausible) {
  RunRecord& run = shared_->run;
  run.finding = FindingKind::kCrash;
  run.failure.cause = static_cast<CrashCause>(200);
  SharedWait w{};
  w.op = static_cast<OpKind>(200);
  w.object = static_cast<WaitObject>(200);
  run.waits.append(w);
  Finding f = finding_of(*shared_);
  EXPECT_EQ(f.failure.facts.cause, CrashCause::kSignal);
  EXPECT_EQ(f.failure.waits[0].op, OpKind::kNone);
  EXPECT_EQ(f.failure.waits[0].object, WaitObject::kNone);
  run.finding = static_cast<FindingKind>(200);
  EXPECT_EQ(finding_of(*shared_).kind, FindingKind::kNone);
}

TEST_F(RunFinding, TheNextRunBeginsWithoutTheFactsOfTheLast) {
  RunRecord& run = shared_->run;
  run.finding = FindingKind::kHang;
  run.failure.signal = 6;
  run.words.set("words");
  run.waits.append(SharedWait{});
  run.repeated_reads.append({});
  run.begin();
  Finding f = finding_of(*shared_);
  EXPECT_EQ(f.kind, FindingKind::kNone);
  EXPECT_EQ(f.failure, Failure{});
}

}  // namespace
}  // namespace rff
