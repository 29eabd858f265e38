#include "fuzzer/replay/listing.h"

#include <cstdio>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/replay/schedule_files.h"
#include "fuzzer/report/schedule_text.h"
#include "schedule/schedule_json.h"

namespace rff {

int show_schedule(const Schedule& schedule, bool json) {
  if (json) {
    std::printf("%s\n",
                schedule_to_json(schedule, schedule.finding ? finding_words(*schedule.finding) : "")
                    .c_str());
    return kNothingFound;
  }
  DebugInfo debug;
  debug.add_module(module_hash(schedule.target.path), schedule.target.path);
  std::fputs(schedule_text(schedule, debug).c_str(), stdout);
  return kNothingFound;
}

int list_findings(const std::vector<std::string>& findings) {
  constexpr std::size_t kColumns = 100;
  for (const std::string& folder : findings) {
    Schedule schedule = load_schedule(schedule_file(folder));
    std::string words = schedule.finding ? finding_words(*schedule.finding) : "";
    std::printf("rff-replay %s\n  %s\n", folder.c_str(), shortened(words, kColumns).c_str());
  }
  return kNothingFound;
}

}  // namespace rff
