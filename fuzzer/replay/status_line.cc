#include "fuzzer/replay/status_line.h"

#include <unistd.h>

#include <cstdio>

namespace rff {
namespace {

constexpr std::chrono::milliseconds kQuiet{2000};
constexpr std::chrono::milliseconds kLive{200};

}  // namespace

StatusLine::StatusLine() : terminal_(::isatty(2) == 1), last_(std::chrono::steady_clock::now()) {}

void StatusLine::doing(std::string what) {
  what_ = std::move(what);
  tick();
}

void StatusLine::tick() {
  if (std::chrono::steady_clock::now() - last_ >= (terminal_ && shown_ ? kLive : kQuiet)) {
    say();
  }
}

void StatusLine::say() {
  last_ = std::chrono::steady_clock::now();
  if (!what_.empty()) {
    shown_ = true;
    std::fprintf(stderr, terminal_ ? "\r%s\x1b[K" : "%s\n", what_.c_str());
  }
}

void StatusLine::clear() {
  if (shown_ && terminal_) {
    std::fprintf(stderr, "\r\x1b[K");
  }
  shown_ = false;
}

}  // namespace rff
