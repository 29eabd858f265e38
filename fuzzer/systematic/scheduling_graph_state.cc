// How a SchedulingGraph is saved and restored.
#include "fuzzer/systematic/plan_io.h"
#include "fuzzer/systematic/scheduling_graph.h"

namespace rff {
namespace {

enum Flags : std::uint8_t { kIsExplored = 1, kIsPlanned = 2, kHasBelow = 4, kAll = 7 };

}  // namespace

void SchedulingGraph::write(const Node& node, ByteWriter& w) {
  w.boolean(node.of_world);
  w.number(node.opens_at);
  w.number(static_cast<std::uint32_t>(node.alternatives.size()));
  for (const Node::Alternative& a : node.alternatives) {
    w.number(a.step.thread);
    w.number(a.step.check.bits());
    w.number(a.value);
    w.number(a.cost);
    w.number(static_cast<std::uint8_t>((a.explored ? kIsExplored : 0) |
                                       (a.planned ? kIsPlanned : 0) |
                                       (a.below != nullptr ? kHasBelow : 0)));
    if (a.below != nullptr) {
      write(*a.below, w);
    }
  }
}

void SchedulingGraph::read(Node& node, std::size_t depth, ByteReader& r) {
  if (depth > kDeepestTree) {
    r.fail("a graph that is too deep");
  }
  r.boolean(node.of_world, "nodes");
  r.number(node.opens_at, "nodes");
  node.alternatives.resize(r.count(kMostSaved, 13, "alternatives"));
  for (Node::Alternative& a : node.alternatives) {
    std::uint16_t check = 0;
    std::uint8_t flags = 0;
    r.number(a.step.thread, "alternatives");
    r.number(check, "alternatives");
    r.number(a.value, "alternatives");
    r.number(a.cost, "alternatives");
    r.number(flags, "alternatives");
    a.step.check = check;
    a.explored = (flags & kIsExplored) != 0;
    a.planned = (flags & kIsPlanned) != 0;
    if (flags > kAll || ((flags & kHasBelow) != 0 && (a.explored || a.planned))) {
      r.fail("an alternative that does not fit");
    }
    if ((flags & kHasBelow) != 0 && r.ok()) {
      a.below = std::make_unique<Node>();
      read(*a.below, depth + 1, r);
    }
  }
  if (depth > 0 && node.alternatives.empty()) {
    r.fail("a node without alternatives");
  }
}

bool SchedulingGraph::save(ByteWriter& w) const {
  w.boolean(began_);
  w.number(most_);
  w.number(classes_);
  w.number(redundant_);
  write_exploration(planned_, w);
  w.number(static_cast<std::uint32_t>(foreseen_.size()));
  for (const Exploration& plan : foreseen_) {
    write_exploration(plan, w);
  }
  write(root_, w);
  return true;
}

void SchedulingGraph::restore(ByteReader& r) {
  r.boolean(began_, "exploration");
  r.number(most_, "exploration");
  r.number(classes_, "exploration");
  r.number(redundant_, "exploration");
  read_exploration(planned_, r);
  foreseen_.resize(r.count(kMostSaved, 20, "plans"));
  for (Exploration& plan : foreseen_) {
    read_exploration(plan, r);
  }
  read(root_, 0, r);
}

}  // namespace rff
