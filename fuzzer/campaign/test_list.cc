#include "fuzzer/campaign/test_list.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "command_line/command_line.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/child_process.h"
#include "fuzzer/run/interrupts.h"

namespace rff {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kTimeToList{30};
constexpr std::size_t kLongestList = std::size_t{64} << 20;  // bytes

bool is_disabled(const std::string& name) {
  return name.starts_with("DISABLED_") || name.find("/DISABLED_") != std::string::npos ||
         name.find(".DISABLED_") != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

// Runs the program to ask for its tests.
class Lister {
 public:
  Lister(std::string program, std::vector<std::string> arguments)
      : program_(std::move(program)), arguments_(std::move(arguments)) {}

  // Returns standard output. Throws ToolError (2) if the program does not end in time.
  std::string ask(const std::vector<std::string>& words) {
    std::string file = folder_ / "list";
    int output = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0) {
      throw tool_failed("cannot write " + file + ": " + std::strerror(errno));
    }
    ChildProcess::Command command;
    command.arguments = {program_};
    command.arguments.insert(command.arguments.end(), arguments_.begin(), arguments_.end());
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.output = output;
    ChildProcess child(command);
    ::close(output);
    if (!child.running()) {
      throw bad_usage(program_ + " cannot be started: " + std::strerror(child.error()));
    }
    auto deadline = std::chrono::steady_clock::now() + kTimeToList;
    while (!child.ended()) {
      if (std::chrono::steady_clock::now() > deadline || interrupted()) {
        child.kill_group();
        throw bad_usage(program_ + " " + words[0] + " did not end within " +
                        std::to_string(kTimeToList.count()) +
                        " s: is it a program of this test framework?");
      }
      std::error_code error;
      if (std::filesystem::file_size(file, error) > kLongestList && !error) {
        child.kill_group();
        throw bad_usage(program_ + " " + words[0] +
                        " prints without end: is it a program of this test framework?");
      }
      ::usleep(1000);
    }
    how_it_ended_ = child.status() == 0 ? "" : wait_status_words(child.status());
    return read_file(file).value_or("");
  }

  std::string file(const std::string& name) { return folder_ / name; }
  const std::string& how_it_ended() const { return how_it_ended_; }

 private:
  std::string program_;
  std::vector<std::string> arguments_;
  TemporaryFolder folder_;
  std::string how_it_ended_;
};

// Catch2 gives these a meaning in the name of a test.
std::string catch2_name(const std::string& name) {
  std::string result;
  for (char c : name) {
    bool special = std::string_view(",[]*\\\"~").find(c) != std::string_view::npos;
    result += (special ? "\\" : "") + std::string(1, c);
  }
  return result;
}

std::vector<ListedTest> ask(Lister& lister, const std::string& framework) {
  if (framework == "gtest") {
    std::string file = lister.file("tests.json");
    lister.ask({"--gtest_list_tests", "--gtest_output=json:" + file});
    return gtest_tests(read_file(file).value_or(""));
  }
  if (framework == "libtest") {
    std::string all = lister.ask({"--list", "--format", "terse"});
    std::string ended = lister.how_it_ended();
    return ended.empty()
               ? libtest_tests(all, lister.ask({"--list", "--format", "terse", "--ignored"}))
               : std::vector<ListedTest>{};
  }
  // Version 3 does not know the first way, and version 2 not the second.
  std::string lines = lister.ask({"--list-test-names-only"});
  if (lines.find("Error") != std::string::npos || lines.empty()) {
    lines = lister.ask({"--list-tests", "--verbosity", "quiet"});
  }
  return catch2_tests(lines);
}

}  // namespace

bool fits(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

std::string framework_of(const std::string& bytes) {
  auto has = [&](const char* text) { return bytes.find(text) != std::string::npos; };
  // A program may have the framework inside, or only names of its shared library.
  if (has("_ZN5Catch") || has("list-test-names-only")) {
    return "catch2";
  }
  if (has("gtest_list_tests") || has("_ZN7testing8internal")) {
    return "gtest";
  }
  return has("--test-threads") || has("RUST_TEST_THREADS") ? "libtest" : "";
}

std::vector<ListedTest> gtest_tests(const std::string& text) {
  std::vector<ListedTest> tests;
  try {
    Json list = Json::parse(text);
    for (const Json& suite : list.at("testsuites")) {
      for (const Json& test : suite.at("testsuite")) {
        std::string name =
            suite.at("name").get<std::string>() + "." + test.at("name").get<std::string>();
        tests.push_back({name, {"--gtest_filter=" + name}, is_disabled(name)});
      }
    }
  } catch (const Json::exception&) {
    return {};  // the program was no test program, or died
  }
  return tests;
}

std::vector<ListedTest> catch2_tests(const std::string& text) {
  std::vector<ListedTest> tests;
  for (std::string line : lines_of(text)) {
    // Some versions quote names that begin with '#'.
    if (line.size() > 2 && line.front() == '"' && line.back() == '"') {
      line = line.substr(1, line.size() - 2);
    }
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.empty()) {
      tests.push_back({line, {catch2_name(line)}, false});
    }
  }
  return tests;
}

std::vector<ListedTest> libtest_tests(const std::string& all, const std::string& ignored) {
  constexpr std::string_view kTest = ": test";
  auto names = [&](const std::string& text) {
    std::vector<std::string> result;
    for (const std::string& line : lines_of(text)) {
      if (line.ends_with(kTest)) {
        result.push_back(line.substr(0, line.size() - kTest.size()));
      }
    }
    return result;
  };
  std::vector<std::string> left_out = names(ignored);
  std::set<std::string> not_run(left_out.begin(), left_out.end());
  std::vector<ListedTest> tests;
  for (const std::string& name : names(all)) {
    tests.push_back({name, {"--exact", name, "--test-threads=1"}, not_run.contains(name)});
  }
  return tests;
}

std::vector<ListedTest> list_tests(const std::string& program,
                                   const std::vector<std::string>& arguments,
                                   const std::string& framework) {
  std::string chosen = framework;
  std::string name = std::filesystem::path(program).filename().string();
  if (framework == "auto") {
    chosen = framework_of(read_file(program).value_or(""));
    if (chosen.empty()) {
      throw bad_usage("--tests auto: " + shown(name) +
                      " has no test framework that is known: name it (gtest, catch2 or libtest), "
                      "or leave --tests out");
    }
  }
  Lister lister(program, arguments);
  std::vector<ListedTest> tests = ask(lister, chosen);
  if (tests.empty()) {
    const std::string& ended = lister.how_it_ended();
    throw bad_usage("--tests " + chosen + ": " + shown(name) + " lists no test" +
                    (ended.empty() ? "" : " (" + ended + ")") +
                    ": is it a program of this framework, with all arguments that it needs?");
  }
  return tests;
}

}  // namespace rff
