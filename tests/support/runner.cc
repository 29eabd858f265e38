#include "tests/support/runner.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace rff::test {

RunResult Runner::run(const Schedule& schedule, const std::string& trace_path) {
  std::string schedule_path = folder_ / "schedule.bin";
  std::string output_path = folder_ / "output";
  std::ofstream(schedule_path, std::ios::binary) << encode_schedule(schedule);
  RunResult result;
  result.shared = make_shared_memory(folder_ / "shared");
  pid_t child = fork();
  if (child == 0) {
    dup2(open(output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    setenv(kSharedPathVariable, (folder_ / "shared").c_str(), 1);
    setenv(kSchedulePathVariable, schedule_path.c_str(), 1);
    if (!trace_path.empty()) {
      setenv(kTracePathVariable, trace_path.c_str(), 1);
    }
    alarm(120);  // a run that hangs is a failed test, not a stuck one
    become(command_);
  }
  waitpid(child, &result.wait_status, 0);
  std::ifstream in(output_path, std::ios::binary);
  result.output.assign(std::istreambuf_iterator<char>(in), {});
  return result;
}

Schedule Runner::replay(const Schedule& original, const RunResult& r) const {
  Schedule s = original;
  s.finding =
      Finding{r.run().finding, r.message(), r.run().place, r.run().trace_hash, r.decisions()};
  return s;
}

}  // namespace rff::test
