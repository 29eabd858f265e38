// What every way of running a program for a test needs: a folder, memory that the runtime shares,
// the launcher, and the scheduling points learned so far.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff::test {

// A folder of its own, gone with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::shared_ptr<SharedMemory> make_shared_memory(const std::string& path);

// In a child: becomes the program under the runtime of this build, without standard input.
[[noreturn]] void become(const std::vector<std::string>& command);

// Sites that runs so far found to be shared: later schedules use them as scheduling points.
class LearnedPoints {
 public:
  void learn(const SharedMemory& shared);
  Schedule schedule(SchedulerKind kind, std::uint64_t seed) const;

 private:
  std::vector<CodeName> points_;
};

}  // namespace rff::test
