#include "fuzzer/campaign/progress.h"

#include <cstdio>

namespace rff {

Progress::Progress(Mode mode)
    : line_({.stream = stdout,
             .mode = mode,
             .pause = std::chrono::milliseconds(mode == Mode::kLive ? 200 : 5000)}) {}

std::string progress_line(const Stats& s) {
  auto seconds = static_cast<unsigned long long>(s.seconds);
  char text[256];
  std::snprintf(text, sizeof text,
                "schedules %llu (%.0f/s) | rf pairs %llu | corpus %llu | findings %zu | "
                "%llu:%02llu:%02llu",
                static_cast<unsigned long long>(s.schedules), s.per_second(),
                static_cast<unsigned long long>(s.rf_pairs),
                static_cast<unsigned long long>(s.corpus), s.findings.size(), seconds / 3600,
                seconds / 60 % 60, seconds % 60);
  return text;
}

void Progress::show(const Stats& stats) {
  if (line_.due()) {
    line_.show(progress_line(stats));
  }
}

}  // namespace rff
