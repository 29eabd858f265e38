// How a ReadsFromExplorer is saved and restored.
#include "fuzzer/systematic/plan_io.h"
#include "fuzzer/systematic/reads_from_explorer.h"

namespace rff {
namespace {

void write(const StepName& name, ByteWriter& w) {
  w.number(name.thread);
  w.number(name.ordinal);
}
void read(StepName& name, ByteReader& r) {
  r.number(name.thread, "steps");
  r.number(name.ordinal, "steps");
}

void write(const PathChoice& choice, ByteWriter& w) {
  w.number(static_cast<std::uint8_t>(choice.kind));
  write(choice.writer, w);
  w.records(choice.values);
}
void read(PathChoice& choice, ByteReader& r) {
  r.enumeration(choice.kind, PathChoice::Kind::kCount, "choices");
  read(choice.writer, r);
  r.records(choice.values, kMostSaved, "choices");
}

void write(const PathAlternative& alternative, ByteWriter& w) {
  write(alternative.choice, w);
  write_exploration(alternative.plan, w);
}
void read(PathAlternative& alternative, ByteReader& r) {
  read(alternative.choice, r);
  read_exploration(alternative.plan, r);
}

void write(const PathNode& node, ByteWriter& w) {
  write(node.step, w);
  write(node.choice, w);
  w.boolean(node.defer_known);
  w.number<std::uint64_t>(node.done);
  write(node.defer, w);
  w.number(static_cast<std::uint32_t>(node.rivals.size()));
  for (const StepName& rival : node.rivals) {
    write(rival, w);
  }
  w.number(static_cast<std::uint32_t>(node.alternatives.size()));
  for (const PathAlternative& alternative : node.alternatives) {
    write(alternative, w);
  }
}
void read(PathNode& node, ByteReader& r) {
  read(node.step, r);
  read(node.choice, r);
  r.boolean(node.defer_known, "nodes");
  std::uint64_t done = 0;
  r.number(done, "nodes");
  node.done = done;
  read(node.defer, r);
  for (std::size_t n = r.count(kMostSaved, 6, "steps"); n > 0 && r.ok(); --n) {
    StepName rival;
    read(rival, r);
    node.rivals.insert(rival);
  }
  node.alternatives.resize(r.count(kMostSaved, 40, "alternatives"));
  for (PathAlternative& alternative : node.alternatives) {
    read(alternative, r);
  }
}

}  // namespace

bool ReadsFromExplorer::save(ByteWriter& w) const {
  w.boolean(began_);
  w.number(classes_);
  w.number(redundant_);
  write_exploration(plan_, w);
  w.number(static_cast<std::uint32_t>(path_.size()));
  for (const PathNode& node : path_) {
    write(node, w);
  }
  return true;
}

void ReadsFromExplorer::restore(ByteReader& r) {
  r.boolean(began_, "exploration");
  r.number(classes_, "exploration");
  r.number(redundant_, "exploration");
  read_exploration(plan_, r);
  path_.resize(r.count(kMostSaved, 60, "nodes"));
  for (PathNode& node : path_) {
    read(node, r);
  }
}

}  // namespace rff
