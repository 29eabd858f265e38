// The path of decisions that makes the reads-from class of a run; see ReadsFromExplorer.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzzer/systematic/reads_from.h"

namespace rff {

// A step by its thread and how many steps that made before.
struct StepName {
  std::uint16_t thread = 0;
  std::uint32_t ordinal = 0;
  auto operator<=>(const StepName&) const = default;
};
// A decision: the write that a step reads from, or that the step is deferred.
struct PathChoice {
  enum class Kind : std::uint8_t { kWriter, kInitial, kDefer, kWorld, kCount };
  Kind kind = Kind::kDefer;
  StepName writer;                    // with kWriter
  std::vector<std::uint32_t> values;  // with kWorld: what the program's world chose in the step
  bool operator==(const PathChoice&) const = default;
};
// A choice that is to be explored, and a run that makes it.
struct PathAlternative {
  PathChoice choice;
  Exploration plan;
};
// A decision of the latest run.
struct PathNode {
  StepName step;
  PathChoice choice;
  std::vector<PathAlternative> alternatives;
  bool defer_known = false;  // whether to defer it is, or was, one of them
  PathAlternative defer;     // without a step to make instead
  // Steps that some run has shown to be possible before this one, and that may write what it
  // reads.
  std::set<StepName> rivals;
  std::size_t done = 0;

  // It comes last: what the other alternatives show may matter when the step decides again.
  void add_deferral(PathAlternative alternative) {
    if (!defer_known) {
      alternatives.insert(alternatives.begin(), std::move(alternative));
    }
    defer_known = true;
  }
};

// Derives the path of a run.
class ReadsFromPath {
 public:
  ReadsFromPath(std::vector<PathNode>& path, const ExploredRun& run, const ReadsFrom& reads_from);

  // Returns false if the run did not make the planned choices.
  bool derive();

  // Whether all that the run did is in the path.
  bool whole() const { return made_.size() == reads_from_.executed(); }

  // Adds the alternative to defer a step where the run has shown that it could read from another.
  void add_deferrals();

  // Why the choices do not tell all; empty if they do.
  const std::string& problem() const { return problem_; }

 private:
  struct ThreadState {
    std::vector<std::size_t> steps;
    std::size_t next = 0;
    bool deferred = false;
    std::size_t offered = 0;  // the number of steps that were made when it was deferred
    std::size_t node = 0;     // where
  };
  struct Decided {
    std::size_t node, step, made;  // the number of steps that were made before
    bool reads = false;            // not deferred
    std::vector<std::uint16_t> deferred;
  };

  bool available(std::size_t j) const { return is_made_.contains(run_.before_by_threads(j)); }
  void make(ThreadState& t, std::size_t j);
  std::size_t next_of(const ThreadState& t) const;
  bool make_writes();
  bool is_candidate(const ThreadState& t, std::size_t writer, std::size_t j) const;
  bool can_decide(const ThreadState& t) const;
  PathChoice choice_of(const ThreadState& t, std::size_t j) const;
  bool decide(ThreadState& t);

  // Choices of the program's world in a step are a decision of their own.
  bool choose_values(std::size_t j);
  void add_next_values(PathNode& node, std::size_t j);

  void add_node(const ThreadState& t, std::size_t j, const PathChoice& choice);

  // A rival that could come before the step when it was deferred, and has not, may still do so.
  void inherit_rivals(PathNode& node, const PathNode& deferred);

  void add_alternative(PathNode& node, std::size_t j, std::size_t writer, PathChoice choice,
                       const std::vector<std::uint16_t>& asleep);

  bool is_hidden(std::size_t writer, std::size_t j) const;
  // A step that may write what the decided one reads, and does not need it.
  void add_deferral(const Decided& d, PathNode& node);

  // Whether step e was deferred at the decision, so that it needs something else to be written.
  bool is_deferred_then(std::size_t e, const Decided& d) const;
  // Whether the step that thread t was about to make at the decision is in the set.
  bool passed(std::uint16_t t, const Bits& set, const Decided& d) const;

  // The threads that were deferred and for which nothing new has been written since.
  std::vector<std::uint16_t> deferred_threads(std::size_t deciding) const;

  std::vector<std::size_t> in_order_of_run(const Bits& set) const;
  Exploration plan_of(const std::vector<std::size_t>& order) const;

  std::vector<PathNode>& path_;
  const ExploredRun& run_;
  const ReadsFrom& reads_from_;
  std::vector<StepName> names_;
  std::map<std::uint16_t, ThreadState> threads_;
  std::vector<std::size_t> made_;  // the steps of the path so far
  Bits is_made_;
  std::vector<std::size_t> made_at_;  // of each step: its place in made_
  std::vector<Decided> decisions_;
  std::size_t depth_ = 0;
  // The run deferred a step that had other choices, which come first: the run is made again after
  // them.
  bool postponed_ = false;
  std::string problem_;
};

}  // namespace rff
