// Runs a program many times through the runtime's fork server, as AFL++ does: a run costs a fork,
// not a process start.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "schedule/schedule_file.h"
#include "tests/support/runner.h"

namespace rff::test {

class Server {
 public:
  // `keeps_output`: the result of a run has what it wrote. Otherwise that goes to /dev/null, as
  // under afl-fuzz.
  explicit Server(const std::vector<std::string>& command, bool keeps_output = true);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The result shares its memory with the next run: read it before that.
  RunResult run(const Schedule& schedule) { return run(encode_schedule(schedule)); }
  RunResult run(const std::string& test_case);

  // Kills the process of the run so many nanoseconds after it was named (-1: not). Returns how it
  // ended.
  int run_and_kill(const Schedule& schedule, long nanoseconds);
  // The process that made the last run.
  pid_t last_process() const { return last_; }
  // Whether the server has said something that it was not asked for.
  bool has_answer() const;

  SharedMemory& shared() { return *shared_; }
  // Returns the map that AFL++ would read after a run.
  const unsigned char* map() const { return map_; }
  pid_t process() const { return child_; }

  // See LearnedPoints.
  void learn() { points_.learn(*shared_); }
  Schedule schedule(SchedulerKind kind, std::uint64_t seed) const {
    return points_.schedule(kind, seed);
  }

 private:
  void start(const std::vector<std::string>& command);
  bool receive(std::uint32_t* word, int milliseconds);
  void request(const std::string& test_case);

  Folder folder_;
  std::shared_ptr<SharedMemory> shared_;
  int map_id_ = -1;
  int input_id_ = -1;
  unsigned char* map_ = nullptr;
  unsigned char* input_ = nullptr;
  int control_ = -1;  // to the fork server
  int status_ = -1;   // from the fork server
  int output_ = -1;
  pid_t child_ = -1;
  pid_t last_ = -1;
  LearnedPoints points_;
};

}  // namespace rff::test
