#include "schedule/failure.h"

#include <iterator>

namespace rff {
namespace {

constexpr std::string_view kFindingNames[] = {
    "none",
    "assert",
    "crash",
    "deadlock",
    "hang",
    "exit",
    "use-after-free",
    "heap-overflow",
    "heap-underflow",
    "double-free",
    "invalid-free",
    "mismatched-free",
    "stack-use-after-return",
};
static_assert(std::size(kFindingNames) == static_cast<std::size_t>(FindingKind::kCount));

}  // namespace

std::string_view finding_name(FindingKind kind) {
  return kFindingNames[static_cast<std::size_t>(kind) % std::size(kFindingNames)];
}
std::optional<FindingKind> finding_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kFindingNames); ++i) {
    if (kFindingNames[i] == name) {
      return static_cast<FindingKind>(i);
    }
  }
  return std::nullopt;
}

}  // namespace rff
