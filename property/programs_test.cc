// Programs with properties as their users see them: alone, with GoogleTest, and with a runtime.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

struct Outcome {
  int status;
  std::string output;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

long count_lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

class Programs : public ::testing::Test {
 protected:
  Programs() {
    char name[] = "/tmp/rff-property-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~Programs() override { std::filesystem::remove_all(folder_); }

  // Runs a shell command in an empty folder. $P is the folder of the programs.
  Outcome run(const std::string& command) const {
    std::string all = "cd '" + folder_ + "' && P='" RFF_PROGRAMS "' && exec 2>&1 && " + command;
    FILE* pipe = ::popen(all.c_str(), "r");
    std::string output;
    char buffer[4096];
    while (std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
    int status = ::pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), output};
  }

  // With the pretended runtime. A sanitizer's library need not come first.
  Outcome run_with_runtime(const std::string& settings, const std::string& command) const {
    return run("env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$P/libfake_runtime.so " +
               settings + " $P/" + command);
  }

  std::string file(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  std::string folder_;
};

TEST_F(Programs, PropertiesThatHoldEndWithStatusZero) {
  Outcome o = run("$P/in_c --property holds");
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.output, "ok holds: 1000 runs, ")) << o.output;
  o = run("$P/in_cxx --property=SortSorts --runs=50");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.output, "ok SortSorts: 50 runs\n");
}

TEST_F(Programs, AFailureHasNameValuesAndACommandThatReplaysIt) {
  Outcome o = run("$P/in_c --property ten");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "FAILED ten: rff_check(i != 10) failed at ")) << o.output;
  EXPECT_TRUE(contains(o.output, "\n  rff_long() = 10\n")) << o.output;
  EXPECT_EQ(file("ten.input"), "\x0a");
  std::string mark = "  replay: ";
  std::string command = o.output.substr(o.output.find(mark) + mark.size());
  Outcome again = run(command);
  EXPECT_EQ(again.status, 1);
  EXPECT_TRUE(contains(again.output, "\n  rff_long() = 10\n")) << command << again.output;
}

TEST_F(Programs, OtherBytesReplayWithoutAFailure) {
  write("eleven", "\x0b");
  Outcome o = run("$P/in_c --property ten --replay eleven");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.output, "ok ten: 1 run\n");
}

TEST_F(Programs, TheSameSeedFindsTheSame) {
  Outcome a = run("$P/in_cxx --seed 5 --property NoLargeElement");
  EXPECT_EQ(a.output, run("$P/in_cxx --seed 5 --property NoLargeElement").output);
  EXPECT_TRUE(contains(a.output, "  i = 0\n  names = {}\n  numbers = {101}\n")) << a.output;
}

TEST_F(Programs, AShrunkInputFailsInTheSameWay) {
  int first_way = 0;
  for (int seed = 1; seed <= 6; seed++) {
    Outcome o = run("$P/in_c --property fails_in_two_ways --seed " + std::to_string(seed));
    bool first = contains(o.output, "rff_check(i < 30000) failed");
    EXPECT_TRUE(first || contains(o.output, "rff_check(i < 100) failed")) << o.output;
    std::string smallest = first ? "30000" : "100";
    EXPECT_TRUE(contains(o.output, "rff_int(0, 65535) = " + smallest + "\n")) << o.output;
    first_way += first ? 1 : 0;
  }
  EXPECT_TRUE(first_way > 0 && first_way < 6) << first_way;
}

TEST_F(Programs, CrashesAreReportedWithTheirValues) {
  Outcome o = run("$P/in_c --property crashes");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "FAILED crashes: crashed with signal 11") ||
              contains(o.output, "FAILED crashes: ended the process"))  // with a sanitizer
      << o.output;
  EXPECT_TRUE(contains(o.output, "\n  rff_int(0, 1000) = 301\n")) << o.output;
  EXPECT_EQ(run("$P/in_c --property crashes --replay crashes.input").status, 1);
  o = run("$P/in_c --property aborts");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "FAILED aborts: crashed with signal 6")) << o.output;
  EXPECT_TRUE(contains(o.output, "\n  rff_int(0, 1000) = 300\n")) << o.output;
}

TEST_F(Programs, AFailureThatDoesNotRepeatIsSaidAndReplayedOften) {
  Outcome o = run("$P/in_c --property remembers");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "  failed in 0 of 10 further runs")) << o.output;
  EXPECT_TRUE(contains(o.output, "--replay remembers.input --runs 1000\n")) << o.output;
  EXPECT_EQ(run("$P/in_c --property remembers --replay remembers.input").status, 0);
  EXPECT_EQ(run("$P/in_c --property remembers --replay remembers.input --runs 1000").status, 1);
}

