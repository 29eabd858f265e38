// A timer in virtual time. It expires when the scheduler lets its deadline come, by the rule that
// holds for every timed wait (--timeouts).
#pragma once

#include "libsched/interpose/descriptors/attendant.h"
#include "libsched/interpose/interpose.h"

namespace rff {

class VirtualTimer : public Attendant {
 public:
  explicit VirtualTimer(const void* caller);
  // Expires at virtual time `at` (kNever: not at all), and then every `interval` nanoseconds (0:
  // once).
  void set(std::uint64_t at, std::uint64_t interval);
  // Nanoseconds until it expires; 0: it is not set.
  std::uint64_t left() const;
  std::uint64_t interval() const { return interval_; }
  bool is_set() const { return at_ != kNever; }

 protected:
  // Called when it has expired `times` times since it was last called.
  virtual void expired(std::uint64_t times) = 0;

  void prepare(Operation& op) final;
  void act() final;
  const char* name() const final { return name_; }

 private:
  std::uint64_t at_ = kNever;
  std::uint64_t interval_ = 0;
  Location place_;
  CodeName site_;
  char name_[24] = {};
};

// The program's structures for times.
inline std::uint64_t nanoseconds(const timespec& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}
inline timespec to_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace rff
