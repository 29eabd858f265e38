#include "fuzzer/campaign/auditor.h"

#include <signal.h>

#include <utility>

#include "fuzzer/campaign/repetition.h"

namespace rff {
namespace {

// Naming the value takes two runs with traces; the first few are enough to find its source.
constexpr int kMostNamed = 3;

}  // namespace

Auditor::Auditor(Runner::Settings settings) : runner_(std::move(settings)) {
  runner_.stop_when(cancel_);
  thread_ = std::thread([this] { work(); });
}

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
  sigset_t all;  // only the main thread handles signals
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
    Schedule bare = job.schedule;  // the scheduler decides; nothing is replayed
    bare.finding.reset();
    std::string difference = difference_when_repeated(runner_, bare, *job.schedule.finding);
    if (!difference.empty() && named_ < kMostNamed && !cancel_.load()) {
      ++named_;
      difference += named_difference(runner_, bare);
    }
    std::lock_guard lock(mutex_);
    busy_ = false;
    if (!cancel_.load()) {
      verdicts_.push_back({std::move(job.schedule), job.number, std::move(difference)});
    }
  }
}

}  // namespace rff
