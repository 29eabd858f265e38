// Mutates strings of bytes that decide schedules, as fuzzers of bytes do: those whose runs showed
// something new are kept. A baseline for searches that know what a schedule is.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class BytesStrategy : public Strategy {
 public:
  static constexpr std::size_t kMostStreams = 4096;
  static constexpr std::size_t kLongest = 4096;

  std::string_view name() const override { return "byte streams"; }
  std::optional<Schedule> propose(Random& random) override;
  void observe(const Schedule& schedule, const Lesson& lesson) override;

 private:
  std::vector<std::string> streams_;
};

}  // namespace rff
