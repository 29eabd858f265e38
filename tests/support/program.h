// The common parts of running a program for a test: a folder, memory shared with the runtime, the
// launcher, and the scheduling points learned so far.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzzer/common/temporary_folder.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff::test {

using Folder = TemporaryFolder;

// Returns the launcher of this build: test programs are in build/test-bin, the launcher in
// build/bin.
std::string launcher();

std::shared_ptr<SharedMemory> make_shared_memory(const std::string& path);

// Call in a child: becomes the program under the runtime of this build, with the environment that
// the product sets, without standard input.
[[noreturn]] void become(const std::vector<std::string>& command);

// Sites that earlier runs found to be shared; later schedules use them as scheduling points.
class LearnedPoints {
 public:
  void learn(const SharedMemory& shared);
  Schedule schedule(SchedulerKind kind, std::uint64_t seed) const;

 private:
  std::vector<std::uint64_t> points_;  // PointName::packed
};

}  // namespace rff::test
