#include "fuzzer/campaign/test_campaigns.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <set>

#include "command_line/command_line.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/campaign/test_list.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/run/interrupts.h"
#include "fuzzer/run/target_file.h"

namespace rff {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A test without threads ends with this, whatever --skip-status says of the whole.
constexpr std::uint32_t kSkipped = 77;

class TestCampaigns {
 public:
  TestCampaigns(const Options& options, const std::function<int(Options&)>& campaign)
      : options_(options), campaign_(campaign) {}

  int run() {
    std::string program = TargetFile::open(options_.program).path;
    choose(list_tests(program, options_.arguments, options_.tests));
    if (options_.list_tests) {
      for (const ListedTest& test : tests_) {
        std::printf("%s\n", test.name.c_str());
      }
      return kNothingFound;
    }
    std::vector<std::string> names;
    for (const ListedTest& test : tests_) {
      names.push_back(test.name);
    }
    std::vector<std::string> folders = test_folders(names);
    fs::path root =
        options_.output == "auto" ? folder_for(program, options_.arguments) : options_.output;
    std::printf("%s in %s, one folder each in %s\n", count(tests_.size(), "test").c_str(),
                options_.program.c_str(), root.c_str());
    catch_interrupts();
    started_ = Clock::now();
    for (std::size_t i = 0; i < tests_.size() && !interrupted(); ++i) {
      std::fflush(stdout);
      int status = run_one(tests_[i], root / folders[i], tests_.size() - i);
      note(tests_[i].name, status);
    }
    std::printf("%s: %zu failed, %zu passed, %zu skipped, %zu errors%s\n",
                count(tests_.size(), "test").c_str(), failed_, passed_, skipped_, errors_,
                interrupted() ? ", interrupted" : "");
    return conclude(root);
  }

 private:
  void choose(const std::vector<ListedTest>& listed) {
    for (const ListedTest& test : listed) {
      if (!test.disabled && (options_.filter.empty() || fits(options_.filter, test.name))) {
        tests_.push_back(test);
      }
    }
    if (tests_.empty()) {
      throw bad_usage((options_.filter.empty()
                           ? "--tests: all tests are disabled"
                           : "--filter " + shown(options_.filter) + ": no test has such a name") +
                      std::string(" (") + count(listed.size(), "test") + " listed, the first is " +
                      shown(listed.front().name) + ")");
    }
  }

  // Tests without threads leave the rest of their time to those after them.
  double time_for_one(std::size_t left) const {
    if (options_.max_seconds == 0) {
      return 0;
    }
    double used = std::chrono::duration<double>(Clock::now() - started_).count();
    constexpr double kLeast = 0.1;
    return std::max(kLeast, (options_.max_seconds - used) / static_cast<double>(left));
  }

  int run_one(const ListedTest& test, const fs::path& folder, std::size_t left) {
    Options own = options_;
    own.tests.clear();
    own.output = folder.string();
    own.test = test.name;
    own.arguments.insert(own.arguments.end(), test.arguments.begin(), test.arguments.end());
    own.max_seconds = time_for_one(left);
    own.exports = {};
    own.quiet = true;
    own.skip_status = kSkipped;
    pid_t child = ::fork();
    if (child < 0) {
      throw tool_failed("cannot start a process for " + test.name);
    }
    if (child == 0) {
      int status = campaign_(own);
      std::fflush(stdout);
      ::_exit(status);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(kToolFailed);
  }

  void note(const std::string& name, int status) {
    const char* word = "error";
    if (status == kBugFound) {
      ++failed_;
      word = "FAILED";
    } else if (status == kNothingFound) {
      ++passed_;
      word = "passed";
    } else if (status == static_cast<int>(kSkipped)) {
      ++skipped_;
      word = "skipped";
    } else {
      ++errors_;
    }
    std::printf("%-8s%s\n", word, name.c_str());
  }

  int conclude(const fs::path& root) {
    std::vector<std::string> problems;
    if (options_.exports.any()) {
      problems = write_exports(read_campaigns({root.string()}), options_.exports);
    }
    std::fflush(stdout);
    for (const std::string& problem : problems) {
      print_error("rff-fuzz", problem);
    }
    if (failed_ > 0) {
      return kBugFound;
    }
    if (errors_ > 0 || interrupted()) {
      return kToolFailed;
    }
    if (!problems.empty()) {
      return kBadUsage;
    }
    return passed_ == 0 ? static_cast<int>(options_.skip_status) : kNothingFound;
  }

  const Options& options_;
  const std::function<int(Options&)>& campaign_;
  std::vector<ListedTest> tests_;
  Clock::time_point started_;
  std::size_t failed_ = 0, passed_ = 0, skipped_ = 0, errors_ = 0;
};

}  // namespace

std::vector<std::string> test_folders(const std::vector<std::string>& names) {
  std::vector<std::string> folders;
  std::set<std::string> used = {"", ".", ".."};
  for (const std::string& name : names) {
    std::string plain;
    for (char c : name.substr(0, 100)) {
      bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                     std::string_view("-._").find(c) != std::string_view::npos;
      plain += allowed ? c : '_';
    }
    std::string folder = plain;
    for (int i = 2; !used.insert(folder).second; ++i) {
      folder = plain + "-" + std::to_string(i);
    }
    folders.push_back(folder);
  }
  return folders;
}

int run_tests(const Options& options, const std::function<int(Options&)>& campaign) {
  return TestCampaigns(options, campaign).run();
}

}  // namespace rff
