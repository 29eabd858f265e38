#include "tests/support/server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "fuzzer/run/leftovers.h"
#include "libsched/process/fork_server.h"

namespace rff::test {
namespace {

// The descriptors of the protocol, and the largest test case that AFL++ allows.
constexpr int kControl = 198;
constexpr int kStatus = 199;
constexpr std::size_t kMostInput = std::size_t{1} << 20;
// The limit in milliseconds: a hang is found after many steps, and the machine may be busy.
constexpr int kPatience = 120'000;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

}  // namespace

Server::Server(const std::vector<std::string>& command, bool keeps_output) {
  signal(SIGPIPE, SIG_IGN);
  shared_ = make_shared_memory(folder_ / "shared");
  shared_->cache_disabled = 1;
  map_id_ = shmget(IPC_PRIVATE, kLargeMap, IPC_CREAT | 0600);
  input_id_ = shmget(IPC_PRIVATE, kMostInput + 4, IPC_CREAT | 0600);
  map_ = static_cast<unsigned char*>(shmat(map_id_, nullptr, 0));
  input_ = static_cast<unsigned char*>(shmat(input_id_, nullptr, 0));
  if (map_id_ < 0 || input_id_ < 0 || input_ == reinterpret_cast<unsigned char*>(-1) ||
      map_ == reinterpret_cast<unsigned char*>(-1)) {
    fail("cannot make System V shared memory");
  }
  if (keeps_output) {
    output_ = open((folder_ / "output").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  start(command);
}

Server::~Server() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    Leftovers::forget(child_);
  }
  close(control_);
  close(status_);
  close(output_);
  shmdt(map_);
  shmdt(input_);
  shmctl(map_id_, IPC_RMID, nullptr);
  shmctl(input_id_, IPC_RMID, nullptr);
}

void Server::start(const std::vector<std::string>& command) {
  int control[2];
  int status[2];
  if (pipe2(control, O_CLOEXEC) != 0 || pipe2(status, O_CLOEXEC) != 0) {
    fail("pipe failed");
  }
  child_ = Leftovers::fork_kept();
  if (child_ == 0) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(output_ >= 0 ? output_ : null, 1);
    if (output_ < 0) {
      dup2(null, 0);
      dup2(null, 2);
    }
    dup2(control[0], kControl);
    dup2(status[1], kStatus);
    setenv(kSharedPathVariable, (folder_ / "shared").c_str(), 1);
    setenv("__AFL_SHM_ID", std::to_string(map_id_).c_str(), 1);
    setenv("__AFL_SHM_FUZZ_ID", std::to_string(input_id_).c_str(), 1);
    become(command);
  }
  close(control[0]);
  close(status[1]);
  control_ = control[1];
  status_ = status[0];
  std::uint32_t hello = 0;
  if (!receive(&hello, kPatience) || write(control_, &hello, 4) != 4) {
    fail("the fork server did not start: " + command[0]);
  }
}

bool Server::receive(std::uint32_t* word, int milliseconds) {
  pollfd p{status_, POLLIN, 0};
  return poll(&p, 1, milliseconds) == 1 && read(status_, word, 4) == 4;
}

bool Server::has_answer() const {
  pollfd p{status_, POLLIN, 0};
  return poll(&p, 1, 0) != 0;
}

int Server::run_and_kill(const Schedule& schedule, long nanoseconds) {
  request(encode_schedule(schedule));
  if (nanoseconds >= 0) {
    // Busy: a kernel's timer is too coarse for the phases of a run.
    auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
    kill(last_, SIGKILL);
  }
  std::uint32_t status = 0;
  if (!receive(&status, kPatience)) {
    fail("the fork server does not answer");
  }
  return static_cast<int>(status);
}

// Sends a test case, and learns which process runs it.
void Server::request(const std::string& test_case) {
  if (test_case.size() > kMostInput) {
    fail("the schedule is too long for a test case");
  }
  auto size = static_cast<std::uint32_t>(test_case.size());
  std::memcpy(input_, &size, 4);
  std::memcpy(input_ + 4, test_case.data(), test_case.size());
  std::memset(map_, 0, kLargeMap);
  if (output_ >= 0 && ftruncate(output_, 0) != 0) {
    fail("cannot empty the output file");
  }
  std::uint32_t was_killed = 0;
  std::uint32_t pid = 0;
  if (write(control_, &was_killed, 4) != 4 || !receive(&pid, kPatience)) {
    fail("the fork server has gone");
  }
  last_ = static_cast<pid_t>(pid);
}

RunResult Server::run(const std::string& test_case) {
  request(test_case);
  std::uint32_t status = 0;
  if (!receive(&status, kPatience)) {
    kill(last_, SIGKILL);
    if (!receive(&status, kPatience)) {
      fail("the fork server does not answer");
    }
  }
  RunResult result;
  result.wait_status = static_cast<int>(status);
  result.shared = shared_;
  char chunk[4096];
  off_t at = 0;
  for (ssize_t n; (n = pread(output_, chunk, sizeof chunk, at)) > 0; at += n) {
    result.output.append(chunk, static_cast<std::size_t>(n));
  }
  return result;
}

}  // namespace rff::test
