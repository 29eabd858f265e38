// Tests the explanation of a failure by rff-replay: sentence, lines, variables, what was needed.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "fuzzer/common/files.h"
#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

namespace fs = std::filesystem;

class ExplainTest : public ReplayTest {
 protected:
  void expect_has(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
    }
  }
};

TEST_F(ExplainTest, AnAssertionIsExplainedByTheValuesThatWereRead) {
  Output o = replay({finding("subjects/circular_buffer")});
  EXPECT_EQ(o.exit_status, 1);
  expect_has(
      o.out,
      {"fails the assertion `slot[received % SIZE] == expected` in receive (circular_buffer.c:",
       "`slot[0]` = 0 (its initial value: thread main.1 is only about to write it at "
       "circular_buffer.c:",
       "reads `sent` = 1", "<- from main.1, circular_buffer.c:",  //
       "* main.2  reads `slot[0]` = 0",                           //
       "failed here\n    #0  receive ",                           //
       "> assert(slot[received % SIZE] == expected);",            //
       "could go on: next it writes `slot[0]` at circular_buffer.c:"});
}

TEST_F(ExplainTest, AllThatOneInstructionWritesIsItsOwn) {
  Output o = replay({"--quick", "--trace", finding("test-programs/fail/memory/masked_store")});
  expect_has(o.out, {"writes `bytes[1]` = 7", "writes `bytes[15]` = 7", "reads `bytes[1]` = 7",
                     "reads `bytes[15]` = 7"});
  EXPECT_EQ(o.out.find("unpatched code"), std::string::npos) << o.out;
}

TEST_F(ExplainTest, ADeadlockIsExplainedByItsCycle) {
  Output o = replay({finding("subjects/deadlock01")});
  expect_has(o.out, {"Deadlock: threads main.1 and main.2 wait for each other; all other",
                     "Thread main.1 waits for mutex `b` in a_then_b (deadlock01.c:",
                     "held by thread main.2 since deadlock01.c:",
                     "Thread main.2 waits for mutex `a` in b_then_a", "* ---- switch to main.",
                     " could have gone on)"});
}

TEST_F(ExplainTest, ADeadlockListsOnlyLiveThreadsAndNoFailedOne) {
  Output o = replay({finding("test-programs/fail/barrier/one_stays_away")});
  expect_has(o.out,
             {"has come to barrier `barrier` (one_stays_away.c:9), which waits for more",
              "\n  ! deadlock\n", "waits for the other threads at barrier `barrier` in run (",
              "1 other thread had ended."});
  EXPECT_EQ(o.out.find("was running"), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("signals"), std::string::npos) << o.out;
}

TEST_F(ExplainTest, ASemaphoreThatIsMissedWasTakenBySomebody) {
  Output o = replay({"--quick", finding("test-programs/fail/semaphore/crossed")});
  expect_has(o.out, {"Thread main.1 waits for semaphore `b` to be posted in ab (crossed.c:10); "
                     "nobody ever posted it, and thread main.2 took from it last, at crossed.c:17.",
                     "Thread main.2 waits for semaphore `a` to be posted in ba (crossed.c:18); "});
}

TEST_F(ExplainTest, AllReadersOfALockThatIsWantedForWritingAreNamed) {
  Output o = replay({"--quick", finding("test-programs/fail/rwlock/both_upgrade")});
  expect_has(o.out, {" waits for read-write lock `lock`, to write, in upgrade (both_upgrade.c:12), "
                     "held for reading by ",
                     "itself since both_upgrade.c:9", " and "});
}

TEST_F(ExplainTest, AFileLockHasTheNameOfItsFile) {
  Output o = replay({"--quick", finding("test-programs/fail/files/opposite_order")});
  expect_has(o.out,
             {" waits for file lock `/tmp/rff-table-", " waits for file lock `/tmp/rff-journal-",
              "` in locked (opposite_order.c:14), held by thread main.",
              " since opposite_order.c:14", "locks `/tmp/rff-table-"});
}

TEST_F(ExplainTest, BytesOfSeveralSendersNameThemAll) {
  Output o =
      replay({"--quick", "--trace", finding("test-programs/fail/descriptors/halves_of_two")});
  std::regex both(
      "receives from descriptor 1 made in main \\(halves_of_two.c:26\\)[^\n]*"
      "<- from main.[12], halves_of_two.c:12 and from main.[12], halves_of_two.c:12\n");
  EXPECT_TRUE(std::regex_search(o.out, both)) << o.out;
}

TEST_F(ExplainTest, LocalVariablesOfMainHaveNamesAndLibrariesAreNotShownAtLength) {
  Output o = replay({"--quick", finding("test-programs/fail/cpp/shared_mutex_upgrade")});
  expect_has(o.out,
             {"Thread main.1 waits for mutex `main::other` in operator() "
              "(shared_mutex_upgrade.cc:12, in std::lock_guard",
              "waits for read-write lock `main::mutex`, to write, in ", " frames of libraries\n"});
  EXPECT_EQ(o.out.find("__invoke"), std::string::npos) << o.out;
}

