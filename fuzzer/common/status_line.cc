#include "fuzzer/common/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace rff {
namespace {

constexpr std::chrono::milliseconds kLivePause{200};

// Shortens the line to the terminal's width: a wrapped line could not be overwritten.
std::string fitting_the_terminal(std::string line, std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
      line.size() >= size.ws_col) {
    line.resize(size.ws_col - 1u);
  }
  return line;
}

}  // namespace

StatusLine::Mode StatusLine::mode_for(std::FILE* stream) {
  return ::isatty(::fileno(stream)) == 1 ? Mode::kLive : Mode::kLines;
}

bool StatusLine::due() const {
  return settings_.mode != Mode::kSilent &&
         std::chrono::steady_clock::now() - last_ >= (shown_ ? kLivePause : settings_.pause);
}

void StatusLine::show(const std::string& line) {
  last_ = std::chrono::steady_clock::now();
  if (settings_.mode == Mode::kLive) {
    std::fprintf(settings_.stream, "\r\x1b[K%s",
                 fitting_the_terminal(line, settings_.stream).c_str());
    shown_ = true;
  } else if (settings_.mode == Mode::kLines) {
    std::fprintf(settings_.stream, "%s\n", line.c_str());
  }
  std::fflush(settings_.stream);
}

void StatusLine::say(const std::string& text) {
  clear();
  std::fprintf(settings_.stream, "%s\n", text.c_str());
  std::fflush(settings_.stream);
}

void StatusLine::clear() {
  if (shown_) {
    std::fprintf(settings_.stream, "\r\x1b[K");
    std::fflush(settings_.stream);
    shown_ = false;
  }
}

}  // namespace rff
