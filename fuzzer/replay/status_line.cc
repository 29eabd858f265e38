#include "fuzzer/replay/status_line.h"

#include <unistd.h>

#include <cstdio>

namespace rff {
namespace {

constexpr std::chrono::milliseconds kQuiet{2000};
constexpr std::chrono::milliseconds kLive{200};

}  // namespace

StatusLine::StatusLine()
    : terminal_(::isatty(2) == 1), began_(std::chrono::steady_clock::now()), last_(began_) {}

void StatusLine::doing(std::string what) {
  what_ = std::move(what);
  began_ = std::chrono::steady_clock::now();
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
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(last_ - began_).count();
    std::string line = what_ + (seconds > 0 ? " (" + std::to_string(seconds) + " s)" : "");
    std::fprintf(stderr, terminal_ ? "\r%s\x1b[K" : "%s\n", line.c_str());
  }
}

void StatusLine::clear() {
  if (shown_ && terminal_) {
    std::fprintf(stderr, "\r\x1b[K");
  }
  shown_ = false;
}

}  // namespace rff
