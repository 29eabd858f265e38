#include "fuzzer/report/finding_report.h"

namespace rff {

const std::string& FindingReport::thread_name(std::uint32_t thread) const {
  static const std::string kUnknown = "?";
  return thread < threads.size() && !threads[thread].name.empty() ? threads[thread].name : kUnknown;
}

}  // namespace rff