TEST_F(Programs, ExitsAndHangsAreFailures) {
  Outcome o = run("$P/in_c --property exits");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "FAILED exits: ended the process with status 0")) << o.output;
  o = run("$P/in_c --property hangs --timeout 1");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "FAILED hangs: did not end within 1 s")) << o.output;
}

TEST_F(Programs, ExceptionsAndOtherThreadsFail) {
  Outcome o = run("$P/in_cxx --property Throws");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "FAILED Throws: exception: two numbers at ")) << o.output;
  o = run("$P/in_cxx --property OtherThreads");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "\n  n = 1000\n")) << o.output;
}

TEST_F(Programs, StructsAndNamedPropertiesPrintTheirValues) {
  EXPECT_TRUE(contains(run("$P/in_cxx --property StructsPrint").output, "  point = {x = 3, 0}\n"));
  Outcome o = run("$P/in_cxx --property 'in words'");
  EXPECT_TRUE(contains(o.output, "  argument 1 = 5\n  argument 2 = \"a\"\n")) << o.output;
  EXPECT_TRUE(contains(o.output, "'--property=in words' --replay in_words.input\n")) << o.output;
}

TEST_F(Programs, DiscardedRunsAreCountedAndTooManyAreSaid) {
  Outcome o = run("$P/in_c --property discards_all");
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.output, "ok discards_all: 1000 runs, 1000 discarded\n")) << o.output;
  EXPECT_TRUE(contains(o.output, "more than 99 % of the runs")) << o.output;
  o = run("$P/in_cxx --property Assumes");
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.output, " discarded\n")) << o.output;
  EXPECT_FALSE(contains(o.output, "99 %")) << o.output;
  write("one", "\x01");
  EXPECT_TRUE(
      contains(run("$P/in_cxx --property OtherThreads --replay one").output, "1 discarded"));
}

TEST_F(Programs, ListsAndHelp) {
  EXPECT_EQ(run("$P/own_main --list-properties").output, "own main\nsmall\n");
  EXPECT_EQ(count_lines(run("$P/in_c --list-properties").output), 11);
  Outcome o = run("$P/in_c --help");
  EXPECT_EQ(o.status, 0);
  for (const char* option :
       {"--runs", "--seed", "--property", "--replay", "--timeout", "--list-properties", "--help"}) {
    EXPECT_TRUE(contains(o.output, option)) << option;
  }
}

TEST_F(Programs, MistakesAreOneLineAndStatusTwo) {
  EXPECT_EQ(run("truncate -s 1048577 large").status, 0);
  for (const char* command :
       {"in_c --runs", "in_c --runs 0", "in_c --runs=ten", "in_c --seed -1", "in_c --timeout 1s",
        "in_c --what", "in_c word", "in_c --property none", "in_c --replay large",
        "in_c --property ten --replay nowhere", "in_c --property ten --replay large",
        "in_c --property ten --replay .", "no_property", "same_name"}) {
    Outcome o = run(std::string("$P/") + command);
    EXPECT_EQ(o.status, 2) << command;
    EXPECT_EQ(count_lines(o.output), 1) << command << "\n" << o.output;
  }
}

TEST_F(Programs, AFolderThatCannotBeWrittenIsSaid) {
  Outcome o = run("mkdir ten.input && $P/in_c --property ten");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "cannot write the input to ten.input")) << o.output;
}

TEST_F(Programs, GoogleTestRunsThemAsTests) {
  Outcome o = run("$P/with_gtest --gtest_list_tests");
  for (const char* name : {"Ordinary.\n  Passes", "Holds", "ExpectsTooMuch", "ChecksTooMuch"}) {
    EXPECT_TRUE(contains(o.output, name)) << o.output;
  }
  EXPECT_EQ(run("$P/with_gtest --gtest_filter=Ordinary.*:Property.Holds").status, 0);
  o = run("$P/with_gtest --gtest_filter=*.ExpectsTooMuch");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.output, "\n  i = 20\n")) << o.output;
  o = run("RFF_PROPERTY_REPLAY=ExpectsTooMuch.input $P/with_gtest --gtest_filter=*.ExpectsTooMuch");
  EXPECT_EQ(o.status, 1);
  o = run("RFF_PROPERTY_RUNS=x $P/with_gtest --gtest_filter=*.Holds");
  EXPECT_EQ(o.status, 1);
}

TEST_F(Programs, AnExpectationInADiscardedRunFailsNoOtherRun) {
  EXPECT_EQ(run("$P/with_gtest --gtest_filter=*.DiscardsWhatItExpected").status, 0);
}

