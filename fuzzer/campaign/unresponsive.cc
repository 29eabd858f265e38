#include "fuzzer/campaign/unresponsive.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/debug/readable_finding.h"

namespace rff {

std::string UnresponsiveRuns::add(const Schedule& schedule, std::uint64_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "%08llu.bin", static_cast<unsigned long long>(number));
  std::filesystem::path path = output_ / "unresponsive" / name;
  if (int error = write_file(path, encode_schedule(schedule)); error != 0) {
    throw tool_failed("cannot write " + path.string() + ": " + std::strerror(error));
  }
  const Finding& run = *schedule.finding;
  for (const FailureWait& thread : run.failure.waits) {
    if (thread.op <= OpKind::kReadModifyWrite) {
      ++functions_[sources_.place(thread.site).function];
    }
  }
  Place& place = places_[sources_.place(run.place).text()];
  if (++place.count > 1) {
    return {};
  }
  place.words = readable_finding(run, sources_);
  return "unresponsive: schedule " + std::to_string(number) + " did not end" +
         (place.words.empty() ? "" : ": " + place.words);
}

std::string UnresponsiveRuns::busiest() const {
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [function, threads] : functions_) {
    if (!function.empty()) {
      sorted.emplace_back(threads, function);
    }
  }
  std::sort(sorted.rbegin(), sorted.rend());
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < 3; ++i) {
    text += (i > 0 ? ", " : "") + sorted[i].second;
  }
  return text;
}

std::string UnresponsiveRuns::summary(std::uint64_t runs, std::uint32_t timeout_ms,
                                      bool unpatched_libraries) const {
  if (runs == 0) {
    return {};
  }
  std::string text;
  for (const auto& [where, place] : places_) {
    text += "unresponsive " + count(place.count, "time") +
            (place.words.empty() ? "" : ": " + place.words) + "\n";
  }
  return text + count(runs, "run") + " unresponsive: no end within " + std::to_string(timeout_ms) +
         " ms, and no proof of a hang; the schedules are in " +
         (output_ / "unresponsive").string() +
         " (try a longer --schedule-timeout, a smaller input, --timeouts 1s if threads run until "
         "another has slept" +
         (unpatched_libraries ? ", --libs all if a library waits in a way of its own" : "") + ")\n";
}

}  // namespace rff
