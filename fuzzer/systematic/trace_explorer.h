// Explores each trace class once: optimal dynamic partial order reduction. After each run it looks
// for races that could have gone the other way, and plans the shortest sequence of steps that makes
// them do so, at the place where the run decided them. Sleep sets keep it from doing twice what was
// done already.
// Abdulla, Aronis, Jonsson, Sagonas: Source Sets: A Foundation for Optimal Dynamic Partial Order
// Reduction, J. ACM 2017. Operations that wait: a race is looked for among those that could have
// come first; where that is not known it is tried, and a run in vain counts as redundant.
#pragma once

#include <vector>

#include "fuzzer/systematic/explorer.h"
#include "fuzzer/systematic/wakeup_tree.h"

namespace rff {

class StepReader;
class StepWriter;

class TraceExplorer : public Explorer {
 public:
  // `large_steps`: what a step touches is more than its operation, and may depend on what it reads.
  explicit TraceExplorer(bool large_steps = false) : large_steps_(large_steps) {}

  std::optional<Exploration> next(Random& random) override;
  bool observe(const ExploredRun& run) override;
  std::vector<Exploration> foresee(std::size_t most, Random& random) override;
  bool save(ByteWriter& writer) const override;
  void restore(ByteReader& reader) override;
  double part_done() const override;

 private:
  // The state before one step of the latest run.
  struct Node {
    std::vector<SharedStep> asleep;  // steps that need not be made here
    WakeupTree wakeups;              // what is to be explored from here
    // Sequences of which it is not known whether they are possible. They follow when there are no
    // others, so that none of those relies on one that turns out to be impossible.
    std::vector<std::vector<SharedStep>> attempts;
    SharedStep step;  // made here, or planned
    bool made = false;
    std::size_t done = 0;  // steps that were made here before
  };

  // The steps of `asleep` that do not depend on the step made after them.
  static std::vector<SharedStep> still_asleep(const std::vector<SharedStep>& asleep,
                                              const ExploredStep& made);
  static std::vector<std::uint32_t> next_values(const ExploredStep& step);
  bool plan_alternative(Node& node);
  void plan_wakeup();
  bool plan_attempt();
  void put_to_sleep(Node& node);
  Exploration plan() const;
  Exploration plan_until(std::size_t length) const;
  static void add_step(Exploration& plan, const ExploredStep& step);
  static void set_asleep(Exploration& plan, const std::vector<SharedStep>& asleep);
  // Adds the plans of the sequences of a wakeup tree that begins after `so_far`.
  static void foresee(const WakeupTree& tree, const Exploration& so_far,
                      std::vector<SharedStep> asleep, std::size_t most,
                      std::vector<Exploration>& plans);
  std::size_t follow(const ExploredRun& run);
  static bool plan_awake(Node& node, const ExploredStep& made);
  void add_races(const ExploredRun& run, std::size_t j, std::size_t followed);

  static void write(const Node& node, StepWriter& steps, ByteWriter& writer);
  static void read(Node& node, const StepReader& steps, ByteReader& reader);

  const bool large_steps_;
  bool began_ = false;
  std::vector<Node> path_;
  std::size_t branch_ = 0;  // the first node at which the planned run does something new
  std::vector<std::uint32_t> alternative_;  // the values to choose in the last planned step, if any
};

}  // namespace rff
