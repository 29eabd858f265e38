// Tests that a schedule survives changes to the program that do not concern the failure.
#include <fstream>

#include "fuzzer/common/files.h"
#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

// The failure needs `ready` from the writer and `data` from before it wrote. UNRELATED adds code
// and data before and inside the functions concerned.
constexpr char kProgram[] = R"(
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#ifdef UNRELATED
static volatile int calls, more[100];
static int unrelated(int n) { for (int i = 0; i < n; i++) more[i] = n * i; return more[n / 2]; }
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ready, data;
static void *publish(void *unused) {
#ifdef UNRELATED
  calls += unrelated(7);
#endif
#ifdef LOCKS
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
#endif
  ready = 1;
  data = 42;
  return unused;
}
static void *consume(void *unused) {
#ifdef COUNTS_FOR_EVER
  for (;;) data++;
#endif
#ifdef WAITS_FOR_EVER
  while (data != 43) {}
#endif
  if (ready) assert(data == 42);
  return unused;
}
#ifdef ANOTHER_PROGRAM
static volatile int other;
static void *count(void *unused) { other++; return unused; }
#define publish count
#define consume count
#endif
int main(void) {
  pthread_t a, b;
#ifdef UNRELATED
  printf("%d\n", unrelated(50));
#endif
  pthread_create(&a, 0, publish, 0);
  pthread_create(&b, 0, consume, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)";

class RebuiltTest : public ReplayTest {
 protected:
  // The seed for steps without a recorded decision; with it the program does not fail by chance.
  static constexpr std::uint64_t kNoLuck = 2;

  std::string build(const std::string& folder, const std::vector<std::string>& flags) {
    std::filesystem::create_directories(path(folder));
    write("program.c", kProgram);
    std::string out = path(folder + "/program");
    std::vector<std::string> command = {RFF_CC,           "-O1", "-g", "-pthread", "-o", out,
                                        path("program.c")};
    command.insert(command.end(), flags.begin(), flags.end());
    Output o = run_command(command);
    EXPECT_EQ(o.exit_status, 0) << o.err;
    return out;
  }
  // Returns a schedule that makes the first build fail.
  std::string recorded() {
    std::string schedule = finding(build("first", {}));
    std::filesystem::rename(path("program.patched"), path("first/program.patched"));
    Schedule s = *decode_schedule(*read_file(schedule)).schedule;
    s.target.path = path("first/program.patched");
    s.seed = kNoLuck;
    write("schedule.bin", encode_schedule(s));
    return schedule;
  }
};

TEST_F(RebuiltTest, TheDecisionsAreFollowedByNameAfterUnrelatedCodeWasAdded) {
  std::string schedule = recorded();
  std::string changed = patched(build("second", {"-DUNRELATED"}));
  Output o = replay({"--quick", "-o", path("carried.bin"), schedule, "--", changed});
  EXPECT_EQ(o.exit_status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("REPRODUCED in this build"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("this is another build of the program"), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("the abstract schedule"), std::string::npos) << o.out;
  Output again = replay({"--runs", "3", path("carried.bin")});
  EXPECT_EQ(again.out, "3 of 3 reproduced (3 the same run event by event)\n");
}

TEST_F(RebuiltTest, TheAbstractScheduleFindsTheFailureWhereTheDecisionsCannotBeFollowed) {
  std::string schedule = recorded();
  std::string changed = patched(build("second", {"-DUNRELATED", "-DLOCKS"}));
  Output o = replay({"--max-runs", "30", "-o", path("carried.bin"), schedule, "--", changed});
  EXPECT_EQ(o.exit_status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("First divergence: decision "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("to do the write of `ready` at program.c:"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("but it is about to do the lock of `lock` at program.c:"), std::string::npos)
      << o.out;
  EXPECT_NE(o.out.find("constraints carried over by name) leads to the same failure"),
            std::string::npos)
      << o.out;
  Output again = replay({"--runs", "3", path("carried.bin")});
  EXPECT_EQ(again.out, "3 of 3 reproduced (3 the same run event by event)\n");
}

// The run is stopped by counting steps, not by the clock.
TEST_F(RebuiltTest, AProgramThatNoLongerEndsIsStoppedAndTheDivergenceExplained) {
  std::string schedule = recorded();
  std::string changed = patched(build("second", {"-DCOUNTS_FOR_EVER"}));
  Output o = replay({"--timeout", "600", schedule, "--", changed});
  EXPECT_EQ(o.exit_status, 3) << o.out << o.err;
  for (const char* part :
       {"DIVERGED: the decisions could not be followed, and the program did not end\n",
        "First divergence: decision ", "expected thread main.2 to do the read of `ready`",
        "but it is about to do the read of `data`", "Likely cause: the program is another build",
        "thread main.2 (created in main (program.c:", "#0  consume"}) {
    EXPECT_NE(o.out.find(part), std::string::npos) << "no " << part << " in:\n" << o.out;
  }
}

TEST_F(RebuiltTest, AProgramThatHangsNowFailsInAnotherWay) {
  std::string schedule = recorded();
  std::string changed = patched(build("second", {"-DWAITS_FOR_EVER"}));
  Output o = replay({"--timeout", "600", schedule, "--", changed});
  EXPECT_EQ(o.exit_status, 3) << o.out << o.err;
  for (const char* part : {"ANOTHER FAILURE than the recorded one", "First divergence: decision ",
                           "Hang: ", "Thread main.2 repeats read of `data` in consume"}) {
    EXPECT_NE(o.out.find(part), std::string::npos) << "no " << part << " in:\n" << o.out;
  }
}

TEST_F(RebuiltTest, AProgramThatWasRepairedIsSaidNotToFail) {
  std::string schedule = recorded();
  std::string repaired = patched(build("second", {"-DNDEBUG"}));
  Output o = replay({"--max-runs", "5", schedule, "--", repaired});
  EXPECT_EQ(o.exit_status, 0) << o.out;
  EXPECT_EQ(o.out.find("NOT REPRODUCED in this build ("), 0u) << o.out;
  EXPECT_NE(o.out.find("did not lead to the failure in this build in 5 runs"), std::string::npos)
      << o.out;
}

TEST_F(RebuiltTest, AProgramOfWhichLittleIsLeftCannotBeJudged) {
  std::string schedule = recorded();
  std::string other = patched(build("second", {"-DANOTHER_PROGRAM"}));
  Output o = replay({"--max-runs", "5", schedule, "--", other});
  EXPECT_EQ(o.exit_status, 3) << o.out;
  EXPECT_EQ(o.out.find("CANNOT BE JUDGED: the code has changed too much\n"), 0u) << o.out;
}

}  // namespace
}  // namespace rff::test
