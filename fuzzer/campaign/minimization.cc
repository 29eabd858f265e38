#include "fuzzer/campaign/minimization.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

Minimization::~Minimization() {
  process_.kill_group();
  if (printed_ >= 0) {
    ::close(printed_);
  }
}

void Minimization::add(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "report.html", error)) {
    auto first =
        std::find_if(waiting_.begin(), waiting_.end(), [](const Job& j) { return j.shortens; });
    waiting_.insert(first, {folder, false});
  }
  if (settings_.max_runs > 0 && !fs::exists(folder / kResult, error)) {
    waiting_.push_back({folder, true});
  }
}

void Minimization::start(const Job& job) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return;
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ChildProcess::Command command;
  command.arguments = {settings_.replay,
                       "--report",
                       job.folder,
                       "--carrier",
                       settings_.carrier,
                       "--timeout",
                       std::to_string(settings_.timeout_ms / 1000.0)};
  std::vector<std::string> task = {"--quick"};
  if (job.shortens) {
    task = {"--minimize", "--max-runs", std::to_string(settings_.max_runs), "-o",
            job.folder / kResult};
  }
  command.arguments.insert(command.arguments.end(), task.begin(), task.end());
  command.arguments.push_back(job.folder / "schedule.bin");
  command.output = ends[1];
  process_ = ChildProcess(command);
  ::close(ends[1]);
  printed_ = ends[0];
  text_ = process_.running() ? ""
                             : std::string("cannot start ") + settings_.replay + ": " +
                                   std::strerror(process_.error());
  current_ = job;
  busy_ = true;
}

std::vector<std::string> Minimization::end_job() {
  ::close(printed_);
  printed_ = -1;
  busy_ = false;
  std::string line = last_line(text_);
  std::string name = current_.folder.filename().string();
  std::error_code error;
  if (!current_.shortens) {
    return fs::exists(current_.folder / "report.html", error)
               ? std::vector<std::string>{}
               : std::vector{name + " could not be explained: " + line};
  }
  if (fs::exists(current_.folder / kResult, error)) {
    return {"minimized: " + line};
  }
  return finishing_soon_ ? std::vector<std::string>{}
                         : std::vector{name + " could not be minimized: " + line};
}

std::vector<std::string> Minimization::advance() {
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
    messages = end_job();
  }
  if (!waiting_.empty()) {
    Job next = waiting_.front();
    waiting_.pop_front();
    start(next);
  }
  return messages;
}

void Minimization::finish_soon() {
  finishing_soon_ = true;
  std::erase_if(waiting_, [](const Job& job) { return job.shortens; });
  if (busy_ && current_.shortens) {
    process_.signal(SIGINT);
  }
}

}  // namespace rff
