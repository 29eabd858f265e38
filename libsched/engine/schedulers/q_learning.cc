// Q-learning: every action in a state costs one, so that what was done often becomes expensive and
// runs leave the beaten path. An action is the event that a thread is about to execute. It is drawn
// with a probability that falls exponentially with its cost.
// Mukherjee, Deligiannis, Biswas, Lal: Learning-Based Controlled Concurrency Testing, OOPSLA 2020.
//
// The state is what the threads are about to do and who wrote last where (ql), or the set of
// reads-from pairs so far (ql-rf; Section 5.5 of the RFF paper). The costs come with the schedule:
// the fuzzer computes them (fuzzer/core/action_costs.h) from what considered() returns. Integers
// only: the program owns the floating-point state.
#include <algorithm>
#include <utility>

#include "libsched/engine/schedulers/scheduler.h"
#include "schedule/flat_map.h"

namespace rff {
namespace {

// 2^(-i/16) in units of 2^-32.
constexpr std::uint64_t kPowers[16] = {
    4294967296, 4112874773, 3938502376, 3771522796, 3611622603, 3458501653, 3311872529, 3171459999,
    3037000500, 2908241642, 2784941738, 2666869345, 2553802834, 2445529972, 2341847524, 2242560872};

// e to the power of -cost, in units of 2^-32; never zero.
constexpr std::uint64_t weight(std::uint32_t cost) {
  // log2 e times 16, in units of 2^-12 as the cost is: 16ths of a halving.
  std::uint64_t sixteenths = (std::uint64_t{cost} * 94'548 / LearnedValue::kOne) >> 12;
  std::uint64_t halvings = std::min<std::uint64_t>(sixteenths / 16, 31);
  return std::max<std::uint64_t>(kPowers[sixteenths % 16] >> halvings, 1);
}

enum class State { kPendingAndWriters, kReadsFrom };

class QLearning : public Scheduler, public CrowdListener {
 public:
  QLearning(const Schedule& schedule, State state, LastWriters& memory)
      : random_(schedule.seed), learned_(schedule.learned), state_kind_(state), memory_(memory) {}

  CrowdListener* crowds() override { return this; }
  void pending(Thread& t) override { pending_ += mix64(t.crowd->id); }
  void withdrawn(Thread& t) override { pending_ -= mix64(t.crowd->id); }

  Thread* pick(const PendingThreads& threads) override {
    std::uint64_t state = this->state();
    collect(threads, state);
    std::uint64_t total = 0;
    for (const Option& o : options_) {
      total += o.weight;
    }
    std::uint64_t at = random_.below(total);
    const Option* chosen = options_.data();
    while (at >= chosen->weight) {
      at -= chosen->weight;
      ++chosen;
    }
    note(state);
    return nth_of(threads, *chosen, random_.below(chosen->threads));
  }

  // An operation without a choice is a choice among one: all orders of a program have the same
  // length, so none is cheap because it ends early.
  void executed(Thread& /*t*/, const Operation& op, const PendingThreads& /*others*/) override {
    if (first_open_ == considered_.size() && considered_.size() < kMostConsidered) {
      pending_ += mix64(op.id);
      considered_.push_back({state(), op.id, choices_++, ConsideredAction::kChosen});
      pending_ -= mix64(op.id);
    }
    for (std::size_t i = first_open_; i < considered_.size(); ++i) {
      considered_[i].flags = considered_[i].action == op.id ? ConsideredAction::kChosen : 0;
    }
    first_open_ = considered_.size();
    if (op.address == 0) {
      return;
    }
    if (state_kind_ == State::kReadsFrom) {
      if (op.reads()) {
        std::uint64_t pair = hash_combine(memory_.last_writer(op.address), op.id);
        pairs_ += seen_.insert(pair).second ? mix64(pair) : 0;
      }
    } else if (op.writes()) {
      std::uint64_t now = hash_combine(location_key(op.event), op.id);
      writers_ += now - std::exchange(wrote_[op.address], now);
    }
  }

  std::span<const ConsideredAction> considered() override {
    return {considered_.data(), first_open_};
  }

 private:
  static constexpr std::size_t kMostConsidered = decltype(RunRecord::considered)::capacity();

  struct Option {
    const Crowd* crowd = nullptr;
    std::uint64_t weight = 0;
    std::uint32_t threads = 0;
  };

  std::uint64_t state() const {
    return state_kind_ == State::kReadsFrom ? pairs_ : pending_ + writers_;
  }

  // The threads of a crowd are about to do the same, so they are one option.
  void collect(const PendingThreads& threads, std::uint64_t state) {
    options_.clear();
    threads.eager().for_each([&](std::uint32_t index) {
      const Crowd& crowd = *threads[index].crowd;
      if (crowd.number >= option_of_.size()) {
        option_of_.resize(crowd.number + 1);
      }
      std::uint32_t at = option_of_[crowd.number];
      if (at >= options_.size() || options_[at].crowd != &crowd) {
        option_of_[crowd.number] = static_cast<std::uint32_t>(options_.size());
        options_.push_back({&crowd, weight(cost(state, crowd.id)), 1});
      } else {
        ++options_[at].threads;
      }
    });
  }

  std::uint32_t cost(std::uint64_t state, std::uint64_t action) const {
    LearnedValue wanted = LearnedValue::make(state, action, 0);
    auto it = std::lower_bound(learned_.begin(), learned_.end(), wanted);
    return it != learned_.end() && it->choice() == wanted.choice() ? it->cost() : 0;
  }

  void note(std::uint64_t state) {
    if (considered_.size() + options_.size() <= kMostConsidered) {
      for (const Option& o : options_) {
        considered_.push_back({state, o.crowd->id, choices_, 0});
      }
      ++choices_;
    }
  }

  static Thread* nth_of(const PendingThreads& threads, const Option& option, std::uint64_t n) {
    Thread* found = nullptr;
    threads.eager().for_each([&](std::uint32_t index) {
      Thread& t = threads[index];
      if (found == nullptr && t.crowd == option.crowd && n-- == 0) {
        found = &t;
      }
    });
    return found;
  }

  Random random_;
  const std::vector<LearnedValue>& learned_;
  State state_kind_;
  LastWriters& memory_;
  std::uint64_t pending_ = 0;  // sums of hashes, so that the order does not matter
  std::uint64_t writers_ = 0;
  std::uint64_t pairs_ = 0;
  struct Nothing {};
  FlatMap<Nothing> seen_;         // reads-from pairs
  FlatMap<std::uint64_t> wrote_;  // address → its part of writers_
  std::vector<Option> options_;
  std::vector<std::uint32_t> option_of_;  // by Crowd::number
  std::vector<ConsideredAction> considered_;
  std::size_t first_open_ = 0;  // where the options of the latest choice begin
  std::uint32_t choices_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_q_learning(const Schedule& schedule, LastWriters& memory) {
  return std::make_unique<QLearning>(schedule, State::kPendingAndWriters, memory);
}
std::unique_ptr<Scheduler> make_q_learning_rf(const Schedule& schedule, LastWriters& memory) {
  return std::make_unique<QLearning>(schedule, State::kReadsFrom, memory);
}

}  // namespace rff
