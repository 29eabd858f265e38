#include "tests/replay/replay_fixture.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "fuzzer/common/files.h"
#include "tests/replay/make_finding.h"

namespace rff::test {

namespace fs = std::filesystem;

Output run_command(const std::vector<std::string>& command) {
  std::string pattern = fs::temp_directory_path() / "rff-output-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    return {};
  }
  std::string out = pattern + "/out";
  std::string err = pattern + "/err";
  pid_t child = fork();
  if (child == 0) {
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    dup2(open("/dev/null", O_RDONLY), 0);
    std::vector<std::string> words = command;
    std::vector<char*> arguments;
    for (std::string& w : words) {
      arguments.push_back(w.data());
    }
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Output result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                read_file(out).value_or(""), read_file(err).value_or("")};
  std::error_code ignored;
  fs::remove_all(pattern, ignored);
  return result;
}

ReplayTest::ReplayTest() {
  std::string pattern = fs::temp_directory_path() / "rff-replay-test-XXXXXX";
  folder_ = mkdtemp(pattern.data());
  build_folder();  // must be called before the current folder changes
}

ReplayTest::~ReplayTest() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path ReplayTest::build_folder() {
  static const fs::path folder =
      fs::absolute(fs::read_symlink("/proc/self/exe")).parent_path().parent_path();
  return folder;
}

std::string ReplayTest::patched(const std::string& program) {
  std::string out = path(fs::path(program).filename().string() + ".patched");
  fs::path source = fs::path(program).is_absolute() ? fs::path(program) : build_folder() / program;
  Output o = run_command({tool("rff-instrument"), "-o", out, source.string()});
  EXPECT_EQ(o.exit_status, 0) << o.err;
  return out;
}

std::string ReplayTest::finding(const std::string& program, SchedulerKind scheduler) {
  auto schedule = make_finding({patched(program)}, scheduler, 200);
  EXPECT_TRUE(schedule) << "no seed makes " << program << " fail";
  write("schedule.bin", schedule ? encode_schedule(*schedule) : "");
  return path("schedule.bin");
}

void ReplayTest::write(const std::string& name, const std::string& bytes) {
  std::ofstream(path(name), std::ios::binary) << bytes;
}

Output ReplayTest::replay(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), tool("rff-replay"));
  return run_command(arguments);
}

void ReplayTest::expect_refused(const Output& o, const std::string& text) {
  EXPECT_EQ(o.exit_status, 2) << o.out << o.err;
  EXPECT_NE(o.err.find(text), std::string::npos) << o.err;
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
}

}  // namespace rff::test
