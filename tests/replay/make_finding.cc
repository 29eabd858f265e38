#include "tests/replay/make_finding.h"

#include "fuzzer/run/target_file.h"
#include "tests/support/runner.h"

namespace rff::test {

std::optional<Schedule> make_finding(const std::vector<std::string>& command,
                                     SchedulerKind scheduler, int seeds, int first) {
  Runner runner(command);
  for (int seed = first; seed < first + seeds; ++seed) {
    Schedule s = runner.schedule(scheduler, static_cast<std::uint64_t>(seed));
    RunResult r = runner.run(s);
    if (r.found()) {
      s = runner.replay(s, r);
      TargetFile file = TargetFile::open(command[0]);
      s.target.path = file.path;
      s.target.arguments.assign(command.begin() + 1, command.end());
      s.target.build_id = file.build_id;
      s.target.input_digest = input_digest(s.target.arguments, "");
      return s;
    }
    runner.learn(r);
  }
  return std::nullopt;
}

}  // namespace rff::test
