#include "libsched/process/fork_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "libsched/carrier/stacks.h"
#include "libsched/snapshot/worker.h"
#include "libsched/support/check.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/places.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

// The option word of AFL++'s old handshake, which 4.04c and newer versions understand.
constexpr std::uint32_t kEnabled = 0x80000001;
constexpr std::uint32_t kHasMapSize = 0x40000000;
constexpr std::uint32_t kSharedTestCases = 0x01000000;

bool send(std::uint32_t word) {
  int status = own_descriptors::get(own_descriptors::kStatus);
  return real::syscall6(SYS_write, status, reinterpret_cast<long>(&word), 4) == 4;
}
bool receive(std::uint32_t* word) {
  int control = own_descriptors::get(own_descriptors::kControl);
  return real::syscall6(SYS_read, control, reinterpret_cast<long>(word), 4) == 4;
}

std::uint8_t* attach(int id, long place) {
  if (id < 0) {
    return nullptr;
  }
  void* memory = RFF_REAL(shmat)(id, reinterpret_cast<void*>(place), 0);
  if (memory == reinterpret_cast<void*>(-1)) {
    memory = RFF_REAL(shmat)(id, nullptr, 0);
  }
  return memory == reinterpret_cast<void*>(-1) ? nullptr : static_cast<std::uint8_t*>(memory);
}

int id_in(const char* variable) {
  const char* id = std::getenv(variable);
  return id == nullptr ? -1 : std::atoi(id);
}

// Returns whether the run's record would be the same for another run of the same test case.
bool can_be_repeated(const SharedMemory* shared, int status) {
  bool cut_off = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && shared != nullptr &&
                 shared->run.outcome.load() != RunOutcome::kFinding;
  return shared != nullptr && !cut_off && shared->run.state.load() == RunState::kEnded &&
         shared->run.map_places.overflowed.load() == 0;
}

// Kills all children of this process, which adopts the children of any that end. Returns whether
// there were any.
bool end_children() {
  char list[4096];
  long fd = own_descriptors::open("/proc/thread-self/children", O_RDONLY);
  long length = real::syscall6(SYS_read, fd, reinterpret_cast<long>(list), sizeof list);
  real::syscall6(SYS_close, fd);
  bool any = false;
  const char* end = list + (length > 0 ? length : 0);
  for (const char* at = list; at < end; ++at) {  // each number is followed by a space
    pid_t child = 0;
    std::from_chars_result number = std::from_chars(at, end, child);
    if (number.ec != std::errc() || number.ptr == end) {
      break;  // cut off at the end of the buffer: next time
    }
    at = number.ptr;
    real::syscall6(SYS_kill, child, SIGKILL);
    any |= real::syscall6(SYS_wait4, child, 0, 0, 0) == child;
  }
  return any;
}

}  // namespace

void TestCase::set(std::string_view bytes) {
  size_ = bytes.size();
  if (size_ <= kShort) {
    std::memcpy(short_, bytes.data(), size_);
  } else {
    long_.assign(bytes);
  }
}

ForkServer::ForkServer() : map_id_(id_in("__AFL_SHM_ID")), input_id_(id_in("__AFL_SHM_FUZZ_ID")) {
  own_descriptors::start(map_id_ >= 0);
  const char* wanted = std::getenv(kSnapshotVariable);
  if (wanted != nullptr && !policy_.set(wanted)) {
    panic("RFF_SNAPSHOT is auto, uffd, copy or off, not ", wanted);
  }
}

bool ForkServer::connect(SharedMemory* shared) {
  shared_ = shared;
  map_size_ = shared != nullptr && shared->has_small_map != 0 ? kSmallMap : kLargeMap;
  map_ = attach(map_id_, places::kFuzzersMap);
  if (map_ == nullptr) {
    return false;
  }
  input_ = attach(input_id_, places::kFuzzersInput);
  if (input_ == nullptr) {
    return false;
  }
  real::syscall6(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1);
  std::uint32_t hello = kEnabled | kHasMapSize | ((map_size_ - 1) << 1) | kSharedTestCases;
  std::uint32_t answer = 0;
  if (!send(hello) || !receive(&answer)) {
    return false;
  }
  return true;
}

