// How the fork server makes workers, and why they retired.
#include <algorithm>

#include "libsched/carrier/stacks.h"
#include "libsched/process/fork_server.h"
#include "libsched/report/watchdog.h"
#include "libsched/snapshot/worker.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"

namespace rff {

// Returns whether the next child is to be a worker.
bool ForkServer::prepare_worker(std::uint32_t request) {
  if (turn_ == nullptr || shared_->in_place_disabled.load() != 0 || !policy_.next_in_place()) {
    return false;
  }
  *turn_ = {};
  turn_->retired_by = -1;
  turn_->request = request;
  points_ = shared_->points.size();
  in_place_before_ = shared_->in_place;
  return true;
}

void ForkServer::work(TestCase* test_case) {
  const char* obstacle =
      Worker::make(own_descriptors::get(own_descriptors::kControl),
                   own_descriptors::get(own_descriptors::kStatus), shared_, turn_);
  Worker& worker = Worker::get();
  auto self = static_cast<pid_t>(real::syscall6(SYS_getpid));
  if (obstacle == nullptr) {
    watchdog::keep_looking();
    stacks().expect_present();
    own_descriptors::close_servers();
    real::syscall6(SYS_setpgid, 0, 0);
    // Every run begins here, also the first.
    if (rff_save_registers(&worker.registers) != 0) {
      await_request(worker);
      worker.watch();  // a long test case may take memory
      test_case->set(given_bytes());
      worker.send_process(self);
      return;
    }
    obstacle = worker.begin(policy_.tracking(), policy_.checks());
  }
  shared_->snapshot.set(obstacle);
  turn_->refused = turn_->handed_back = 1;
  real::syscall6(SYS_exit_group, 0);
}

void ForkServer::note_retirement() {
  if (turn_->retired_by < 0 || shared_->run.outcome.load() == RunOutcome::kFinding) {
    return;  // findings end the process
  }
  auto& all = shared_->retirements;
  auto* known = std::find_if(all.items, all.items + all.size(),
                             [&](const Retirements& r) { return r.call == turn_->retired_by; });
  if (known != all.items + all.size()) {
    ++known->count;
  } else {
    all.append({turn_->retired_by, 1});
  }
}

}  // namespace rff
