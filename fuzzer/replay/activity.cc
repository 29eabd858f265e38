#include "fuzzer/replay/activity.h"

namespace rff {

Activity::Activity()
    : line_({.stream = stderr,
             .mode = StatusLine::mode_for(stderr),
             .pause = std::chrono::seconds(2)}),
      began_(std::chrono::steady_clock::now()) {}

void Activity::doing(std::string what) {
  what_ = std::move(what);
  began_ = std::chrono::steady_clock::now();
  tick();
}

void Activity::tick() {
  if (line_.due()) {
    say();
  }
}

void Activity::say() {
  if (!what_.empty()) {
    auto passed = std::chrono::steady_clock::now() - began_;
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
    line_.show(what_ + (seconds > 0 ? " (" + std::to_string(seconds) + " s)" : ""));
  }
}

}  // namespace rff
