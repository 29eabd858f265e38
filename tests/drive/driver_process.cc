#include "tests/drive/driver_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace rff::test {
namespace {

constexpr int kPatience = 60'000;  // milliseconds; only a hanging driver needs them

// Returns the number in the prompt at the end of the text, "step 12> "; -1 if there is none.
int prompt_at_end(const std::string& text, std::size_t& begin) {
  constexpr char kStep[] = "step ";
  if (!text.ends_with("> ")) {
    return -1;
  }
  std::size_t line = text.rfind('\n');
  begin = line == std::string::npos ? 0 : line + 1;
  std::size_t digits = begin + sizeof kStep - 1;
  if (text.compare(begin, sizeof kStep - 1, kStep) != 0 || digits >= text.size()) {
    return -1;
  }
  for (std::size_t i = digits; i + 2 < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      return -1;
    }
  }
  return std::atoi(text.c_str() + digits);
}

}  // namespace

DriverProcess::DriverProcess(std::vector<std::string> command) {
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipes");
  }
  signal(SIGPIPE, SIG_IGN);
  child_ = fork();
  if (child_ == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    dup2(from[1], 2);
    std::vector<char*> arguments;
    for (std::string& word : command) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  in_ = to[1];
  out_ = from[0];
  greeting_ = read_to_prompt();
}

DriverProcess::~DriverProcess() { end(); }

std::string DriverProcess::read_to_prompt() {
  std::string text;
  for (;;) {
    std::size_t begin = 0;
    if (int step = prompt_at_end(text, begin); step >= 0) {
      step_ = step;
      return text.substr(0, begin);
    }
    if (!read_more(text)) {
      throw std::runtime_error("no prompt after: " + text);
    }
  }
}

bool DriverProcess::read_more(std::string& text) const {
  pollfd fd = {out_, POLLIN, 0};
  char chunk[4096];
  ssize_t n = poll(&fd, 1, kPatience) > 0 ? read(out_, chunk, sizeof chunk) : -1;
  text.append(chunk, n > 0 ? static_cast<std::size_t>(n) : 0);
  return n > 0;
}

std::string DriverProcess::read_to(const std::string& text) {
  std::string seen;
  while (!seen.ends_with(text)) {
    if (!read_more(seen)) {
      throw std::runtime_error("no " + text + " after: " + seen);
    }
  }
  return seen.substr(0, seen.size() - text.size());
}

void DriverProcess::send(const std::string& bytes) const {
  (void)!write(in_, bytes.data(), bytes.size());
}

std::string DriverProcess::type(const std::string& line) {
  send(line + "\n");
  std::string text = read_to_prompt();
  // The driver repeats what it was sent, for transcripts.
  return text.starts_with(line + "\n") ? text.substr(line.size() + 1) : text;
}

void DriverProcess::interrupt() const { kill(child_, SIGINT); }

int DriverProcess::end() {
  if (in_ < 0) {
    return -1;
  }
  close(std::exchange(in_, -1));
  char chunk[4096];
  while (read(out_, chunk, sizeof chunk) > 0) {
  }
  close(out_);
  int status = 0;
  waitpid(child_, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<pid_t> DriverProcess::children() const {
  std::string process = std::to_string(child_);
  std::ifstream list("/proc/" + process + "/task/" + process + "/children");
  std::vector<pid_t> result;
  for (pid_t child = 0; list >> child;) {
    result.push_back(child);
  }
  return result;
}

}  // namespace rff::test
