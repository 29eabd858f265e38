// Tests fuzzed inputs from the command line to the replayed finding.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "fuzzer/common/files.h"
#include "schedule/schedule_file.h"
#include "tests/fuzzer/command.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

class InputsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v afl-fuzz >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "afl-fuzz is not on PATH";
    char name[] = "/tmp/rff-inputs-XXXXXX";
    folder_ = ::mkdtemp(name);
    fs::create_directory(folder_ + "/first");
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome fuzz(std::vector<std::string> options, const std::string& program,
               std::vector<std::string> arguments = {}) {
    std::vector<std::string> c = {RFF_BIN "/rff-fuzz", "-o",     folder_ + "/out",
                                  "--quiet",           "--seed", "1"};
    c.insert(c.end(), options.begin(), options.end());
    c.insert(c.end(), {"--", program.starts_with("/") ? program : RFF_SUBJECTS "/" + program});
    c.insert(c.end(), arguments.begin(), arguments.end());
    return test::start(c).wait(240);
  }
  Outcome replay(std::vector<std::string> options) {
    options.insert(options.begin(), RFF_BIN "/rff-replay");
    return test::start(options).wait(120);
  }
  void expect_refused(std::vector<std::string> options, const std::string& message,
                      std::vector<std::string> arguments = {}) {
    Outcome o = fuzz(std::move(options), "mx", std::move(arguments));
    EXPECT_EQ(o.status, 2) << o.out;
    EXPECT_EQ(o.err, "rff-fuzz: " + message + "\n");
  }
  std::string first_finding() {
    for (const auto& entry : fs::directory_iterator(folder_ + "/out/findings")) {
      return entry.path().string();
    }
    return "";
  }
  // Returns the lines that runs of a program append to a file: input and final state.
  std::set<std::string> states_of(const std::string& program) {
    ::setenv("STATES_FILE", (folder_ + "/states").c_str(), 1);
    Outcome o = fuzz({"-n", "6000"}, RFF_PROGRAMS "/" + program);
    ::unsetenv("STATES_FILE");
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    std::set<std::string> reached;
    std::istringstream lines(read_file(folder_ + "/states").value_or(""));
    for (std::string line; std::getline(lines, line);) {
      reached.insert(line);
    }
    return reached;
  }
  nlohmann::json stats() {
    return nlohmann::json::parse(read_file(folder_ + "/out/stats.json").value_or("{}"), nullptr,
                                 false);
  }

  std::string folder_;
};

struct Way {
  const char* name;
  std::vector<std::string> options, arguments;
};

// The value is in the first input; what is tested is that it arrives.
TEST_F(InputsTest, TheInputArrivesByEveryWayAndTheFileAloneReplaysIt) {
  for (const Way& way :
       std::initializer_list<Way>{{"standard input", {}, {}},
                                  {"file", {}, {"file", "@@"}},
                                  {"argument", {"--input-as", "argument"}, {"text", "@@"}},
                                  {"variable", {"--input-as", "env:INPUT"}, {}}}) {
    SCOPED_TRACE(way.name);
    fs::create_directories(folder_ + "/first");
    ASSERT_EQ(write_file(folder_ + "/first/ten", "10"), 0);
    std::vector<std::string> options = {"--force", "--inputs", folder_ + "/first",
                                        "-n",      "500",      "--until-bug"};
    options.insert(options.end(), way.options.begin(), way.options.end());
    Outcome o = fuzz(options, "mx", way.arguments);
    ASSERT_EQ(o.status, 1) << o.out << o.err;
    EXPECT_EQ(stats()["input_as"], way.name);
    EXPECT_EQ(stats()["unstable"], 0);
    fs::remove_all(folder_ + "/first");
    std::string file = folder_ + "/copied.bin";
    fs::copy_file(first_finding() + "/schedule.bin", file, fs::copy_options::overwrite_existing);
    for (const char* carrier : {"fiber", "thread"}) {
      Outcome again = replay({"--runs", "5", "--carrier", carrier, file});
      EXPECT_EQ(again.out, "5 of 5 reproduced (5 the same run event by event)\n") << again.err;
    }
  }
}

TEST_F(InputsTest, AnInputIsTakenOutAndReplaced) {
  ASSERT_EQ(write_file(folder_ + "/first/ten", "10"), 0);
  ASSERT_EQ(
      fuzz({"--inputs", folder_ + "/first", "-n", "500", "--until-bug", "--minimize", "0"}, "mx")
          .status,
      1);
  std::string file = first_finding() + "/schedule.bin";
  Outcome o = replay({"--extract-input", folder_ + "/taken", file});
  EXPECT_EQ(o.status, 0) << o.err;
  std::string taken = read_file(folder_ + "/taken").value_or("");
  EXPECT_EQ(taken, decode_schedule(read_file(file).value_or("")).schedule->input.bytes);
  EXPECT_EQ(taken, read_file(first_finding() + "/input").value_or("?"));
  ASSERT_EQ(write_file(folder_ + "/eleven", "11"), 0);
  o = replay({"--with-input", folder_ + "/eleven", file});
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_NE(o.out.find("Input: 2 bytes (standard input): \"11\""), std::string::npos) << o.out;
  o = replay({"--show", "--json", file});
  EXPECT_EQ(nlohmann::json::parse(o.out)["input"]["as"], "standard input");
  o = replay({"--with-input", folder_ + "/nothing", file});
  EXPECT_EQ(o.status, 2);
}

