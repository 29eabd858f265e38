// The functions that the running thread is in, for stop points that count only inside of some.
#pragma once

#include "libsched/memory/modules.h"
#include "libsched/memory/stop_rules.h"

namespace rff {

class ThreadStack final : public StackReader {
 public:
  explicit ThreadStack(const Modules& modules) : modules_(modules) {}
  std::size_t frames(std::uint64_t* frames, std::size_t most) override;

 private:
  const Modules& modules_;
};

}  // namespace rff
