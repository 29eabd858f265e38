// For tests: a fork server in a separate process, with the test at the fuzzer's end of the pipes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "libsched/process/fork_server.h"

namespace rff {

inline constexpr int kControl = 198, kStatus = 199;  // as in AFL++

// Shared memory in which server and runs leave results for the test.
struct Seen {
  int preparations;
  int runs;
};

class ForkServerTest : public testing::Test, private RunPreparation {
 protected:
  ForkServerTest() {
    shared_ = map<SharedMemory>();
    shared_->initialize();
    seen_ = map<Seen>();
    map_id_ = shmget(IPC_PRIVATE, kLargeMap, IPC_CREAT | 0600);
    input_id_ = shmget(IPC_PRIVATE, 1 << 16, IPC_CREAT | 0600);
    afl_map_ = static_cast<std::uint8_t*>(shmat(map_id_, nullptr, 0));
    input_ = static_cast<char*>(shmat(input_id_, nullptr, 0));
    shmctl(map_id_, IPC_RMID, nullptr);  // takes effect when the last process detaches
    shmctl(input_id_, IPC_RMID, nullptr);
  }
  ~ForkServerTest() override {
    hang_up();
    shmdt(afl_map_);
    shmdt(input_);
    munmap(shared_, sizeof *shared_);
    munmap(seen_, sizeof *seen_);
  }

  template <typename T>
  static T* map() {
    return static_cast<T*>(mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }

  // Starts a server whose runs call `body` and end with the status it returns.
  void serve(std::function<int(std::string_view)> body) {
    int control[2], status[2];
    ASSERT_EQ(pipe2(control, O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(status, O_CLOEXEC), 0);
    server_ = fork();
    if (server_ == 0) {
      dup2(control[0], kControl);
      dup2(status[1], kStatus);
      for (int fd : {control[0], control[1], status[0], status[1]}) {
        close(fd);
      }
      setenv("__AFL_SHM_ID", std::to_string(map_id_).c_str(), 1);
      setenv("__AFL_SHM_FUZZ_ID", std::to_string(input_id_).c_str(), 1);
      ForkServer server;
      if (!server.connect(shared_)) {
        _exit(3);
      }
      ForkPoint point;
      point.remember_files();
      TestCase test_case;
      server.serve(point, *this, &test_case);
      ++seen_->runs;
      _exit(body(test_case.bytes()));
    }
    close(control[0]);
    close(status[1]);
    to_server_ = control[1];
    from_server_ = status[0];
    hello_ = receive();
    send(0);
  }
  void prepare_runs() override { ++seen_->preparations; }
  void run_ended() override {}

  void send(std::uint32_t word) { ASSERT_EQ(::write(to_server_, &word, sizeof word), 4); }
  std::uint32_t receive() {
    std::uint32_t word = 0;
    EXPECT_EQ(::read(from_server_, &word, sizeof word), 4);
    return word;
  }
  // Requests a run and returns its process.
  pid_t begin(std::string_view test_case) {
    auto size = static_cast<std::uint32_t>(test_case.size());
    std::memcpy(input_, &size, sizeof size);
    std::memcpy(input_ + sizeof size, test_case.data(), test_case.size());
    send(0);
    return static_cast<pid_t>(receive());
  }
  // Requests a run and waits for its end. Returns how it ended.
  int run(std::string_view test_case) {
    last_ = begin(test_case);
    return static_cast<int>(receive());
  }
  // Closes the fuzzer's end. Returns how the server ended.
  int hang_up() {
    int status = 0;
    if (server_ > 0) {
      close(to_server_);
      close(from_server_);
      waitpid(server_, &status, 0);
      server_ = 0;
    }
    return status;
  }
  // For runs: completes the record.
  void end_run() {
    shared_->run.threads = 1;
    shared_->run.outcome.store(RunOutcome::kNormal);
    shared_->run.state.store(RunState::kEnded);
  }

  SharedMemory* shared_;
  Seen* seen_;
  int map_id_, input_id_;
  std::uint8_t* afl_map_;
  char* input_;
  pid_t server_ = 0, last_ = 0;
  int to_server_ = -1, from_server_ = -1;
  std::uint32_t hello_ = 0;
};

}  // namespace rff