TEST_F(ExplainTest, ALostSignalIsNamed) {
  Output o = replay({"--quick", finding("subjects/buffer_if")});
  expect_has(o.out,
             {"signal on `changed`", "waits for condition variable `changed` to be signalled in"});
}

TEST_F(ExplainTest, ACrashIsExplainedByThePointer) {
  Output o = replay({"--quick", finding("subjects/cve_2016_9806")});
  expect_has(o.out, {"gets SIGSEGV",
                     "The pointer came from `dump.release`, read at cve_2016_9806.c:", "as null",
                     "#0  continue_dump"});
}

TEST_F(ExplainTest, ABlockThatIsUsedAfterItWasFreedIsNamed) {
  Output o = replay({"--quick", finding("test-programs/fail/malloc/used_after_free")});
  expect_has(o.out, {"gets SIGSEGV in use (used_after_free.c:",
                     "The pointer came from the heap block from main (used_after_free.c:",
                     ", read at used_after_free.c:13 as null"});
}

TEST_F(ExplainTest, ABlockThatIsFreedTwiceIsNamed) {
  Output o = replay({"--quick", finding("test-programs/fail/malloc/freed_twice")});
  expect_has(o.out, {"gets SIGABRT (",
                     "The heap block from main (freed_twice.c:", "was freed twice, by thread main.",
                     " at freed_twice.c:9 and by thread main."});
}

// The error is detected when the second thread ends, in code that differs between carriers.
TEST_F(ExplainTest, ABlockThatIsFreedTwiceIsTheSameRunOnFibersAndOnKernelThreads) {
  std::string schedule = finding("test-programs/fail/malloc/freed_twice");
  for (const char* carrier : {"fiber", "thread"}) {
    Output o = replay({"--carrier", carrier, "--runs", "2", schedule});
    EXPECT_EQ(o.out, "2 of 2 reproduced (2 the same run event by event)\n") << carrier;
  }
}

TEST_F(ExplainTest, AStackThatOverflowedIsShownWithoutItsRepetitions) {
  Output o = replay({"--quick", finding("test-programs/fail/threads/stack_overflow")});
  expect_has(o.out,
             {"gets SIGSEGV (stack overflow) in ", "failed here\n    #0  ", "    #1  ", "again, "});
  EXPECT_LT(std::count(o.out.begin(), o.out.end(), '\n'), 100) << o.out;
}

TEST_F(ExplainTest, AnUncaughtExceptionIsNamed) {
  Output o = replay({"--quick", finding("test-programs/fail/cpp/uncaught")});
  expect_has(o.out, {" does not catch ", " in ", "failed here\n    #0  "});
}

TEST_F(ExplainTest, AHangSaysWhatIsReadAgainAndAgain) {
  Output o = replay({"--quick", finding("test-programs/fail/spin-loops/flag_never_set")});
  expect_has(o.out, {"Hang: ", " repeats read of `", ", where it sees 0 ("});
  // The number of repetitions and the threads that ran in between do not matter.
  o = replay({"--quick", finding("test-programs/fail/spin-loops/each_waits_for_the_other")});
  expect_has(o.out, {"= 1   each_waits_for_the_other.c:9   <- from main.", "    ... this ",
                     " more times\n", "  ! hang\n"});
  EXPECT_LT(std::count(o.out.begin(), o.out.end(), '\n'), 40) << o.out;
}

TEST_F(ExplainTest, SaysWhatWasNotTested) {
  std::string schedule = finding("subjects/circular_buffer");
  Output o = replay({"--max-runs", "3", schedule});
  expect_has(o.out, {"Not tested, so neither needed nor not: ",
                     " pairs and switches (3 runs used up; more: --max-runs)"});
  auto j = nlohmann::json::parse(replay({"--json", "--max-runs", "3", schedule}).out);
  EXPECT_EQ(j["experiments"]["runs"], 3);
  EXPECT_EQ(j["experiments"]["ended"], "no run left");
  EXPECT_GT(j["experiments"]["untested"], 0);
}

TEST_F(ExplainTest, WorksWithoutDebugInformation) {
  fs::path stripped = path("account");
  ASSERT_EQ(run_command({RFF_STRIP, "-o", stripped.string(),
                         (build_folder() / "subjects/account").string()})
                .exit_status,
            0);
  Output o = replay({"--quick", finding(stripped.string())});
  EXPECT_EQ(o.exit_status, 1) << o.err;
  expect_has(o.out, {"fails the assertion `balance == ", "in account+0x"});
}

TEST_F(ExplainTest, TheTraceHasEveryEvent) {
  Output o = replay({"--trace", "--quick", finding("subjects/deadlock01")});
  expect_has(o.out, {"main    creates a thread", "main.1  locks `a`", "main.2  starts"});
}

TEST_F(ExplainTest, JsonHasTheSameFacts) {
  Output o = replay({"--json", "--trace", "--quick", finding("subjects/deadlock01")});
  EXPECT_EQ(o.exit_status, 1);
  auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["verdict"], "reproduced");
  EXPECT_EQ(j["identical"], true);
  EXPECT_EQ(j["finding"]["kind"], "deadlock");
  EXPECT_EQ(j["finding"]["cycle"], nlohmann::json({"main.1", "main.2"}));
  EXPECT_EQ(j["threads"].size(), 3u);
  EXPECT_EQ(j["trace"].size(), j["run"]["events"]);
  for (const auto& thread : j["threads"]) {
    EXPECT_FALSE(thread["stack"].empty()) << thread;
  }
}