std::string_view ForkServer::given_bytes() const {
  std::uint32_t size = 0;
  std::memcpy(&size, input_, sizeof size);
  return {reinterpret_cast<const char*>(input_) + sizeof size, size};
}

void ForkServer::fill_map() {
  if (shared_ != nullptr) {
    for (std::uint16_t place : shared_->run.map_places) {
      map_[place] = 1;
    }
    if (shared_->run.has_branches != 0 && map_size_ == kLargeMap) {
      fill_upper_half();
    }
  }
}

// AFL++ looks at the counts in these steps, too.
void ForkServer::fill_upper_half() {
  constexpr std::uint8_t kSteps[] = {128, 32, 16, 8, 4, 3, 2, 1};
  const std::uint8_t* edges = shared_->run.edges;
  for (std::uint32_t i = 0; i < kMapHalf; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, edges + i, sizeof eight);
    for (std::uint32_t k = i; eight != 0; ++k, eight >>= 8) {
      for (std::uint8_t step : kSteps) {
        if ((eight & 0xff) >= step) {
          map_[kMapHalf + k] = step;
          break;
        }
      }
    }
  }
}

// Descendants in their own sessions are children of the server by now.
void ForkServer::end_descendants(pid_t run) const {
  real::syscall6(SYS_kill, -run, SIGKILL);
  bool made = shared_ != nullptr && shared_->made_processes.load() == shared_->run.sequence;
  while (made && end_children()) {
  }
}

void ForkServer::note_end(int status) {
  shared_->run.wait_status = status;
  if (shared_->run.state.load() == RunState::kEnded) {
    prepare_stacks();
  } else {
    shared_->run.outcome.store(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                                   ? RunOutcome::kUnresponsive
                                   : RunOutcome::kUnknown);
  }
}

// The next runs find as many stacks as the last one needed.
void ForkServer::prepare_stacks() {
  if (shared_->run.threads > 0) {  // 0: no run has ended yet
    stack_pages_ = shared_->run.stack_pages != 0 ? shared_->run.stack_pages : stack_pages_;
    stacks().prepare(shared_->run.stacks_used, stack_pages_ * kPage);
    stacks_ = std::max(stacks_, shared_->run.stacks_used);
  }
}

