#include "schedule/failure.h"

#include <array>

namespace rff {
namespace {

constexpr std::array<std::string_view, 6> kFindingNames = {"none",     "assert", "crash",
                                                           "deadlock", "hang",   "exit"};

}  // namespace

std::string_view finding_name(FindingKind kind) {
  return kFindingNames[static_cast<std::size_t>(kind) % kFindingNames.size()];
}
std::optional<FindingKind> finding_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kFindingNames.size(); ++i) {
    if (kFindingNames[i] == name) {
      return static_cast<FindingKind>(i);
    }
  }
  return std::nullopt;
}

}  // namespace rff
