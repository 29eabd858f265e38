// The part of an instance that is for systematic searches: how one is continued, and how several
// instances work on it.
#include <unistd.h>

#include <algorithm>

#include "fuzzer/afl/instance.h"

namespace rff {
namespace {

// The time to wait for the run of a plan that another instance has. It may have died, so the plan
// is then run again.
constexpr std::chrono::milliseconds kPatience{30};
constexpr useconds_t kBetweenLooks = 40;
// The number of plans to look ahead, for each instance.
constexpr std::size_t kAhead = 4;

}  // namespace

// A systematic search that was started again because its process died is not saved: what is on disk
// is from before.
void Instance::begin() {
  began_ = true;
  open_exchange();
  if (core_.exploration() == nullptr || index_ != 0 || status_.restarts.load() != 0) {
    return;
  }
  store_.emplace(campaign_, shared_);
  if (std::string wrong = store_->restore(core_); !wrong.empty()) {
    trouble(wrong);
    store_.reset();
  }
  publish_exploration();
}

void Instance::save_exploration(bool at_end) {
  if (!store_) {
    return;
  }
  std::string wrong = at_end ? store_->save(core_) : store_->save_sometimes(core_);
  if (!wrong.empty()) {
    store_.reset();
    trouble(wrong);
  }
}

void Instance::publish_exploration() {
  if (const ExplorationState* state = core_.exploration()) {
    status_.exploration.set(*state);
  }
}

void Instance::open_exchange() {
  if (core_.exploration() == nullptr || campaign_.instances < 2) {
    return;
  }
  std::uint32_t others = campaign_.instances - 1;
  SharedMapping memory =
      SharedMapping::open(std::string(campaign_.exchange.view()), others * sizeof(PlanChannel));
  if (!memory.valid()) {
    trouble("cannot map the memory that the instances share");
  } else if (index_ == 0) {
    giver_.emplace(std::move(memory), others);
  } else {
    taker_.emplace(std::move(memory), index_);
  }
}

void Instance::exchange_plans() {
  if (!giver_) {
    return;
  }
  auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    take_runs();
    if (core_.finished() || stopping()) {
      return;
    }
    chosen_ = next_not_out();
    if (giver_->has_room()) {
      std::vector<Schedule> ahead =
          core_.foresee(kAhead * campaign_.instances, shared_.points.size());
      std::erase_if(ahead, [&](const Schedule& s) {
        return chosen_ && s.exploration.seed == chosen_->exploration.seed;
      });
      giver_->give(ahead, {shared_.points.begin(), shared_.points.size()});
    }
    if (chosen_ || std::chrono::steady_clock::now() > until) {
      return;
    }
    ::usleep(kBetweenLooks);
  }
}

// Returns the next schedule that no other instance has, if there is one.
std::optional<Schedule> Instance::next_not_out() {
  std::uint32_t points = shared_.points.size();
  Schedule next = core_.next_schedule(points);
  if (!giver_->is_out(next)) {
    return next;
  }
  for (Schedule& s : core_.foresee(kAhead * campaign_.instances, points)) {
    if (!giver_->is_out(s)) {
      return std::move(s);
    }
  }
  return std::nullopt;
}

void Instance::take_runs() {
  giver_->take([&](const Schedule* schedule, ReceivedRun& received) {
    learn_from_other(schedule, received);
  });
}

void Instance::learn_from_other(const Schedule* schedule, ReceivedRun& received) {
  for (std::uint64_t point : received.points) {
    if (std::find(shared_.points.begin(), shared_.points.end(), point) == shared_.points.end()) {
      shared_.points.append(point);
    }
  }
  if (store_) {
    for (const std::string& call : received.unmodelled_calls) {
      store_->note_unmodelled_call(call);
    }
    for (const std::string& module : received.unpatched_modules) {
      store_->note_unpatched_module(module);
    }
  }
  add_points();
  // With more scheduling points than the run used it says nothing.
  if (schedule != nullptr && received.usable &&
      schedule->points.shared_version == shared_.points.size()) {
    core_.report(*schedule, received.run);
    publish_exploration();
  }
}

// Waits for a plan of the first instance.
bool Instance::take_plan() {
  while (!stopping()) {
    if ((chosen_ = taker_->take())) {
      return true;
    }
    ::usleep(kBetweenLooks);
  }
  return false;
}

}  // namespace rff
