// Drives programs over a pipe: by hand to a failure, along a finding, back and forth, and through
// everything that can go wrong at a prompt.
#include <signal.h>
#include <sys/stat.h>

#include "fuzzer/common/files.h"
#include "tests/drive/driver_process.h"
#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class DriveTest : public ReplayTest {
 protected:
  static std::string subject(const std::string& name) {
    return (build_folder() / "subjects" / name).string();
  }
  DriverProcess drive(const std::string& program) {
    return DriverProcess({tool("rff-drive"), "--plain", "--", program});
  }
  // Leads reorder_3 to the step before its failure: main.1 has written a and not b, main.4 has
  // seen a and is about to read b.
  static void lead_to_the_edge(DriverProcess& d) {
    d.type("g main");
    d.type("1");       // starts
    d.type("main.1");  // writes a
    for (int i = 0; i < 3; ++i) {
      d.type("4");  // starts, reads a twice
    }
  }
};

TEST_F(DriveTest, AFailureReachedByHandIsSavedAndReplays) {
  DriverProcess d = drive(subject("reorder_3"));
  lead_to_the_edge(d);
  EXPECT_EQ(d.step(), 9);
  std::string edge = d.type("");
  EXPECT_EQ(d.step(), 10);
  EXPECT_TRUE(has(edge, "step 10, the end: assert in check (reorder.c:23)")) << edge;
  EXPECT_TRUE(has(edge, "program: ")) << edge;
  EXPECT_TRUE(has(d.type("s " + path("mine.bin")), "with its failure"));
  EXPECT_EQ(d.end(), 0);
  Output o = replay({"--runs", "20", path("mine.bin")});
  EXPECT_EQ(o.exit_status, 1) << o.err;
  EXPECT_TRUE(has(o.out, "20 of 20 reproduced (20 the same run event by event)")) << o.out;
  EXPECT_TRUE(has(replay({"--quick", path("mine.bin")}).out, "REPRODUCED"));
}

TEST_F(DriveTest, ShowsWhatThreadsAreAboutToDo) {
  DriverProcess d = drive(subject("reorder_3"));
  EXPECT_TRUE(has(d.greeting(), "step 0\n  > 0  main  creates a thread  main (reorder.c:29)"))
      << d.greeting();
  lead_to_the_edge(d);
  std::string state = d.type("r 9");
  state = d.type("b");
  state = d.type("r 9");
  EXPECT_TRUE(has(state,
                  "- 0  main    joins main.1        main (reorder.c:31); waits for the end "
                  "of main.1\n"))
      << state;
  EXPECT_TRUE(
      has(state, "  1  main.1  writes `b` (now 0)  set (reorder.c:18); races with main.4\n"))
      << state;
  EXPECT_TRUE(
      has(state, "> 4  main.4  reads `b` (now 0)   check (reorder.c:23); races with main.1\n"))
      << state;
  EXPECT_TRUE(has(state, "6  main.1  writes `a` = 1    set (reorder.c:17)\n")) << state;
  EXPECT_TRUE(has(state, "> 23    assert((a == 0 && b == 0)")) << state;
  EXPECT_EQ(d.type("p a"), "a = 1\n");
  EXPECT_EQ(d.type("p b"), "b = 0\n");
  EXPECT_TRUE(has(d.type("p nothing"), "no global variable is called nothing"));
  EXPECT_EQ(d.type("w"), "main waits for the end of main.1, in main (reorder.c:31)\n");
}

TEST_F(DriveTest, BackAndToAStepShowTheSameAsTheFirstTime) {
  DriverProcess d = drive(subject("reorder_3"));
  std::vector<std::string> states = {d.greeting()};
  for (const char* line : {"0", "0", "1", "0", "1", "2", "0", "2", "4", "1", "4", "3", "4"}) {
    states.push_back(d.type(line));
    ASSERT_EQ(d.step(), static_cast<int>(states.size()) - 1) << line;
  }
  states.push_back(d.type("f"));
  for (int step = static_cast<int>(states.size()) - 2; step > 0; --step) {
    if (step == static_cast<int>(states.size()) - 2) {
      EXPECT_EQ(d.type("r " + std::to_string(step)), states[static_cast<std::size_t>(step)]);
    } else {
      EXPECT_EQ(d.type("b"), states[static_cast<std::size_t>(step)]);
    }
  }
  for (int step : {13, 2, 12, 5, 11}) {
    EXPECT_EQ(d.type("r " + std::to_string(step)), states[static_cast<std::size_t>(step)]) << step;
  }
  EXPECT_TRUE(has(d.type("r 1"), "step 1\n"));
  EXPECT_TRUE(has(d.type("b"), "step 0\n"));
  EXPECT_EQ(d.type("b"), "this is the first step\n");
}

