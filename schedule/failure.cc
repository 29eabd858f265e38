#include "schedule/failure.h"

#include <array>

namespace rff {
namespace {

constexpr std::array<std::string_view, 13> kFindingNames = {"none",
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
                                                            "stack-use-after-return"};
static_assert(kFindingNames.size() == static_cast<std::size_t>(FindingKind::kCount));

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
