#include "fuzzer/campaign/minimisation.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rff {
namespace {

namespace fs = std::filesystem;

constexpr char kResult[] = "minimized.bin";

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Minimisation::~Minimisation() {
  process_.kill_group();
  if (printed_ >= 0) {
    ::close(printed_);
  }
}

void Minimisation::add(const fs::path& folder) {
  std::error_code error;
  if (settings_.max_runs > 0 && !fs::exists(folder / kResult, error)) {
    waiting_.push_back(folder);
  }
}

void Minimisation::start(const fs::path& folder) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return;
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ChildProcess::Command command;
  command.arguments = {settings_.replay,
                       "--minimize",
                       "--max-runs",
                       std::to_string(settings_.max_runs),
                       "--carrier",
                       settings_.carrier,
                       "--timeout",
                       std::to_string(settings_.timeout_ms / 1000.0),
                       "-o",
                       folder / kResult,
                       folder / "schedule.bin"};
  command.output = ends[1];
  process_ = ChildProcess(command);
  ::close(ends[1]);
  printed_ = ends[0];
  text_ = process_.running() ? ""
                             : std::string("cannot start ") + settings_.replay + ": " +
                                   std::strerror(process_.error());
  current_ = folder;
  busy_ = true;
}

std::vector<std::string> Minimisation::advance() {
  std::vector<std::string> messages;
  if (busy_) {
    bool ended = process_.ended();
    char buffer[4096];
    for (ssize_t n; (n = ::read(printed_, buffer, sizeof buffer)) > 0;) {
      text_.append(buffer, static_cast<std::size_t>(n));
    }
    if (!ended) {
      return messages;
    }
    ::close(printed_);
    printed_ = -1;
    busy_ = false;
    std::string line = last_line(text_);
    std::error_code error;
    if (fs::exists(current_ / kResult, error)) {
      messages.push_back("minimised: " + line);
    } else if (!hurried_) {
      messages.push_back(current_.filename().string() + " could not be minimised: " + line);
    }
  }
  if (!waiting_.empty()) {
    fs::path next = waiting_.front();
    waiting_.pop_front();
    start(next);
  }
  return messages;
}

void Minimisation::hurry() {
  hurried_ = true;
  waiting_.clear();
  process_.signal(SIGINT);
}

}  // namespace rff
