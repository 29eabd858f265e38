#include <rff/explore.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <typeinfo>
#include <vector>

namespace rff::detail {
namespace {

// One body while it runs.
struct Running {
  const std::function<void()>* body;
  std::exception_ptr thrown;
};

// Exceptions must not pass through frames of the runtime.
int call_body(void* argument) {
  auto& running = *static_cast<Running*>(argument);
  try {
    (*running.body)();
  } catch (...) {
    running.thrown = std::current_exception();
  }
  return 0;
}

void send(int fd, const Exploration& made);
int report_to = -1;  // in a child that makes the runs: its end of the pipe

void note_finding(const rff_facts* facts, void* argument) {
  auto& result = *static_cast<Exploration*>(argument);
  result.failed = true;
  result.kind = facts->kind;
  result.report = facts->report;
  result.replay = rff_last_text();
  if (report_to >= 0) {
    ++result.runs;
    send(report_to, result);
    _exit(0);
  }
  rff_abandon();
}

std::string words_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return std::string("an exception left the body: ") + e.what();
  } catch (...) {
    return "an exception left the body";
  }
}

void fail(Exploration& result, const char* kind, const std::string& words) {
  result.failed = true;
  result.kind = kind;
  result.replay = rff_last_text();
  result.report = "rff: " + words + "\n  replay: RFF_REPLAY=" + result.replay + "\n";
}

rff_schedule schedule_of(const ExploreOptions& options, std::uint64_t number) {
  if (options.replay.empty()) {
    return rff_schedule_from_seed(options.seed + number, options.scheduler.c_str());
  }
  return options.replay.rfind("UkZGU0NI", 0) == 0 ? rff_schedule_from_text(options.replay.c_str())
                                                  : rff_schedule_from_file(options.replay.c_str());
}

Exploration explore_here(const std::function<void()>& body, const ExploreOptions& options) {
  Exploration result;
  rff_on_finding(note_finding, &result);
  auto begin = std::chrono::steady_clock::now();
  bool once = !options.replay.empty() || rff_is_controlled() != 0;
  do {
    Running running{&body, nullptr};
    rff_schedule schedule = schedule_of(options, result.runs);
    rff_run(&schedule, call_body, &running);
    ++result.runs;
    if (running.thrown) {
      fail(result, "exception", words_of(running.thrown));
    } else if (!result.failed && options.failed && options.failed()) {
      fail(result, "check", "a check failed in run " + std::to_string(result.runs));
    }
    std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (options.seconds > 0 ? passed.count() >= options.seconds : result.runs >= options.runs) {
      break;
    }
  } while (!result.failed && !once);
  rff_on_finding(nullptr, nullptr);
  return result;
}

void write_all(int fd, const std::string& text) {
  auto size = static_cast<std::uint32_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += text;
  for (std::size_t at = 0; at < bytes.size();) {
    ssize_t n = write(fd, bytes.data() + at, bytes.size() - at);
    if (n <= 0) {
      _exit(1);
    }
    at += static_cast<std::size_t>(n);
  }
}

void send(int fd, const Exploration& made) {
  for (const std::string& text : {std::to_string(made.runs), std::string(made.failed ? "1" : ""),
                                  made.kind, made.report, made.replay}) {
    write_all(fd, text);
  }
}

std::optional<std::string> read_text(int fd) {
  auto fill = [fd](char* to, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes;) {
      ssize_t n = read(fd, to + at, bytes - at);
      if (n <= 0) {
        return false;
      }
      at += static_cast<std::size_t>(n);
    }
    return true;
  };
  std::uint32_t size = 0;
  if (!fill(reinterpret_cast<char*>(&size), sizeof size)) {
    return std::nullopt;
  }
  std::string text(size, 0);
  return fill(text.data(), size) ? std::optional(text) : std::nullopt;
}

// The child makes the runs and sends what came out; if it dies, that is the finding.
Exploration explore_in_child(const std::function<void()>& body, const ExploreOptions& options) {
  int ends[2];
  Exploration result;
  if (pipe(ends) != 0) {
    std::perror("rff: pipe");
    std::abort();
  }
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    report_to = ends[1];
    send(ends[1], explore_here(body, options));
    std::fflush(nullptr);
    _exit(0);
  }
  close(ends[1]);
  std::vector<std::string> texts;
  for (std::optional<std::string> text; texts.size() < 5 && (text = read_text(ends[0]));) {
    texts.push_back(*text);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (texts.size() == 5) {
    return {std::stoull(texts[0]), !texts[1].empty(), texts[2], texts[3], texts[4]};
  }
  result.failed = true;
  result.kind = "crash";
  result.report = "rff: the child with the runs ended with status " + std::to_string(status) + "\n";
  return result;
}

// Returns what follows `name` on the command line or in the variable of the same name.
std::optional<std::string> setting(const std::string& name) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::string flag = "--rff_" + name + "=";
  for (std::size_t at = 0; at < words.size(); at += std::strlen(words.c_str() + at) + 1) {
    if (words.compare(at, flag.size(), flag) == 0) {
      return std::string(words.c_str() + at + flag.size());
    }
  }
  std::string variable = "RFF_";
  for (char c : name) {
    variable += static_cast<char>(std::toupper(c));
  }
  const char* value = std::getenv(variable.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

template <typename Number>
void set_number(Number& to, const char* name) {
  if (std::optional<std::string> text = setting(name)) {
    char* end = nullptr;
    double value = std::strtod(text->c_str(), &end);
    if (end == text->c_str() || *end != 0 || value < 0) {
      std::fprintf(stderr, "rff: rff_%s is a number, not '%s'\n", name, text->c_str());
      std::_Exit(2);
    }
    to = static_cast<Number>(value);
  }
}

}  // namespace

Exploration explore(const std::function<void()>& body, const ExploreOptions& options) {
  return options.isolate ? explore_in_child(body, options) : explore_here(body, options);
}

ExploreOptions given_options(ExploreOptions options) {
  set_number(options.runs, "runs");
  set_number(options.seconds, "seconds");
  set_number(options.seed, "seed");
  options.scheduler = setting("scheduler").value_or(options.scheduler);
  options.replay = setting("replay").value_or(options.replay);
  options.isolate = setting("isolate").value_or("") == "fork";
  return options;
}

}  // namespace rff::detail
