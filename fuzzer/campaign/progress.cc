#include "fuzzer/campaign/progress.h"

#include <cstdio>

namespace rff {

std::string progress_line(const Stats& s) {
  auto seconds = static_cast<unsigned long long>(s.seconds);
  char text[256];
  std::snprintf(text, sizeof text,
                "schedules %llu (%.0f/s) | reads-from pairs %llu | corpus %llu | findings %zu | "
                "%llu:%02llu:%02llu",
                static_cast<unsigned long long>(s.schedules), s.per_second(),
                static_cast<unsigned long long>(s.rf_pairs),
                static_cast<unsigned long long>(s.corpus), s.findings.size(), seconds / 3600,
                seconds / 60 % 60, seconds % 60);
  return text;
}

void Progress::show(const Stats& stats) {
  if (mode_ == Mode::kSilent) {
    return;
  }
  auto now = std::chrono::steady_clock::now();
  auto pause =
      mode_ == Mode::kLive ? std::chrono::milliseconds(200) : std::chrono::milliseconds(5000);
  if (last_.time_since_epoch().count() == 0 && mode_ == Mode::kLines) {
    last_ = now;  // the first line has something to say
  }
  if (now - last_ < pause) {
    return;
  }
  last_ = now;
  if (mode_ == Mode::kLive) {
    std::printf("\r\x1b[K%s", progress_line(stats).c_str());
    line_open_ = true;
  } else {
    std::printf("%s\n", progress_line(stats).c_str());
  }
  std::fflush(stdout);
}

void Progress::say(const std::string& text) {
  end();
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

void Progress::end() {
  if (line_open_) {
    std::printf("\r\x1b[K");
    line_open_ = false;
  }
}

}  // namespace rff
