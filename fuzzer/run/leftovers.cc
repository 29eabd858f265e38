#include "fuzzer/run/leftovers.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "fuzzer/common/files.h"

namespace rff {
namespace {

struct Adoption {
  std::mutex mutex;
  std::set<pid_t> kept;  // children that must not be killed
  bool adopts = false;
  int programs = 0;
};

Adoption& adoption() {
  static Adoption the_one;
  return the_one;
}

// Returns the children of all threads of this process.
std::vector<pid_t> children() {
  std::vector<pid_t> result;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::string list = read_file(thread.path() / "children").value_or("");
    for (char* at = list.data(); *at != 0;) {
      char* end = at;
      long child = std::strtol(at, &end, 10);
      if (end == at) {
        break;
      }
      result.push_back(static_cast<pid_t>(child));
      at = end;
    }
  }
  return result;
}

// Becomes a subreaper. Existing children are kept: the program that executed this one may have left
// them.
void adopt(Adoption& a) {
  if (!a.adopts) {
    for (pid_t child : children()) {
      a.kept.insert(child);
    }
    a.adopts = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
  }
}

// Repeats until no child is left, because this process adopts the children of each killed one.
void end_all(const std::set<pid_t>& kept) {
  for (bool found = true; found;) {
    found = false;
    for (pid_t child : children()) {
      if (kept.count(child) == 0) {
        ::kill(child, SIGKILL);
        found |= ::waitpid(child, nullptr, 0) == child;
      }
    }
  }
}

}  // namespace

Leftovers::Leftovers() {
  Adoption& a = adoption();
  std::lock_guard lock(a.mutex);
  adopt(a);
  ++a.programs;
}

Leftovers::~Leftovers() {
  Adoption& a = adoption();
  std::lock_guard lock(a.mutex);
  if (--a.programs == 0 && a.adopts) {
    end_all(a.kept);
  }
}

pid_t Leftovers::fork_kept() {
  Adoption& a = adoption();
  std::lock_guard lock(a.mutex);
  pid_t child = ::fork();
  if (child > 0) {
    a.kept.insert(child);
  }
  return child;
}

void Leftovers::forget(pid_t child) {
  Adoption& a = adoption();
  std::lock_guard lock(a.mutex);
  a.kept.erase(child);
}

}  // namespace rff
