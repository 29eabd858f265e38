#include "fuzzer/campaign/afl_fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <sstream>
#include <vector>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/leftovers.h"
#include "schedule/open_files.h"

namespace rff {
namespace {

ToolError no_resource(const char* what) {
  return tool_failed(std::string("cannot make ") + what + ": " + std::strerror(errno));
}

// While this object exists, a started process may open as many files as afl-fuzz needs: the fork
// server uses descriptors 198 and 199.
class EnoughOpenFiles {
 public:
  EnoughOpenFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    if (before_.rlim_cur >= kNeeded) {
      return;
    }
    rlimit wanted{kNeeded, std::max(kNeeded, before_.rlim_max)};
    if (::setrlimit(RLIMIT_NOFILE, &wanted) != 0) {
      throw bad_usage("afl-fuzz needs " + std::to_string(kNeeded) +
                      " open files, and the limit is " + std::to_string(before_.rlim_max) +
                      ": raise it (ulimit -n " + std::to_string(kNeeded) + ")");
    }
    raised_ = true;
  }
  ~EnoughOpenFiles() {
    if (raised_) {
      ::setrlimit(RLIMIT_NOFILE, &before_);
    }
  }
  EnoughOpenFiles(const EnoughOpenFiles&) = delete;
  EnoughOpenFiles& operator=(const EnoughOpenFiles&) = delete;

  // Tells rff-launch to restore the original limit for the program.
  void tell(std::map<std::string, std::string>& environment) const {
    if (raised_) {
      environment[kOpenFilesVariable] =
          std::to_string(before_.rlim_cur) + " " + std::to_string(before_.rlim_max);
    }
  }

 private:
  static constexpr rlim_t kNeeded = 256;
  rlimit before_{};
  bool raised_ = false;
};

// Removes color and cursor control sequences.
std::string plain(const std::string& line) {
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      i = line.find_first_of("ABCDEFGHJKSTfhlmnsu", i + 1);
      if (i == std::string::npos) {
        break;
      }
    } else if (static_cast<unsigned char>(line[i]) >= ' ') {
      result += line[i];
    }
  }
  return result;
}

// Removes the shared memory of a killed afl-fuzz, which the system would keep until a reboot.
void remove_segments(pid_t maker, std::time_t since) {
  shm_info all{};
  int last = ::shmctl(0, SHM_INFO, reinterpret_cast<shmid_ds*>(&all));
  for (int i = 0; i <= last; ++i) {
    shmid_ds segment{};
    int id = ::shmctl(i, SHM_STAT, &segment);
    if (id >= 0 && segment.shm_cpid == maker && segment.shm_ctime >= since) {
      ::shmctl(id, IPC_RMID, nullptr);
    }
  }
}

// The timeout for afl-fuzz. The runtime ends long runs earlier and reports their positions;
// afl-fuzz kills the run if the runtime cannot.
std::string last_timeout(const AflFuzz::Settings& s) {
  return std::to_string(s.schedule_timeout_ms + s.schedule_timeout_ms / 4 + 1000);
}

std::vector<std::string> arguments_of(const AflFuzz::Settings& s) {
  std::vector<std::string> arguments = {s.afl_fuzz, "-i", s.seeds, "-o", s.tree, "-m", "none", "-t",
                                        last_timeout(s), "-Z", "-s",
                                        std::to_string(s.seed % 0x7fffffff + 1),
                                        // The default would take a hash of the map after each run.
                                        "-p", "explore"};
  if (s.instances > 1) {
    // A restarted instance gets a new name, because the others remember how far they have read
    // under the old one.
    std::string name = s.index == 0 ? "main" : "second" + std::to_string(s.index);
    name += s.restarts > 0 ? "_" + std::to_string(s.restarts) : "";
    arguments.insert(arguments.end(), {s.index == 0 ? "-M" : "-S", name});
  }
  arguments.push_back("--");
  arguments.insert(arguments.end(), s.target.arguments.begin(), s.target.arguments.end());
  return arguments;
}

