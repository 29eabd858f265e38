#include "fuzzer/campaign/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace rff {
namespace {

// A line that wraps round could not be overwritten.
std::string fitting_the_terminal(std::string line) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
      line.size() >= size.ws_col) {
    line.resize(size.ws_col - 1u);
  }
  return line;
}

}  // namespace

std::string counted(std::uint64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

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
    std::printf("\r\x1b[K%s", fitting_the_terminal(progress_line(stats)).c_str());
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
