// How a TraceExplorer is saved and restored.
#include "fuzzer/systematic/plan_io.h"
#include "fuzzer/systematic/step_table.h"
#include "fuzzer/systematic/trace_explorer.h"

namespace rff {

void TraceExplorer::write(const Node& node, StepWriter& steps, ByteWriter& w) {
  steps.step(node.step, w);
  w.boolean(node.made);
  w.number<std::uint64_t>(node.done);
  steps.steps(node.asleep, w);
  steps.tree(node.wakeups, w);
  w.number(static_cast<std::uint32_t>(node.attempts.size()));
  for (const std::vector<SharedStep>& attempt : node.attempts) {
    steps.steps(attempt, w);
  }
}

void TraceExplorer::read(Node& node, const StepReader& steps, ByteReader& r) {
  steps.step(node.step, r);
  r.boolean(node.made, "nodes");
  std::uint64_t done = 0;
  r.number(done, "nodes");
  node.done = done;
  steps.steps(node.asleep, r);
  steps.tree(node.wakeups, r);
  node.attempts.resize(r.count(kMostSaved, sizeof(std::uint32_t), "attempts"));
  for (std::vector<SharedStep>& attempt : node.attempts) {
    steps.steps(attempt, r);
    if (attempt.empty()) {
      r.fail("an attempt without steps");
    }
  }
}

bool TraceExplorer::save(ByteWriter& w) const {
  StepWriter steps;
  std::string path;
  ByteWriter rest(path);
  for (const Node& node : path_) {
    write(node, steps, rest);
  }
  steps.table(w);
  w.boolean(began_);
  w.number(classes_);
  w.number(redundant_);
  w.number<std::uint64_t>(branch_);
  w.records(alternative_);
  w.number(static_cast<std::uint32_t>(path_.size()));
  w.bytes(path);
  return true;
}

void TraceExplorer::restore(ByteReader& r) {
  StepReader steps(r);
  std::uint64_t branch = 0;
  r.boolean(began_, "exploration");
  r.number(classes_, "exploration");
  r.number(redundant_, "exploration");
  r.number(branch, "exploration");
  r.records(alternative_, kMostSaved, "choices");
  branch_ = branch;
  path_.resize(r.count(kMostSaved, 25, "nodes"));
  for (Node& node : path_) {
    read(node, steps, r);
  }
  if (!path_.empty() && branch_ >= path_.size()) {
    r.fail("a plan that does not fit");
  }
}

}  // namespace rff
