#include "tests/support/runner.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace rff::test {
namespace {

std::string launcher() {
  // Built beside us: build/test-bin/x → build/bin/rff-launch.
  auto self = std::filesystem::read_symlink("/proc/self/exe");
  return self.parent_path().parent_path() / "bin" / "rff-launch";
}

}  // namespace

Runner::Runner(std::vector<std::string> command) : command_(std::move(command)) {
  std::string pattern = std::filesystem::temp_directory_path() / "rff-run-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("mkdtemp failed");
  }
  folder_ = pattern;
}

Runner::~Runner() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

RunResult Runner::run(const Schedule& schedule, const std::string& trace_path) {
  std::string schedule_path = folder_ + "/schedule.bin";
  std::string shared_path = folder_ + "/shared";
  std::string output_path = folder_ + "/output";
  std::ofstream(schedule_path, std::ios::binary) << encode_schedule(schedule);
  int fd = open(shared_path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(SharedMemory)) != 0) {
    throw std::runtime_error("cannot make shared memory");
  }
  void* memory = mmap(nullptr, sizeof(SharedMemory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  RunResult result;
  result.shared = {static_cast<SharedMemory*>(memory),
                   [](SharedMemory* s) { munmap(s, sizeof *s); }};
  result.shared->initialise();
  pid_t child = fork();
  if (child == 0) {
    int out = open(output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int in = open("/dev/null", O_RDONLY);
    dup2(in, 0);
    dup2(out, 1);
    setenv(kSharedPathVariable, shared_path.c_str(), 1);
    setenv(kSchedulePathVariable, schedule_path.c_str(), 1);
    if (!trace_path.empty()) {
      setenv(kTracePathVariable, trace_path.c_str(), 1);
    }
    alarm(120);  // a run that hangs is a failed test, not a stuck one
    std::string launch = launcher();
    std::vector<char*> arguments{launch.data()};
    for (std::string& word : command_) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(launch.c_str(), arguments.data());
    _exit(127);
  }
  waitpid(child, &result.wait_status, 0);
  std::ifstream in(output_path, std::ios::binary);
  result.output.assign(std::istreambuf_iterator<char>(in), {});
  return result;
}

void Runner::learn(const RunResult& r) {
  for (std::uint64_t packed : r.shared->points) {
    points_.push_back(CodeName::unpack(packed));
  }
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
}

Schedule Runner::schedule(SchedulerKind kind, std::uint64_t seed) const {
  Schedule s;
  s.scheduler = kind;
  s.seed = seed;
  s.points.sites = points_;
  return s;
}

Schedule Runner::replay(const Schedule& original, const RunResult& r) const {
  Schedule s = original;
  s.finding =
      Finding{r.run().finding, r.message(), r.run().place, r.run().trace_hash, r.decisions()};
  return s;
}

}  // namespace rff::test
