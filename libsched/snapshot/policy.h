// Decides when runs are made in place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "libsched/snapshot/saved_pages.h"

namespace rff {

class InPlacePolicy {
 public:
  // `wanted`: what RFF_SNAPSHOT says. A way that it names is used from the first run on, and
  // whatever it costs. Returns false if it names none.
  bool set(std::string_view wanted) {
    constexpr std::string_view kCheck = ",check";
    checks_ = wanted.ends_with(kCheck);
    wanted.remove_suffix(checks_ ? kCheck.size() : 0);
    off_ = wanted == "off";
    tracking_ = wanted == "copy" ? Tracking::kCopy : Tracking::kWrites;
    falls_back_ = wanted == "auto";
    forks_ = falls_back_ ? kWarmUp : 0;
    return off_ || falls_back_ || wanted == "copy" || wanted == "uffd";
  }
  bool off() const { return off_; }
  Tracking tracking() const { return tracking_; }
  // For tests: whether workers compare their memory with the snapshot after each run.
  bool checks() const { return checks_; }

  // Whether the next run is to be the first one of a worker.
  bool next_in_place() {
    if (off_ || forks_ > 0) {
      forks_ -= forks_ > 0 ? 1 : 0;
      return false;
    }
    return true;
  }
  // A worker has made this many runs in place before it retired, or left.
  void worker_ended(std::uint64_t in_place, bool retired) {
    runs_ += in_place + (retired ? 1 : 0);
    retired_ += retired ? 1 : 0;
    if (retired_ < kLook && runs_ < kWindow) {
      return;
    }
    if (falls_back_ && 4 * retired_ > runs_) {
      forks_ = pause_;
      pause_ = std::min(2 * pause_, kLongestPause);
    }
    runs_ = retired_ = 0;
  }
  // A worker could not take a snapshot.
  void refused() {
    off_ = tracking_ == Tracking::kCopy || !falls_back_;
    tracking_ = Tracking::kCopy;
  }

 private:
  // The first runs learn stacks and scheduling points, which each mean a new worker.
  static constexpr std::uint64_t kWarmUp = 60;
  static constexpr std::uint64_t kLook = 8, kWindow = 256;
  static constexpr std::uint64_t kFirstPause = 4096, kLongestPause = 1 << 18;

  bool off_ = false, checks_ = false;
  bool falls_back_ = true;  // to another way, and to forks while too many runs retire
  Tracking tracking_ = Tracking::kWrites;
  std::uint64_t forks_ = kWarmUp, pause_ = kFirstPause;
  std::uint64_t runs_ = 0, retired_ = 0;
};

}  // namespace rff
