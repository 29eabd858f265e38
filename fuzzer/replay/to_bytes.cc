#include "fuzzer/replay/to_bytes.h"

#include <algorithm>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/replay/given_bytes.h"

namespace rff {
namespace {

// Returns how many of the wanted decisions the run makes before another one.
std::size_t followed(const std::vector<Decision>& wanted, const std::vector<Decision>& made) {
  auto [there, here] = std::mismatch(wanted.begin(), wanted.end(), made.begin(), made.end());
  (void)here;
  return static_cast<std::size_t>(there - wanted.begin());
}

}  // namespace

std::optional<std::string> bytes_for(const std::vector<Decision>& wanted, unsigned threads,
                                     const RunUnderBytes& run) {
  constexpr unsigned kMostBytes = 256;
  const unsigned alternatives = std::min(threads, kMostBytes);
  std::string bytes;
  std::size_t reached = followed(wanted, run(bytes));
  while (reached < wanted.size()) {
    // A byte stands for the next decision, which need not be the one that is still wrong.
    std::optional<char> kept;
    std::size_t best = reached;
    for (unsigned b = 0; b < alternatives && best == reached; ++b) {
      char byte = static_cast<char>(b);
      std::size_t now = followed(wanted, run(bytes + byte));
      if (now > reached || (now == reached && !kept)) {
        kept = byte;
        best = now;
      }
    }
    if (!kept || bytes.size() > wanted.size()) {
      return std::nullopt;
    }
    bytes += *kept;
    reached = best;
  }
  return bytes;
}

std::string bytes_of_run(const Schedule& schedule, const Run& run, const std::string& original,
                         std::uint32_t stay, Runner& runner, Activity& activity) {
  Schedule tried = schedule;
  tried.finding.reset();
  tried.prefix.clear();
  tried.guided = false;
  tried.constraints = {};
  tried.timeouts = kDefaultPreemption;
  tried.points = points_under_bytes(original);
  tried.scheduler = SchedulerKind::kBytes;
  tried.bytes_stay = stay;
  tried.bytes_end = 0;
  const std::vector<Decision>& wanted = run.finding.decisions;
  runner.trace(Runner::Tracing::kNone);
  std::optional<std::string> bytes = bytes_for(wanted, run.threads, [&](const std::string& some) {
    activity.doing("looking for bytes: " + std::to_string(some.size()) + " of about " +
                   std::to_string(wanted.size()));
    tried.stream = some;
    return runner.run(tried).finding.decisions;
  });
  activity.clear();
  if (!bytes) {
    throw tool_failed(
        "no bytes lead to this run, which stops where its campaign had learned to: keep the "
        "schedule itself");
  }
  return *bytes;
}

}  // namespace rff