TEST_F(DriveTest, EnterFollowsAFinding) {
  std::string file = finding("subjects/reorder_3");
  DriverProcess d({tool("rff-drive"), file});
  EXPECT_TRUE(has(d.greeting(), "The given run: ")) << d.greeting();
  EXPECT_TRUE(has(d.greeting(), "step 0 (as in the given run)")) << d.greeting();
  std::string state;
  for (int i = 0; i < 100 && !has(state, "the end: "); ++i) {
    state = d.type("");
    EXPECT_TRUE(has(state, "as in the given run")) << state;
  }
  EXPECT_TRUE(has(state, "the end: assert in check (reorder.c:23)")) << state;
  EXPECT_TRUE(has(d.type(""), "the run has ended"));
}

TEST_F(DriveTest, AFindingCanBeLeftAndFoundAgain) {
  std::string file = finding("subjects/reorder_3");
  DriverProcess d({tool("rff-drive"), "--plain", file});
  d.type("r 2");
  std::string left;
  for (const char* thread : {"0", "1", "2"}) {  // at least one of them is not the recorded one
    left = d.type(thread);
    if (has(left, "no longer the given run")) {
      break;
    }
    d.type("r 2");
  }
  EXPECT_TRUE(has(left, "no longer the given run")) << left;
  EXPECT_TRUE(has(d.type("f"), "the end: "));
  EXPECT_TRUE(has(d.type("r 2"), "as in the given run"));
  EXPECT_TRUE(has(d.type("f"), "the end: assert in check (reorder.c:23)"));
}

TEST_F(DriveTest, APrefixIsSavedAndReplaysWithoutAFailure) {
  DriverProcess d = drive(subject("reorder_3"));
  d.type("g main");
  d.type("g 1");
  EXPECT_TRUE(has(d.type("s " + path("prefix.bin")), "up to this step"));
  Output o = replay({"--runs", "3", path("prefix.bin")});
  EXPECT_EQ(o.exit_status, 0) << o.out << o.err;
  EXPECT_TRUE(has(o.out, "3 of 3 ended without a failure")) << o.out;
  EXPECT_TRUE(has(o.out, "(3 the same run event by event)")) << o.out;
  EXPECT_TRUE(has(d.type("s /no/such/folder/x.bin"), "cannot write /no/such/folder/x.bin"));
}

TEST_F(DriveTest, ASchedulerFinishesTheRun) {
  DriverProcess d = drive(subject("reorder_3"));
  d.type("g main");
  std::string end = d.type("f pos");
  EXPECT_TRUE(has(end, "the end: ")) << end;
  EXPECT_TRUE(has(d.type("r 4"), "step 4\n"));
  EXPECT_TRUE(has(d.type("f nonsense"), "f takes a scheduler: "));
  EXPECT_TRUE(has(d.type("f systematic"), "which systematic is not"));
  EXPECT_EQ(d.step(), 4);
}

TEST_F(DriveTest, UntilStopsAtALineOrAnEvent) {
  DriverProcess d = drive(subject("reorder_3"));
  EXPECT_TRUE(has(d.type("u reorder.c:18"), "> 1  main.1  writes `b` (now 0)  set (reorder.c:18)"));
  EXPECT_TRUE(has(d.type("u 4@reads `b`"), "main.4  reads `b`"));
  EXPECT_TRUE(has(d.type("u reorder.c:999"), "no thread came to reorder.c:999"));
  EXPECT_TRUE(has(d.type("u reorder.c:18"), "the run has ended"));
}

