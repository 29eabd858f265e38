// Explores each interleaving once: a tree whose nodes are choices, each with its alternatives (the
// threads that could make the step, or the values of what the program's world chooses). The next
// run follows alternatives that lead to something unexplored.
// Kliber, Parizek: Locating Concurrency Errors in Windows .NET Applications by Fuzzing over Thread
// Schedules (the scheduling graph, "systematic first" and "systematic random").
//
// With a bound, an interleaving costs its preemptions or delays, and only those within the bound
// are explored. The bound can be raised afterwards: nothing is explored twice. What is explored
// completely takes no memory.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "fuzzer/systematic/explorer.h"
#include "schedule/search_choice.h"

namespace rff {

class SchedulingGraph : public Explorer {
 public:
  SchedulingGraph(Exploration::Rest pick, ExplorationBound bound, std::uint32_t most)
      : pick_(pick), bound_(bound), most_(most) {}

  std::optional<Exploration> next(Random& random) override;
  bool observe(const ExploredRun& run) override;
  std::vector<Exploration> foresee(std::size_t most, Random& random) override;
  bool save(ByteWriter& writer) const override;
  void restore(ByteReader& reader) override;
  double part_done() const override { return began_ ? part(root_) : 0; }
  bool cut_by_bound() const override { return began_ && root_.opens_at != kExplored; }

  // Also explores what costs up to `most`.
  void raise_bound(std::uint32_t most) { most_ = most; }

 private:
  static constexpr std::uint32_t kExplored = ~0u;

  struct Node {
    struct Alternative {
      Decision step;        // of a choice of threads
      std::uint32_t value;  // of a choice of the world
      std::uint32_t cost;   // of all choices up to this one
      bool explored = false;
      bool planned = false;         // a plan that is not observed yet ends with it
      std::unique_ptr<Node> below;  // null: nothing is known, or all is explored
    };
    bool of_world = false;
    std::vector<Alternative> alternatives;  // the one that costs nothing first
    std::uint32_t opens_at = 0;  // the least cost of something unexplored below; kExplored: none
  };
  // One choice of a run: how a node for it would look, and what was chosen.
  struct Choice {
    Node node;
    std::size_t chosen = 0;
  };

  std::vector<Choice> choices_of(const ExploredRun& run) const;
  Choice choice_of(const ExploredStep& step, std::uint16_t last, std::uint32_t cost) const;
  std::uint32_t cost(const ExploredStep& step, std::size_t option, std::uint16_t last) const;
  bool plan_from(Node& node, Random& random, Exploration& plan) const;
  std::vector<std::size_t> open_alternatives(const Node& node) const;
  static void update(Node& node);
  double part(const Node& node) const;
  bool followed(const std::vector<Choice>& choices) const;

  static void write(const Node& node, ByteWriter& writer);
  static void read(Node& node, std::size_t depth, ByteReader& reader);

  Exploration::Rest pick_;
  ExplorationBound bound_;
  std::uint32_t most_;
  bool began_ = false;
  Node root_;
  Exploration planned_;
  std::deque<Exploration> foreseen_;  // the plans that follow
};

}  // namespace rff
