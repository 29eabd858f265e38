// The functions that the running thread is in, for stop points that count only inside of some, and
// where the frames of the others begin.
#pragma once

#include "libsched/memory/modules.h"
#include "libsched/memory/stack_check.h"
#include "libsched/memory/stop_rules.h"
#include "libsched/support/capture.h"

namespace rff {

class ThreadStack final : public StackReader, public OtherStacks {
 public:
  explicit ThreadStack(const Modules& modules) : modules_(modules) {}
  std::size_t frames(std::uint64_t* frames, std::size_t most) override;
  bool made_here(const Thread& t) override;
  std::uint64_t lowest_frame(const Thread& t) override;

 private:
  // What was found for a thread holds until it stops again.
  struct Lowest {
    const Thread* thread = nullptr;
    std::uint64_t stops = 0;
    std::uint64_t frame = 0;
  };

  std::uint64_t below_frames(const StopContext& stop);

  const Modules& modules_;
  Lowest found_[16];
};

}  // namespace rff
