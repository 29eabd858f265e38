#include "fuzzer/campaign/processors.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace rff {
namespace {

// Returns the processor to which a process is bound. Nothing if it may use several, or if it is a
// kernel thread (which has no memory).
std::optional<int> bound_to(const std::filesystem::path& status) {
  std::ifstream file(status);
  bool has_memory = false;
  for (std::string line; std::getline(file, line);) {
    has_memory |= line.starts_with("VmSize:");
    constexpr std::string_view kAllowed = "Cpus_allowed_list:\t";
    if (line.starts_with(kAllowed)) {
      int processor = 0;
      const char* end = line.data() + line.size();
      auto [rest, error] = std::from_chars(line.data() + kAllowed.size(), end, processor);
      bool alone = error == std::errc() && rest == end;
      return has_memory && alone ? std::optional(processor) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> free_processors(const std::string& processes, const std::vector<int>& allowed,
                                 int first) {
  std::vector<int> result = allowed;
  std::rotate(result.begin(), std::lower_bound(result.begin(), result.end(), first), result.end());
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(processes, error)) {
    if (auto taken = bound_to(entry.path() / "status")) {
      std::erase(result, *taken);
    }
  }
  return result;
}

std::vector<int> free_processors() {
  std::vector<int> allowed;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 1) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &mask)) {
        allowed.push_back(i);
      }
    }
  }
  return free_processors("/proc", allowed, sched_getcpu());
}

}  // namespace rff