// Collects every name that an object has, at any depth.
void collect_fields(const nlohmann::json& j, std::set<std::string>& names) {
  for (const auto& [name, value] : j.items()) {
    if (j.is_object()) {
      names.insert(name);
    }
    if (value.is_structured()) {
      collect_fields(value, names);
    }
  }
}

TEST_F(ExplainTest, EveryFieldOfTheJsonIsDocumented) {
  std::string documentation = *read_file(RFF_JSON_FIELDS);
  std::set<std::string> names;
  auto deadlock = nlohmann::json::parse(replay({"--json", finding("subjects/deadlock01")}).out);
  collect_fields(deadlock, names);
  collect_fields(
      nlohmann::json::parse(replay({"--json", "--trace", finding("subjects/circular_buffer")}).out),
      names);
  for (const std::string& name : names) {
    EXPECT_NE(documentation.find("`" + name + "`"), std::string::npos) << name;
  }
  for (const char* name : {"reads_from", "switch", "need", "cycle", "stack", "experiments"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  for (const auto& thread : deadlock["threads"]) {
    if (thread["name"] == "main.1") {
      EXPECT_EQ(thread["waits_for"]["object"], "`b`") << thread;
      EXPECT_EQ(thread["waits_for"]["held_by"], "main.2") << thread;
      EXPECT_EQ(thread["waits_for"]["held_since"]["function"], "b_then_a") << thread;
    }
  }
}

TEST_F(ExplainTest, ThePageIsSelfContained) {
  replay({"--quick", "--html", path("page.html"), finding("subjects/circular_buffer")});
  std::string page = read_file(path("page.html")).value_or("");
  expect_has(page, {"<!DOCTYPE html>", "\"kind\":\"assert\"", "writes `sent` = 1"});
  EXPECT_EQ(page.find("@DATA@"), std::string::npos);
  for (const char* outside : {"src=", "href=", "@import", "url(http", "fetch("}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST_F(ExplainTest, ThePageOfALongRunHasItsEndAndSaysSo) {
  replay({"--quick", "--html", path("page.html"), finding("test-programs/fail/memory/long_run")});
  std::string page = read_file(path("page.html")).value_or("");
  EXPECT_LT(page.size(), 5'000'000u);
  constexpr std::string_view kLeftOut = "\"left_out\":";
  auto at = page.find(kLeftOut);
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(std::atoi(page.c_str() + at + kLeftOut.size()), 10'000);
}

TEST_F(ExplainTest, ThePageShowsItselfInABrowser) {
  if (run_command({"chromium", "--version"}).exit_status != 0) {
    GTEST_SKIP() << "no chromium here";
  }
  // Returns what the script drew.
  auto drawn = [&](const std::string& schedule, const std::string& link = "") {
    replay({"--quick", "--html", path("page.html"), schedule});
    Output o = run_command({"chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
                            "--window-size=1300,700", "--user-data-dir=" + path("profile"),
                            "--screenshot=" + path("page.png"), "--virtual-time-budget=2000",
                            "--dump-dom", "file://" + path("page.html") + link});
    EXPECT_EQ(o.exit_status, 0) << o.err;
    EXPECT_GT(fs::file_size(path("page.png")), 10'000u);
    return o.out;
  };
  // The page has columns, events, the failing point and blocked stretches.
  std::string deadlock = drawn(finding("subjects/deadlock01"));
  expect_has(deadlock,
             {"class=\"row fail\"", "title=\"main.1 is blocked\"", "title=\"main.2 is blocked\"",
              "class=\"row sync", "class=\"failed\" title=\"main.2\"", ">main.2</div>"});
  // A link shows its event with its source, and the page says how to replay it.
  std::string unlinked = drawn(finding("subjects/account"));
  std::smatch step;
  ASSERT_TRUE(std::regex_search(unlinked, step, std::regex("class=\"step\"[^>]*>(\\d+)<")));
  std::string event = "<h2>Event " + step.str(1) + ", thread main";
  EXPECT_EQ(unlinked.find(event), std::string::npos) << "the failing event is shown";
  std::string linked = drawn(finding("subjects/account"), "#step=" + step.str(1));
  expect_has(linked, {event, " picked\"", "<dt>replay</dt><dd>rff-replay /", "class=\"here\""});
  replay({"--minimize", "-o", path("small.bin"), finding("subjects/twostage_20")});
  std::string many = drawn(path("small.bin"));
  expect_has(many, {"of them shown: the others have no part in it", "class=\"row fail\"",
                    "marker-end=\"url(#head)\"", "class=\"row read", "class=\"row more\""});
  EXPECT_EQ(many.find(">main</div>"), std::string::npos) << "a column for a thread without a part";
}

}  // namespace
}  // namespace rff::test
