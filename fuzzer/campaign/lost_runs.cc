#include "fuzzer/campaign/lost_runs.h"

#include <algorithm>

#include "fuzzer/common/words.h"
#include "fuzzer/run/child_process.h"

namespace rff {
namespace {

constexpr std::size_t kMostGroups = 5;  // keeps the message short

}  // namespace

void LostRuns::add(const Report& report) {
  std::string words(report.path.view());
  for (Group& g : groups_) {
    if (g.wait_status == report.wait_status && g.place == report.place && g.words == words) {
      ++g.count;
      return;
    }
  }
  groups_.push_back({report.wait_status, report.last_operation, report.place, words, 1});
}

std::uint64_t LostRuns::count() const {
  std::uint64_t n = 0;
  for (const Group& g : groups_) {
    n += g.count;
  }
  return n;
}

std::vector<std::string> LostRuns::texts(DebugInfo& sources) const {
  std::vector<Group> groups = groups_;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.count > b.count; });
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < groups.size() && i < kMostGroups; ++i) {
    const Group& g = groups[i];
    std::string text = rff::count(g.count, "time") + " " + wait_status_words(g.wait_status);
    if (g.place != CodeName{}) {
      text += ", last seen in " + sources.place(g.last_operation, g.place).text();
    }
    text += g.words.empty() ? "" : ", " + g.words;
    texts.push_back(text);
  }
  return texts;
}

}  // namespace rff
