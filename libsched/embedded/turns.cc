#include "libsched/embedded/turns.h"

#include <bit>
#include <cstring>

#include "libsched/embedded/door.h"
#include "schedule/hash.h"

namespace rff::embedded {
namespace {

// Exact up to 32, so that each round of a short loop differs from the next.
std::uint32_t coarse(std::uint32_t times) {
  constexpr std::uint32_t kExact = 32;
  return times <= kExact ? times : kExact + static_cast<std::uint32_t>(std::bit_width(times));
}

std::uint64_t moment(const RunRecord& run, const Step& step, std::uint32_t times) {
  return hash_combine(run.event_list.items[step.event].id(), coarse(times));
}

}  // namespace

void Turns::find(const RunRecord& run) {
  std::memset(times_, 0, sizeof times_);
  count_ = 0;
  const Step* last = nullptr;
  std::uint32_t last_times = 0;
  for (std::size_t i = 0; i < run.steps.size() && count_ < kMost; ++i) {
    const Step& step = run.steps.items[i];
    std::uint32_t times = ++times_[(step.event * 31 + step.thread * 131u) % kCounters];
    if (last != nullptr && last->thread != step.thread) {
      std::uint64_t switched =
          hash_combine(moment(run, *last, last_times), moment(run, step, times));
      places_[count_++] = static_cast<std::uint16_t>(switched);
    }
    last = &step;
    last_times = times;
  }
}

}  // namespace rff::embedded

using namespace rff::embedded;

RFF_EXPORT const uint16_t* rff_turns(size_t* count) {
  Turns& turns = door().kept().turns;
  turns.find(door().made().process.shared->run);
  *count = turns.count();
  return turns.places();
}
