#include "fuzzer/campaign/unresponsive.h"

#include <cstdio>
#include <cstring>

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
  Place& place = places_[sources_.place(run.place).text()];
  if (++place.count > 1) {
    return {};
  }
  place.words = readable_finding(run, sources_);
  return "unresponsive: schedule " + std::to_string(number) + " did not end" +
         (place.words.empty() ? "" : ": " + place.words);
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
         " (try a longer --schedule-timeout, a smaller input" +
         (unpatched_libraries ? ", --libs all if a library waits in a way of its own" : "") + ")\n";
}

}  // namespace rff