TEST_F(InputsTest, InputAndScheduleBecomeSmall) {
  ASSERT_EQ(write_file(folder_ + "/first/ten", "   +++ 10 and then some"), 0);
  ASSERT_EQ(fuzz({"--inputs", folder_ + "/first", "-n", "500", "--until-bug"}, "mx").status, 1);
  DecodeResult r = decode_schedule(read_file(first_finding() + "/minimized.bin").value_or(""));
  ASSERT_TRUE(r.schedule) << r.error;
  EXPECT_EQ(r.schedule->input.bytes, "10");
}

// The values are in the first input, a folder; what is tested is that each part arrives.
TEST_F(InputsTest, AnInputHasSeveralParts) {
  std::string program = RFF_PROGRAMS "/two_parts";
  for (const Way& way : std::initializer_list<Way>{
           {"file", {}, {"file", "@@1", "@@2"}},
           {"argument", {"--input-as", "argument"}, {"text", "@@1", "@@2"}}}) {
    SCOPED_TRACE(way.name);
    fs::create_directories(folder_ + "/first/both");
    ASSERT_EQ(write_file(folder_ + "/first/both/1", "700"), 0);
    ASSERT_EQ(write_file(folder_ + "/first/both/2", "11"), 0);
    std::vector<std::string> options = {"--force", "--inputs", folder_ + "/first",
                                        "-n",      "500",      "--until-bug"};
    options.insert(options.end(), way.options.begin(), way.options.end());
    Outcome o = fuzz(options, program, way.arguments);
    ASSERT_EQ(o.status, 1) << o.out << o.err;
    EXPECT_EQ(stats()["unstable"], 0);
    fs::remove_all(folder_ + "/first");
    std::string file = folder_ + "/copied.bin";
    fs::copy_file(first_finding() + "/minimized.bin", file, fs::copy_options::overwrite_existing);
    Outcome again = replay({"--runs", "5", file});
    EXPECT_EQ(again.out, "5 of 5 reproduced (5 the same run event by event)\n") << again.err;
    o = replay({"--extract-input", folder_ + "/taken", file});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(read_file(folder_ + "/taken.1").value_or(""), "700");
    EXPECT_EQ(read_file(folder_ + "/taken.2").value_or(""), "11");
    o = replay({"--show", file});
    EXPECT_NE(o.out.find("3 bytes (" + std::string(way.name) + " @@1): \"700\"; 2 bytes (" +
                         way.name + " @@2): \"11\""),
              std::string::npos)
        << o.out;
    o = replay({"--with-input", folder_ + "/taken", file});
    EXPECT_EQ(o.status, 1) << o.out << o.err;
    ASSERT_EQ(write_file(folder_ + "/other", std::string("701\0\00011", 7)), 0);
    EXPECT_EQ(replay({"--with-input", folder_ + "/other", file}).status, 0);
  }
}

TEST_F(InputsTest, ARegressionFileCarriesTheInput) {
  ASSERT_EQ(write_file(folder_ + "/first/ten", "10"), 0);
  ASSERT_EQ(fuzz({"--inputs", folder_ + "/first", "-n", "500", "--until-bug"}, "mx").status, 1);
  fs::remove_all(folder_ + "/first");
  fs::create_directories(folder_ + "/kept");
  std::string kept = folder_ + "/kept/mx.bin";
  Outcome o = replay({"--quick", "--export", kept, first_finding() + "/minimized.bin"});
  ASSERT_TRUE(fs::exists(kept)) << o.out << o.err;
  std::string patched = folder_ + "/out/patched/mx.patched";
  o = replay({"--regression", folder_ + "/kept", "--", patched});
  EXPECT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_NE(o.out.find("mx.bin: FAILED"), std::string::npos) << o.out;
  // What fails is the input: another one passes.
  std::string text = read_file(kept).value_or("");
  ASSERT_NE(text.find("bytes\t3130\n"), std::string::npos) << text;
  ASSERT_EQ(write_file(kept, text.replace(text.find("bytes\t3130"), 10, "bytes\t3131")), 0);
  o = replay({"--regression", folder_ + "/kept", "--", patched});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
}