std::map<std::string, std::string> environment_of(const AflFuzz::Settings& s,
                                                  const std::string& shared_path, int socket) {
  std::map<std::string, std::string> environment = {
      {kSharedPathVariable, shared_path},
      {kCampaignVariable, s.campaign_memory},
      {kInstanceVariable, std::to_string(s.index)},
      {kSocketVariable, std::to_string(socket)},
      {kCarrierVariable, s.carrier},
      {"AFL_CUSTOM_MUTATOR_LIBRARY", s.mutator},
      {"AFL_CUSTOM_MUTATOR_ONLY", "1"},
      {"AFL_DISABLE_TRIM", "1"},
      // The calibration of the seeds would refuse a program that fails at once.
      {"AFL_NO_STARTUP_CALIBRATION", "1"},
      {"AFL_FAST_CAL", "1"},
      {"AFL_MAP_SIZE", std::to_string(s.small_map ? kSmallMap : kLargeMap)},
      {"AFL_HANG_TMOUT", last_timeout(s)},
      {"AFL_FORKSRV_INIT_TMOUT", std::to_string(s.schedule_timeout_ms + 60'000)},
      // These checks of the system only matter for programs that dump core.
      {"AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"},
      {"AFL_SKIP_CPUFREQ", "1"},
      {"AFL_NO_AFFINITY", "1"},
      {"AFL_NO_CRASH_README", "1"},
      {"AFL_IGNORE_UNKNOWN_ENVS", "1"},
  };
  environment.insert(s.target.environment.begin(), s.target.environment.end());
  if (const char* way = std::getenv(kSnapshotVariable)) {
    environment[kSnapshotVariable] = way;
  }
  if (const char* join = std::getenv(kJoinVariable)) {
    environment[kJoinVariable] = join;
  }
  if (!s.show_screen) {
    environment["AFL_NO_UI"] = "1";
  }
  if (s.processor >= 0) {
    environment[kProcessorVariable] = std::to_string(s.processor);
  }
  return environment;
}

}  // namespace

AflFuzz::AflFuzz(const Settings& s) : shared_(SharedMapping::create(sizeof(SharedMemory))) {
  if (!shared_.valid()) {
    throw no_resource("shared memory");
  }
  memory().initialize();
  memory().schedule_timeout_ms = s.schedule_timeout_ms;
  memory().has_small_map = s.small_map ? 1 : 0;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw no_resource("a socket");
  }
  socket_ = ends[0];
  ChildProcess::Command command;
  command.arguments = arguments_of(s);
  command.environment = environment_of(s, shared_.path(), ends[1]);
  command.output = s.show_screen ? ChildProcess::kOurs : open_output();
  command.inherit = {ends[1]};
  Leftovers adopted_from_now_on;
  EnoughOpenFiles limit;
  limit.tell(command.environment);
  started_ = std::time(nullptr);
  process_ = ChildProcess(command);
  pid_ = process_.pid();
  ::close(ends[1]);
  if (!s.show_screen) {
    ::close(command.output);
  }
  if (!process_.running()) {
    throw tool_failed("cannot start " + s.afl_fuzz + ": " + std::strerror(process_.error()));
  }
}

// Creates the pipe for the output of afl-fuzz and returns its write end.
int AflFuzz::open_output() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw no_resource("a pipe");
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  output_ = ends[0];
  return ends[1];
}

AflFuzz::~AflFuzz() {
  kill();
  if (pid_ > 0) {
    remove_segments(pid_, started_);
  }
  for (int fd : {socket_, output_}) {
    if (fd >= 0) {
      ::close(fd);
    }
  }
}

// Kills afl-fuzz and the program. afl-fuzz starts the program in its own session, so a program that
// has not reached the fork server would keep running.
void AflFuzz::kill() {
  Leftovers leftovers;
  process_.kill_group();
}

std::string AflFuzz::cause_of_death() {
  read_output();
  if (WIFSIGNALED(status())) {
    return "afl-fuzz was killed by " + wait_status_words(status());
  }
  return memory().panic.view().empty()
             ? "afl-fuzz gave up: " + complaint()
             : "the program cannot be run: " + std::string(memory().panic.view());
}

void AflFuzz::stop() { process_.signal(SIGINT); }

void AflFuzz::read_output() {
  char buffer[1 << 14];
  ssize_t n;
  while (output_ >= 0 && (n = ::read(output_, buffer, sizeof buffer)) > 0) {
    tail_.append(buffer, static_cast<std::size_t>(n));
  }
  constexpr std::size_t kKeep = 1 << 14;
  if (tail_.size() > kKeep) {
    tail_.erase(0, tail_.size() - kKeep);
  }
}

std::string AflFuzz::complaint() const {
  std::istringstream lines(tail_);
  std::string last, complaint;
  for (std::string raw; std::getline(lines, raw);) {
    std::string line = plain(raw);
    if (line.find_first_not_of(' ') == std::string::npos) {
      continue;
    }
    for (const char* mark : {"PROGRAM ABORT : ", "SYSTEM ERROR : "}) {
      if (std::size_t at = line.find(mark); at != std::string::npos) {
        complaint = line.substr(at + std::strlen(mark));
      }
    }
    if (line.find("OS message : ") != std::string::npos) {
      complaint += ":" + line.substr(line.find("OS message : ") + 12);
    }
    last = line;
  }
  return complaint.empty() ? last : complaint;
}

}  // namespace rff
