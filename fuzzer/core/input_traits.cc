#include "fuzzer/core/input_traits.h"

namespace rff {

InputTraits input_traits(const RunRecord& run, const std::string& input) {
  (void)input;
  InputTraits traits;
  for (const AbstractEvent& e : run.event_list) {
    traits.flow.push_back(hash_combine(static_cast<std::uint64_t>(e.op), e.site.packed()));
  }
  return traits;
}

}  // namespace rff
