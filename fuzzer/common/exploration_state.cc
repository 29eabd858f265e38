#include "fuzzer/common/exploration_state.h"

#include <cstdio>

namespace rff {
namespace {

std::string classes_text(std::uint64_t n, const SystematicChoice& choice) {
  using enum SystematicChoice::Classes;
  std::string one = choice.classes == kInterleavings ? "interleaving"
                    : choice.classes == kTraces      ? "trace class"
                                                     : "reads-from class";
  return std::to_string(n) + " " + one +
         (n == 1                             ? ""
          : choice.classes == kInterleavings ? "s"
                                             : "es");
}

std::string within(std::uint32_t bound, const SystematicChoice& choice) {
  bool delays = choice.bound == ExplorationBound::kDelays;
  return " with at most " + std::to_string(bound) + (delays ? " delay" : " preemption") +
         (bound == 1 ? "" : "s");
}

// Fewer stop points mean fewer behaviors, so a verdict about all must say of what.
std::string where(const ExplorationState& s) {
  return s.chosen_points ? " at the chosen stop points" : "";
}

std::string outcome(std::uint64_t failing) {
  return failing == 0 ? "nothing fails"
                      : std::to_string(failing) + (failing == 1 ? " fails" : " fail");
}

std::string bound_reached(const ExplorationState& s, const ExplorationState::Step& step,
                          const SystematicChoice& choice) {
  return "bound reached" + where(s) + ": all " + classes_text(step.classes, choice) +
         within(step.bound, choice) + " explored, " + outcome(step.failing) + "; there are more";
}

}  // namespace

double ExplorationState::estimate() const {
  return part_done > 0 ? static_cast<double>(classes) / part_done : 0;
}

ExplorationVerdict verdict_of(const ExplorationState& state) {
  if (!state.reason.empty()) {
    return ExplorationVerdict::kNotComplete;
  }
  if (!state.finished) {
    return ExplorationVerdict::kStopped;
  }
  return state.cut_by_bound ? ExplorationVerdict::kBoundReached : ExplorationVerdict::kComplete;
}

std::string verdict_name(const ExplorationState& state) {
  switch (verdict_of(state)) {
    case ExplorationVerdict::kComplete: return "complete" + where(state);
    case ExplorationVerdict::kBoundReached: return "bound reached" + where(state);
    case ExplorationVerdict::kStopped: return "stopped";
    default: return "not complete";
  }
}

std::string verdict_text(const ExplorationState& s, const SystematicChoice& choice) {
  std::string explored = classes_text(s.classes, choice) + " explored, ";
  switch (verdict_of(s)) {
    case ExplorationVerdict::kComplete:
      return "complete" + where(s) + ": all " + classes_text(s.classes, choice) +
             (s.reads_from_classes > 0 && choice.classes != SystematicChoice::Classes::kReadsFrom
                  ? " (" + std::to_string(s.reads_from_classes) + " by reads-from)"
                  : "") +
             " explored, " + outcome(s.failing);
    case ExplorationVerdict::kBoundReached:
      return bound_reached(s, {s.bound, s.classes, s.failing}, choice);
    case ExplorationVerdict::kNotComplete:
      return "not complete: " + s.reason + "; " + explored + outcome(s.failing);
    default: break;
  }
  char about[64] = "";
  if (s.estimate() > 0) {
    std::snprintf(about, sizeof about, "about %.2g estimated, ", s.estimate());
  }
  return "stopped: " + explored + about + outcome(s.failing);
}

std::string verdict_text(const ExplorationState& state, const ExplorationState::Step& step,
                         const SystematicChoice& choice) {
  return bound_reached(state, step, choice);
}

}  // namespace rff