void ForkServer::allow_in_place() {
  if (policy_.off()) {
    return;
  }
  long turn = real::syscall6(SYS_mmap, places::kTurn, places::kSnapshot - places::kTurn,
                             PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  turn_ = turn == places::kTurn ? reinterpret_cast<Turn*>(turn) : nullptr;
}

// Waits for a request, unless a worker has handed one back.
std::uint32_t ForkServer::next_request() {
  std::uint32_t was_killed = 0;
  if (turn_ != nullptr && turn_->handed_back != 0) {
    turn_->handed_back = 0;
  } else if (!receive(&was_killed)) {
    real::syscall6(SYS_exit_group, 0);
  }
  return was_killed;
}

void ForkServer::serve(const ForkPoint& point, RunPreparation& preparation, TestCase* test_case) {
  std::uint32_t cached_status = 0;
  bool cached = false;
  for (;;) {
    std::uint32_t was_killed = next_request();
    if (cached && given_bytes() == test_case->bytes() && shared_->cache_disabled.load() == 0) {
      note_cache_hit();
      if (!send(static_cast<std::uint32_t>(real::syscall6(SYS_getpid))) || !send(cached_status)) {
        real::syscall6(SYS_exit_group, 1);
      }
      continue;
    }
    if (shared_ != nullptr) {
      ++shared_->forks;
      shared_->run.begin();
    }
    preparation.prepare_runs();
    point.restore_files();
    test_case->set(given_bytes());
    bool bare = test_case->bytes().empty();  // a bare fork, as a baseline for measurements
    bool in_place = !bare && prepare_worker(was_killed);
    // Bypasses the program's fork handlers: it did not ask for this fork.
    pid_t child = RFF_REAL(_Fork)();
    if (child < 0) {
      panic("fork failed");
    }
    if (child == 0) {
      begin_child(bare, in_place, test_case);
      return;
    }
    int status = 0;
    if ((!in_place && !send(static_cast<std::uint32_t>(child))) ||
        real::syscall6(SYS_wait4, child, reinterpret_cast<long>(&status), 0, 0) < 0) {
      real::syscall6(SYS_exit_group, 1);
    }
    if (in_place) {
      cached = false;
      worker_ended(child, status, preparation);
      continue;
    }
    finish_run(child, status, preparation);
    cached = can_be_repeated(shared_, status);
    cached_status = static_cast<std::uint32_t>(status);
    if (!send(static_cast<std::uint32_t>(status))) {
      real::syscall6(SYS_exit_group, 1);
    }
  }
}

void ForkServer::begin_child(bool bare, bool in_place, TestCase* test_case) {
  if (bare) {
    real::syscall6(SYS_exit_group, 0);
  }
  if (in_place) {
    work(test_case);
    return;
  }
  own_descriptors::close_servers();
  real::syscall6(SYS_setpgid, 0, 0);
}

void ForkServer::note_cache_hit() {
  fill_map();
  ++shared_->cache_hits;
  shared_->run.flags |= kFromCache;
}

void ForkServer::finish_run(pid_t run, int status, RunPreparation& preparation) {
  end_descendants(run);
  preparation.run_ended();
  fill_map();
  if (shared_ != nullptr) {
    note_end(status);
  }
}

void ForkServer::await_request(Worker& worker) {
  if (worker.last_status() < 0) {
    shared_->snapshot.set(policy_.tracking() == Tracking::kWrites ? "uffd" : "copy");
    worker.remember_case(given_bytes());
    worker.allow_signals();
    return;  // the template has taken the first request
  }
  ++shared_->in_place;
  fill_map();
  shared_->run.wait_status = worker.last_status();
  worker.send_status(worker.last_status());
  if (shared_->points.size() != points_ || shared_->run.stacks_used > stacks_ ||
      (shared_->run.stack_pages != 0 && shared_->run.stack_pages != stack_pages_) ||
      shared_->in_place_disabled.load() != 0) {
    real::syscall6(SYS_exit_group, 0);  // the next worker is made with what this run has shown
  }
  while (worker.take_request()) {
    std::string_view given = given_bytes();
    if (given.empty()) {
      turn_->handed_back = 1;
      real::syscall6(SYS_exit_group, 0);
    }
    if (given == worker.last_case() && shared_->cache_disabled.load() == 0 &&
        can_be_repeated(shared_, worker.last_status())) {
      answer_from_cache(worker);
    } else {
      worker.remember_case(given);
      ++shared_->forks;
      shared_->run.begin();
      return;
    }
  }
  turn_->hung_up = 1;
  real::syscall6(SYS_exit_group, 0);
}

void ForkServer::answer_from_cache(Worker& worker) {
  note_cache_hit();
  worker.send_process(static_cast<int>(real::syscall6(SYS_getpid)));
  worker.send_status(worker.last_status());
}

void ForkServer::worker_ended(pid_t worker, int status, RunPreparation& preparation) {
  if (turn_->hung_up != 0) {
    real::syscall6(SYS_exit_group, 0);
  }
  if (turn_->owed() && turn_->sent == 0 && turn_->handed_back == 0) {
    // It died before the run began.
    turn_->handed_back = 1;
    turn_->refused = shared_->in_place == in_place_before_ ? 1 : 0;
  }
  bool owed = turn_->owed() && turn_->handed_back == 0;
  if (turn_->refused != 0) {
    policy_.refused();
  } else {
    policy_.worker_ended(shared_->in_place - in_place_before_, owed);
    shared_->retired += owed ? 1 : 0;
    note_retirement();
  }
  if (!owed) {
    prepare_stacks();
    return;
  }
  finish_run(worker, status, preparation);
  if (!send(static_cast<std::uint32_t>(status))) {
    real::syscall6(SYS_exit_group, 1);
  }
}

}  // namespace rff
