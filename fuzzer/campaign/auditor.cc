#include "fuzzer/campaign/auditor.h"

#include <signal.h>

#include <utility>

namespace rff {

Auditor::Auditor(Rerunner::Settings settings)
    : rerunner_(std::move(settings), cancel_), thread_([this] { work(); }) {}

void Auditor::add(Schedule schedule, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  jobs_.push_back({std::move(schedule), number});
  wake_.notify_one();
}

std::vector<Auditor::Verdict> Auditor::take_verdicts() {
  std::lock_guard lock(mutex_);
  return std::exchange(verdicts_, {});
}

bool Auditor::idle() {
  std::lock_guard lock(mutex_);
  return jobs_.empty() && !busy_;
}

void Auditor::stop() {
  {
    std::lock_guard lock(mutex_);
    cancel_.store(true);
    jobs_.clear();
    wake_.notify_one();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Auditor::work() {
  sigset_t all;  // signals are for the main thread
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return cancel_.load() || !jobs_.empty(); });
      if (cancel_.load()) {
        return;
      }
      job = std::move(jobs_.front());
      jobs_.pop_front();
      busy_ = true;
    }
    Schedule bare = job.schedule;  // decisions made anew, not replayed
    bare.finding.reset();
    RerunResult result = rerunner_.run(bare);
    std::lock_guard lock(mutex_);
    busy_ = false;
    if (!cancel_.load()) {
      std::string divergence = first_divergence(*job.schedule.finding, result);
      verdicts_.push_back({std::move(job.schedule), job.number, std::move(divergence)});
    }
  }
}

}  // namespace rff