TEST_F(DriveTest, SaysWhoHoldsWhatInADeadlock) {
  DriverProcess d = drive(subject("deadlock01"));
  d.type("g main");
  d.type("u 1@unlocks");
  std::string state = d.type("2");
  EXPECT_TRUE(has(state, "waits for mutex `b`, held by main.1 since deadlock01.c:10\n")) << state;
  std::string waits = d.type("w");
  EXPECT_TRUE(has(waits,
                  "main.2 waits for mutex `b`, held by main.1 since deadlock01.c:10, in "
                  "b_then_a (deadlock01.c:18)\n"))
      << waits;
  EXPECT_EQ(d.type("2"), "main.2 cannot go on: it waits (w says for what)\n");
  d.type("r 4");
  EXPECT_TRUE(has(d.type("u 2@locks `b`"), "main.2  locks `b`"));
  std::string end = d.type("2");
  EXPECT_TRUE(has(end, "the end: deadlock in b_then_a (deadlock01.c:19)\n")) << end;
  EXPECT_TRUE(has(end,
                  "  Thread main.2: waits for mutex `a` in b_then_a (deadlock01.c:19), held by "
                  "thread main.1 since deadlock01.c:9"))
      << end;
  EXPECT_TRUE(has(d.type("s " + path("deadlock.bin")), "with its failure"));
  EXPECT_TRUE(has(replay({"--runs", "3", path("deadlock.bin")}).out, "3 of 3 reproduced"));
}

TEST_F(DriveTest, NamesTheProgramsLineThatCalledALibrary) {
  DriverProcess d = drive((build_folder() / "test-programs/fail/cpp/notify_before_wait").string());
  EXPECT_TRUE(has(d.greeting(), "creates a thread  main (notify_before_wait.cc:12, in "))
      << d.greeting();
  std::string state = d.type("g main");
  EXPECT_TRUE(has(state, "joins main.1  main (notify_before_wait.cc:17, in std::thread::join)"))
      << state;
  EXPECT_TRUE(has(state, "starts        created in main (notify_before_wait.cc:12, in ")) << state;
  EXPECT_TRUE(has(d.type("g 1"), "the end: deadlock in operator() (notify_before_wait.cc:11)"));
  d.type("s " + path("lost.bin"));
  Output o = replay({"--runs", "3", path("lost.bin")});
  EXPECT_TRUE(has(o.out, "3 of 3 reproduced (3 the same run event by event)")) << o.out;
}

