#include "fuzzer/drive/console.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr std::size_t kLinesKept = 100;
constexpr char kClear[] = "\x1b[H\x1b[2J";

std::atomic<bool> stop_command{false};
std::atomic<bool> end_driver{false};

void on_signal(int number) {
  stop_command.store(true);
  if (number != SIGINT) {
    end_driver.store(true);
  }
}

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;  // no SA_RESTART: a read of the prompt returns
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

Window window() {
  winsize size = {};
  if (::ioctl(1, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {.columns = size.ws_col, .rows = size.ws_row};
}

}  // namespace

Console::Console(const Settings& settings)
    : plain_(settings.plain || ::isatty(0) != 1 || ::isatty(1) != 1), echoes_(::isatty(0) != 1) {
  if (!settings.output_file.empty()) {
    file_ = std::fopen(settings.output_file.c_str(), "we");
    if (file_ == nullptr) {
      throw bad_usage("cannot write " + settings.output_file + ": " + std::strerror(errno));
    }
  }
  catch_signals();
}

Console::~Console() {
  if (file_ != nullptr) {
    std::fclose(file_);
  }
}

bool Console::interrupted() { return stop_command.exchange(false) || end_driver.load(); }

void Console::show(const Picture& picture, const std::string& remark) {
  if (plain_) {
    std::fputs(plain_text(picture).c_str(), stdout);
    if (!remark.empty()) {
      std::printf("%s\n", remark.c_str());
    }
    return;
  }
  std::vector<std::string> output(printed_.begin(), printed_.end());
  std::printf("%s%s", kClear, screen_text(picture, output, remark, window()).c_str());
}

void Console::say(const std::vector<std::string>& lines) {
  std::fputs(plain_ ? "" : kClear, stdout);
  for (const std::string& line : lines) {
    std::printf("%s\n", line.c_str());
  }
}

void Console::show_output(const std::string& text, bool print) {
  unfinished_ += text;
  for (std::size_t end; (end = unfinished_.find('\n')) != std::string::npos;) {
    printed_.push_back(unfinished_.substr(0, end));
    unfinished_.erase(0, end + 1);
    if (print && plain_ && file_ == nullptr) {
      std::printf("program: %s\n", printed_.back().c_str());
    }
    if (printed_.size() > kLinesKept) {
      printed_.pop_front();
    }
  }
}

void Console::add_output(const Session::Output& output, bool ended) {
  if (output.anew) {
    unfinished_.clear();
    printed_.clear();
    if (file_ != nullptr) {
      std::rewind(file_);
      (void)!::ftruncate(::fileno(file_), 0);
    }
  }
  if (file_ != nullptr) {
    for (const std::string* text : {&output.repeated, &output.fresh}) {
      std::fwrite(text->data(), 1, text->size(), file_);
    }
    std::fflush(file_);
  }
  show_output(output.repeated, false);
  bool unfinished = ended && !(unfinished_ + output.fresh).empty() &&
                    !(unfinished_ + output.fresh).ends_with('\n');
  show_output(output.fresh + (unfinished ? "\n" : ""), true);
}

std::optional<std::string> Console::next_line() {
  for (;;) {
    if (std::size_t end = input_.find('\n'); end != std::string::npos) {
      std::string line = input_.substr(0, end);
      input_.erase(0, end + 1);
      return line;
    }
    if (input_ended_ || end_driver.load()) {
      return input_.empty() ? std::nullopt : std::optional(std::exchange(input_, ""));
    }
    char chunk[4096];
    ssize_t n = ::read(0, chunk, sizeof chunk);
    if (n > 0) {
      input_.append(chunk, static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EINTR && !end_driver.load()) {
      return "\x03";  // Ctrl-C at the prompt
    } else {
      input_ended_ = true;
    }
  }
}

std::optional<std::string> Console::read_line(const std::string& prompt) {
  for (;;) {
    std::printf("%s", prompt.c_str());
    std::fflush(stdout);
    stop_command.store(false);
    std::optional<std::string> line = next_line();
    if (line == "\x03") {
      std::printf("\n(q ends the driver)\n");
      continue;
    }
    if (echoes_) {
      std::printf("%s\n", line ? line->c_str() : "");
      std::fflush(stdout);
    }
    return line;
  }
}

}  // namespace rff