TEST_F(Programs, TestsOfGoogleTestAreNotForgotten) {
  Outcome o = run("$P/forgotten_gtest");
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(count_lines(o.output), 1);
  EXPECT_TRUE(contains(o.output, "include rff/gtest.h")) << o.output;
  o = run("$P/own_main_of_gtest");
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.output, "OK ] Ordinary.Passes")) << o.output;
}

TEST_F(Programs, TheReplayCommandUnderGoogleTestReplays) {
  Outcome o = run("$P/with_gtest --gtest_filter=*.ChecksTooMuch");
  EXPECT_EQ(o.status, 1);
  std::string mark = "  replay: ";
  std::size_t at = o.output.find(mark) + mark.size();
  Outcome again = run(o.output.substr(at, o.output.find('\n', at) - at));
  EXPECT_EQ(again.status, 1);
  EXPECT_TRUE(contains(again.output, "\n  i = 30\n")) << again.output;
}

TEST_F(Programs, WithARuntimeRunOnePropertyOnceOnItsBytes) {
  Outcome o = run_with_runtime("FAKE_PROPERTY=ten FAKE_INPUT=0b", "in_c");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.output, "values: rff_long() = 11\n\n");
  o = run_with_runtime("FAKE_PROPERTY=none FAKE_INPUT=0b", "in_c");
  EXPECT_EQ(o.status, 2);
  EXPECT_EQ(count_lines(o.output), 1);
}

TEST_F(Programs, WithARuntimeFailuresAndDiscardedRunsAreTold) {
  for (const char* program : {"in_c", "in_c_at_fixed_place"}) {
    Outcome o = run_with_runtime("FAKE_PROPERTY=ten FAKE_INPUT=0a", program);
    EXPECT_EQ(o.status, 78) << program;
    EXPECT_TRUE(contains(o.output, "failed: ten\nmessage: rff_check(i != 10) failed\nfile: "))
        << o.output;
  }
  EXPECT_EQ(run_with_runtime("FAKE_PROPERTY=holds FAKE_INPUT=", "in_c").status, 77);
  EXPECT_EQ(run_with_runtime("FAKE_PROPERTY=Assumes FAKE_INPUT=01", "in_cxx").status, 77);
  EXPECT_EQ(run_with_runtime("FAKE_PROPERTY=OtherThreads FAKE_INPUT=01", "in_cxx").status, 77);
  EXPECT_EQ(run_with_runtime("FAKE_PROPERTY=Throws FAKE_INPUT=010100000001", "in_cxx").status, 78);
}

TEST_F(Programs, WithARuntimeValuesComeBeforeTheBody) {
  Outcome o = run_with_runtime("FAKE_PROPERTY=StructsPrint FAKE_INPUT=05", "in_cxx");
  EXPECT_EQ(o.output.rfind("values: point = {x = 5, 0}\nunused = {}\n", 0), 0u) << o.output;
}

TEST_F(Programs, WithARuntimeDecisionsAreItsOwn) {
  Outcome o = run_with_runtime("FAKE_PROPERTY=decides FAKE_INPUT=", "in_c");
  EXPECT_EQ(o.status, 78);
  EXPECT_TRUE(contains(o.output, "turn: turn\n")) << o.output;
}

// The output is not shown: ctest would take a line with SKIPPED in it for a skipped test.
TEST_F(Programs, WithARuntimeGoogleTestProgramsRunTheProperty) {
  Outcome o = run_with_runtime("FAKE_PROPERTY=ExpectsTooMuch FAKE_INPUT=14", "with_gtest");
  EXPECT_EQ(o.status, 78);
  o = run_with_runtime("FAKE_PROPERTY=ExpectsTooMuch FAKE_INPUT=13", "with_gtest");
  EXPECT_EQ(o.status, 0);
  EXPECT_FALSE(contains(o.output, "Ordinary"));
}

TEST_F(Programs, VerdictsAreTheSameAloneUnderGoogleTestAndWithARuntime) {
  for (int byte : {0, 29, 30, 255}) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", byte);
    write("input", std::string(1, static_cast<char>(byte)));
    bool fails = byte >= 30;
    EXPECT_EQ(run("$P/without_gtest --replay input").status, fails ? 1 : 0) << byte;
    EXPECT_EQ(run("RFF_PROPERTY_REPLAY=input $P/with_gtest --gtest_filter=*.ChecksTooMuch").status,
              fails ? 1 : 0)
        << byte;
    std::string input = std::string("FAKE_INPUT=") + hex;
    EXPECT_EQ(run_with_runtime(input, "without_gtest").status, fails ? 78 : 0) << byte;
  }
}

TEST_F(Programs, ARuntimeWithoutAnInputChangesNothing) {
  Outcome o = run_with_runtime("A=B", "in_c --property holds");
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.output, "ok holds: 1000 runs, ")) << o.output;
}

}  // namespace