TEST_F(InputsTest, PartsOfAnInputAreNumberedFromOne) {
  expect_refused({"--inputs", "none"},
                 "the arguments contain @@3 and no @@2: number the parts of the input from 1",
                 {"@@1", "@@3"});
  expect_refused({"--inputs", "none"},
                 "the arguments contain @@ and @@1: the input is one text, @@, or has numbered "
                 "parts",
                 {"@@1", "@@"});
  for (const char* number : {"0", "10"}) {
    expect_refused({"--inputs", "none"},
                   "@@" + std::string(number) + ": the parts of an input are @@1 to @@9",
                   {"@@" + std::string(number)});
  }
  expect_refused({"--inputs", "none", "--input-as", "env:INPUT"},
                 "the input is both @@ and a variable: give one of them", {"@@1"});
}

TEST_F(InputsTest, BadUsageIsNamed) {
  expect_refused(
      {"--inputs", "/nonexistent"},
      "--inputs /nonexistent: no such folder (--inputs none begins with an empty input)");
  expect_refused({},
                 "an argument contains @@, which stands for a fuzzed input: give --inputs DIR, or "
                 "name the file itself",
                 {"@@"});
  expect_refused({"--inputs", "none", "--input-as", "argument"},
                 "--input-as argument: no argument of the program is @@, where it would go");
  expect_refused({"--inputs", "none", "--input-as", "env:INPUT"},
                 "the input is both @@ and a variable: give one of them", {"@@"});
  expect_refused({"--inputs", "none", "--property", "p"},
                 "--property p: " RFF_SUBJECTS "/mx has no properties (rff/property.h)");
  expect_refused({"-x", "words"}, "-x and --input-as go with --inputs only");
  ASSERT_EQ(write_file(folder_ + "/words", "ok=\"a\"\nword"), 0);
  expect_refused({"--inputs", "none", "-x", folder_ + "/words"},
                 "-x " + folder_ + "/words: line 2: a line is name=\"word\" or \"word\"");
  ASSERT_EQ(write_file(folder_ + "/first/long", "12345"), 0);
  expect_refused({"--inputs", folder_ + "/first", "--max-input", "4"},
                 "the input " + folder_ +
                     "/first/long has 5 bytes: make it smaller, or allow more with --max-input");
  expect_refused({"--inputs", "none", "--scheduler", "systematic"},
                 "the systematic search explores the schedules of one input: leave --inputs out "
                 "and give the program that input");
}

// Two draws below four, three callbacks in any order.
TEST_F(InputsTest, AllPairsOfInputAndOrderOfCallbacksAreReached) {
  std::set<std::string> possible;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      std::vector<int> order = {0, 1, 2};
      do {
        int x = a;
        for (int which : order) {
          x = which == 0 ? x + b : which == 1 ? x * 2 : x - 1;
        }
        possible.insert(std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(x));
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
  EXPECT_EQ(states_of("all_pairs"), possible);
}

// One draw below four, store buffering: x = value; read y | y = 1; read x.
TEST_F(InputsTest, AllPairsOfInputAndInterleavingAreReached) {
  std::set<std::string> possible;
  for (int value = 0; value < 4; ++value) {
    std::vector<int> order = {0, 0, 1, 1};  // whose step is next
    do {
      int x = 0, y = 0, read_y = 0, read_x = 0, done[2] = {0, 0};
      for (int thread : order) {
        bool writes = done[thread]++ == 0;
        (thread == 0 ? (writes ? x : read_y) : (writes ? y : read_x)) =
            thread == 0 ? (writes ? value : y) : (writes ? 1 : x);
      }
      possible.insert(std::to_string(value) + " " + std::to_string(read_y) + " " +
                      std::to_string(read_x));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_EQ(states_of("litmus_pairs"), possible);
}

TEST_F(InputsTest, APropertyIsFoundByItselfAndItsValuesAreSaid) {
  Outcome o = fuzz({"--list-properties"}, RFF_PROGRAMS "/small_properties");
  EXPECT_EQ(o.out, "lost_update\ndiscards\n");
  o = fuzz({"--property", "lost_update", "-n", "2000", "--until-bug"},
           RFF_PROGRAMS "/small_properties");
  ASSERT_EQ(o.status, 1) << o.out << o.err;
  EXPECT_EQ(read_file(first_finding() + "/input.txt").value_or("").rfind("rff_int(1, 3) = ", 0),
            0u);
  o = replay({"--runs", "5", first_finding() + "/minimized.bin"});
  EXPECT_EQ(o.out, "5 of 5 reproduced (5 the same run event by event)\n") << o.err;
  o = fuzz({"--property", "discards", "-n", "300", "--force"}, RFF_PROGRAMS "/small_properties");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_GT(stats()["discarded"], 100);
}

}  // namespace
}  // namespace rff
