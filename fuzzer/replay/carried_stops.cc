#include "fuzzer/replay/carried_stops.h"

#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/stop_resolver.h"

namespace rff {

std::vector<StopRule> stops_in(const std::string& program, const std::vector<StopRule>& rules) {
  std::vector<StopSpec> specs;
  for (const StopRule& rule : rules) {
    ParsedStopSpec parsed = parse_stop_spec(rule.text);
    if (!parsed.spec) {
      throw bad_usage("the schedule has stop points that cannot be found in another build: " +
                      rule.text + "; replay it with the build that it was recorded with");
    }
    specs.push_back(std::move(*parsed.spec));
  }
  DebugInfo debug;
  return specs.empty() ? std::vector<StopRule>() : StopResolver(debug, {program}).resolve(specs);
}

}  // namespace rff
