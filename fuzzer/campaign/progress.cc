#include "fuzzer/campaign/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace rff {
namespace {

// https://no-color.org: any value that is not empty disables color.
bool color_wanted() {
  const char* refused = std::getenv("NO_COLOR");
  return ::isatty(1) == 1 && (refused == nullptr || *refused == 0);
}

std::string clock_text(double seconds) {
  auto s = static_cast<unsigned long long>(seconds);
  char text[32];
  std::snprintf(text, sizeof text, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
  return text;
}

}  // namespace

Progress::Progress(Mode mode, std::uint64_t max_schedules, double max_seconds)
    : line_({.stream = stdout,
             .mode = mode,
             .pause = std::chrono::milliseconds(mode == Mode::kLive ? 200 : 5000)}),
      color_(color_wanted()),
      max_schedules_(max_schedules),
      max_seconds_(max_seconds) {}

std::string progress_line(const Stats& s, const ProgressFacts& facts) {
  char rate[32];
  std::snprintf(rate, sizeof rate, " (%.0f/s)", s.per_second());
  std::string line = "schedules " + std::to_string(s.schedules) + rate + " | rf pairs " +
                     std::to_string(s.rf_pairs) + " (new " +
                     clock_text(facts.seconds_without_new_pair) + " ago) | corpus " +
                     std::to_string(s.corpus) + " | findings " + std::to_string(s.findings.size());
  if (s.systematic) {
    char part[64];
    std::snprintf(part, sizeof part, " | explored %llu of about %.2g (%.1f %%)",
                  static_cast<unsigned long long>(s.systematic->classes), s.systematic->estimate(),
                  100 * s.systematic->part_done);
    line += part;
  }
  auto add = [&](const char* name, std::uint64_t n) {
    line += n > 0 ? " | " + std::string(name) + " " + std::to_string(n) : "";
  };
  add("unstable", s.unstable);
  add("lost", s.lost);
  add("unresponsive", s.unresponsive);
  line += " | " + clock_text(s.seconds);
  if (facts.seconds_left > 0) {
    line += ", " + clock_text(facts.seconds_left) + " left";
  }
  add("schedules left", facts.schedules_left);
  return line;
}

void Progress::show(const Stats& stats, const Stats& before) {
  if (stats.rf_pairs != pairs_) {
    pairs_ = stats.rf_pairs;
    new_pair_at_ = Clock::now();
  }
  if (!line_.due()) {
    return;
  }
  ProgressFacts facts;
  facts.seconds_without_new_pair =
      std::chrono::duration<double>(Clock::now() - new_pair_at_).count();
  std::uint64_t done = stats.schedules - before.schedules;
  facts.schedules_left = max_schedules_ > done ? max_schedules_ - done : 0;
  facts.seconds_left = std::max(0.0, max_seconds_ - (stats.seconds - before.seconds));
  line_.show(progress_line(stats, facts));
}

std::string Progress::highlighted(const std::string& text, const std::string& word) const {
  std::size_t at = text.find(word);
  if (!color_ || at == std::string::npos) {
    return text;
  }
  return text.substr(0, at) + "\x1b[1;31m" + word + "\x1b[0m" + text.substr(at + word.size());
}

}  // namespace rff