TEST_F(DriveTest, GarbageIsAnsweredInOneLine) {
  DriverProcess d = drive(subject("reorder_3"));
  for (const std::string& line :
       {std::string("hello"), std::string("9"), std::string("g 77"), std::string("main.9.9"),
        std::string("\x01\x02\xff"), std::string(10'000, 'z'), std::string("r x")}) {
    std::string answer = d.type(line);
    answer = answer.substr(std::min(answer.size(), answer.rfind('\n', answer.size() - 2) + 1));
    EXPECT_TRUE(has(answer, "no command") || has(answer, "no thread") || has(answer, "needs"))
        << answer;
    EXPECT_EQ(d.step(), 0);
  }
  EXPECT_TRUE(has(d.type("h"), "g THREAD"));
}

TEST_F(DriveTest, AKilledProgramCanBeDrivenAnew) {
  DriverProcess d = drive(subject("reorder_3"));
  lead_to_the_edge(d);
  std::string before = d.type("r 8");
  ASSERT_EQ(d.children().size(), 1u);
  kill(d.children()[0], SIGKILL);
  while (
      !d.children().empty() &&
      !has(read_file("/proc/" + std::to_string(d.children()[0]) + "/stat").value_or(""), ") Z")) {
  }
  std::string answer = d.type("4");
  EXPECT_TRUE(has(answer, "the program was killed while it stood here (signal 9")) << answer;
  EXPECT_EQ(d.step(), 8);
  EXPECT_TRUE(has(d.type("b"), "step 7\n"));
  EXPECT_EQ(d.type("r 8"), before);
  EXPECT_EQ(d.end(), 0);
}

TEST_F(DriveTest, NoProcessIsLeftAtTheEndOfTheInput) {
  DriverProcess d = drive(subject("reorder_3"));
  d.type("g main");
  std::vector<pid_t> children = d.children();
  ASSERT_EQ(children.size(), 1u);
  EXPECT_EQ(d.end(), 0);
  EXPECT_EQ(kill(children[0], 0), -1);
}

TEST_F(DriveTest, TheProgramsOutputGoesToAFile) {
  std::string file = path("output");
  DriverProcess d({tool("rff-drive"), "--output", file, "--", subject("reorder_3")});
  lead_to_the_edge(d);
  EXPECT_FALSE(has(d.type(""), "program: "));
  EXPECT_TRUE(has(read_file(file).value_or(""), "assertion"));
  d.type("b");
  EXPECT_EQ(read_file(file).value_or("?"), "");
}

TEST_F(DriveTest, CtrlCEndsACommandAndNotTheDriver) {
  drive(subject("long_loop")).type("s " + path("start.bin"));
  // The points are known from the short run; the long one takes far longer than a signal.
  DriverProcess d({tool("rff-drive"), path("start.bin"), "--", subject("long_loop"), "200000"});
  for (const char* command : {"f", "g 1", "u 1@nothing", "f random"}) {
    d.type("r 2");
    d.send(std::string(command) + "\n");
    d.read_to(std::string(command) + "\n");
    d.interrupt();
    std::string answer = d.read_to_prompt();
    EXPECT_TRUE(has(answer, "interrupted\n")) << command << answer;
  }
  EXPECT_TRUE(has(d.type("r 2"), "step 2 (as in the given run)\n"));
  EXPECT_EQ(d.end(), 0);
}

TEST_F(DriveTest, AllOutputAndInputArrive) {
  write("input", "one\ntwo\n");
  std::string file = path("output");
  DriverProcess d(
      {tool("rff-drive"), "--input", path("input"), "--output", file, "--", subject("long_loop")});
  std::string printed = read_file(file).value_or("");
  EXPECT_TRUE(printed.starts_with("read one\nread two\nline 0 of many\nline 1 of many\n"));
  EXPECT_TRUE(printed.ends_with("line 19999 of many\n"));
  EXPECT_GT(printed.size(), 200'000u);
  EXPECT_EQ(d.type("p settings"), "settings = {id = 7, share = 0.5, names = {0x0, 0x0}}\n");
  EXPECT_EQ(d.type("p settings.share"), "settings.share = 0.5\n");
  EXPECT_EQ(d.type("p settings.names[1]"), "settings.names[1] = 0x0\n");
  for (const char* wrong : {"settings.names[2]", "settings.id[0]", "settings.x", "settings.",
                            "settings[", "settings.names[1", "settings.names[-1]"}) {
    EXPECT_TRUE(has(d.type(std::string("p ") + wrong), "has no such part")) << wrong;
  }
}

// The program looks at its descriptors, environment and files, and fails at the end.
TEST_F(DriveTest, TheProgramDoesNotSeeTheDriver) {
  DriverProcess d = drive(subject("surroundings"));
  EXPECT_TRUE(has(d.type("f"), "looked at everything"));
  d.type("s " + path("end.bin"));
  Output o = replay({"--runs", "3", path("end.bin")});
  EXPECT_TRUE(has(o.out, "3 of 3 reproduced (3 the same run event by event)")) << o.out;
}

TEST_F(DriveTest, GdbShowsAllThreadsAtTheStep) {
  bool may_trace = run_command({"gdb", "-q", "-batch", "-ex", "run", "--args", "/bin/true"})
                       .out.find("exited normally") != std::string::npos;
  if (!may_trace) {
    GTEST_SKIP() << "gdb is not installed, or may not trace programs here";
  }
  DriverProcess d = drive(subject("reorder_3"));
  d.type("g main");
  std::string before = d.type("u 1@writes `b`");
  std::string shown = d.type("d");
  EXPECT_TRUE(has(shown, "Step 6 of the drive")) << shown;
  EXPECT_TRUE(has(shown, " set (unused=")) << shown;
  EXPECT_TRUE(has(shown, "\"main.1\"")) << shown;
  EXPECT_TRUE(has(shown, "in main ()")) << shown;
  EXPECT_TRUE(shown.ends_with(before)) << shown;  // back at the same step
}

TEST_F(DriveTest, WrongStartsAreRefusedInOneLine) {
  expect_refused(run_command({tool("rff-drive"), subject("reorder_3")}), "a program follows --");
  expect_refused(run_command({tool("rff-drive"), path("nothing.bin")}), "cannot read");
  expect_refused(run_command({tool("rff-drive"), "--", path("nothing")}), "nothing");
  expect_refused(run_command({tool("rff-drive"), "--input", path("nothing"), "--", "/bin/true"}),
                 "cannot read");
  expect_refused(
      run_command({tool("rff-drive"), "--output", "/no/such/x", "--", subject("reorder_3")}),
      "cannot write /no/such/x");
}

}  // namespace
}  // namespace rff::test
