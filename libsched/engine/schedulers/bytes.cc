// Takes every decision from a string of bytes, so that a fuzzer of bytes is a fuzzer of schedules.
// A parameter of the schedule says how it goes on after the last byte.
#include <string>

#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

enum class End : std::uint32_t { kFirst, kStay, kSeed, kStop };

class Bytes : public Scheduler {
 public:
  Bytes(const Schedule& schedule, LastWriters& memory)
      : stream_(schedule.stream),
        stays_(schedule.bytes_stay != 0),
        end_(static_cast<End>(schedule.bytes_end)) {
    if (end_ == End::kSeed) {
      Schedule seeded;
      seeded.seed = hash_bytes(stream_);
      rest_ = make_pos(seeded, memory);
    }
  }

  Thread* pick(const PendingThreads& threads) override {
    const ThreadSet& able = threads.eager();
    if (at_ < stream_.size()) {
      return &threads[stays_ ? stay_or_go(able) : able.at(draw(able.size()) % able.size())];
    }
    if (end_ == End::kSeed) {
      return rest_->pick(threads);
    }
    if (end_ == End::kStop) {
      return nullptr;
    }
    bool goes_on = end_ == End::kStay && able.contains(last_);
    return &threads[goes_on ? last_ : able.first()];
  }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    last_ = t.index;
    if (rest_) {
      rest_->executed(t, op, others);
    }
  }
  CrowdListener* crowds() override { return rest_ ? rest_->crowds() : nullptr; }

 private:
  // The next byte, or two if there are more than 256 alternatives.
  std::size_t draw(std::size_t alternatives) {
    auto next = [&]() -> std::size_t {
      return at_ < stream_.size() ? static_cast<unsigned char>(stream_[at_++]) : 0;
    };
    std::size_t low = next();
    return alternatives <= 256 ? low : low | next() << 8;
  }

  // Modulo the number of threads, 0: the thread that ran last goes on; b: the b-th of the others.
  // If it cannot go on, b is the b-th of all, counted from 0.
  std::uint32_t stay_or_go(const ThreadSet& able) {
    std::size_t n = able.size();
    std::size_t drawn = draw(n) % n;
    if (!able.contains(last_)) {
      return able.at(drawn);
    }
    if (drawn == 0) {
      return last_;
    }
    std::size_t other = drawn - 1;
    return able.at(other < able.below(last_) ? other : other + 1);
  }

  std::string stream_;
  std::size_t at_ = 0;
  bool stays_;
  End end_;
  std::unique_ptr<Scheduler> rest_;
  std::uint32_t last_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_bytes(const Schedule& schedule, LastWriters& memory) {
  return std::make_unique<Bytes>(schedule, memory);
}

}  // namespace rff
