#include "tests/support/program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "fuzzer/run/launch.h"

namespace rff::test {

namespace fs = std::filesystem;

std::string launcher() {
  fs::path self = fs::read_symlink("/proc/self/exe");
  return self.parent_path().parent_path() / "bin" / "rff-launch";
}

std::shared_ptr<SharedMemory> make_shared_memory(const std::string& path) {
  unlink(path.c_str());  // an earlier run's memory stays unchanged
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(SharedMemory)) != 0) {
    throw std::runtime_error("cannot make shared memory");
  }
  void* memory = mmap(nullptr, sizeof(SharedMemory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  std::shared_ptr<SharedMemory> shared(static_cast<SharedMemory*>(memory),
                                       [](SharedMemory* s) { munmap(s, sizeof *s); });
  shared->initialize();
  return shared;
}

void become(const std::vector<std::string>& command) {
  Target target;
  target.path = command.at(0);
  target.arguments.assign(command.begin() + 1, command.end());
  ChildProcess::Command launch = launch_command(launcher(), target, {});
  for (const auto& [name, value] : launch.environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> arguments;
  for (std::string& word : launch.arguments) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

void LearnedPoints::learn(const SharedMemory& shared) {
  points_.insert(points_.end(), shared.points.begin(), shared.points.end());
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
}

Schedule LearnedPoints::schedule(SchedulerKind kind, std::uint64_t seed) const {
  Schedule s;
  s.scheduler = kind;
  s.seed = seed;
  s.points.racing = seed % 4 != 0;  // as campaigns do, and at times with --points shared
  for (std::uint64_t packed : points_) {
    PointName point = PointName::unpack(packed);
    (point.handed_over ? s.points.handed_over : s.points.sites).push_back(point.site);
  }
  return s;
}

}  // namespace rff::test
