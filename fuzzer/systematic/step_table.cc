#include "fuzzer/systematic/step_table.h"

#include "fuzzer/systematic/plan_io.h"

namespace rff {
namespace {

constexpr std::size_t kStepBytes = 2 + 2 + 1 + 1 + 1 + 4 * sizeof(std::uint32_t);
constexpr std::size_t kTouchBytes = 2 * sizeof(std::uint64_t) + 2;
constexpr std::size_t kAwaitedBytes = 2 * sizeof(std::uint64_t);

void write_step(const ExploredStep& s, ByteWriter& w) {
  w.number(s.thread);
  w.number(s.check.bits());
  w.number(static_cast<std::uint8_t>(s.op));
  w.boolean(s.ends_process);
  w.boolean(s.may_wait);
  w.number(static_cast<std::uint32_t>(s.touches.size()));
  for (const Touch& t : s.touches) {
    w.number(t.begin);
    w.number(t.end);
    w.boolean(t.reads);
    w.boolean(t.writes);
  }
  w.number(static_cast<std::uint32_t>(s.awaited.size()));
  for (const AwaitedChange& a : s.awaited) {
    w.number(a.begin);
    w.number(a.end);
  }
  w.records(s.values);
  w.records(s.bounds);
}

SharedStep read_step(ByteReader& r) {
  ExploredStep s;
  std::uint16_t check = 0;
  r.number(s.thread, "steps");
  r.number(check, "steps");
  s.check = check;
  r.enumeration(s.op, OpKind::kCount, "operation");
  r.boolean(s.ends_process, "steps");
  r.boolean(s.may_wait, "steps");
  s.touches.resize(r.count(kMostSaved, kTouchBytes, "accesses"));
  for (Touch& t : s.touches) {
    r.number(t.begin, "accesses");
    r.number(t.end, "accesses");
    r.boolean(t.reads, "accesses");
    r.boolean(t.writes, "accesses");
  }
  s.awaited.resize(r.count(kMostSaved, kAwaitedBytes, "loops"));
  for (AwaitedChange& a : s.awaited) {
    r.number(a.begin, "loops");
    r.number(a.end, "loops");
  }
  r.records(s.values, kMostSaved, "choices");
  r.records(s.bounds, kMostSaved, "choices");
  if (s.values.size() != s.bounds.size()) {
    r.fail("choices without a bound");
  }
  return std::make_shared<const ExploredStep>(std::move(s));
}

}  // namespace

void StepWriter::step(const SharedStep& step, ByteWriter& w) {
  auto [it, is_new] = numbers_.try_emplace(step.get(), static_cast<std::uint32_t>(table_.size()));
  if (is_new) {
    table_.push_back(step);
  }
  w.number(it->second);
}

void StepWriter::steps(const std::vector<SharedStep>& steps, ByteWriter& w) {
  w.number(static_cast<std::uint32_t>(steps.size()));
  for (const SharedStep& s : steps) {
    step(s, w);
  }
}

void StepWriter::tree(const WakeupTree& root, ByteWriter& w) {
  w.number(static_cast<std::uint32_t>(root.children.size()));
  for (const WakeupTree& child : root.children) {
    step(child.step, w);
    tree(child, w);
  }
}

void StepWriter::table(ByteWriter& w) const {
  w.number(static_cast<std::uint32_t>(table_.size()));
  for (const SharedStep& s : table_) {
    write_step(*s, w);
  }
}

StepReader::StepReader(ByteReader& r) {
  std::size_t n = r.count(kMostSaved, kStepBytes, "steps");
  for (std::size_t i = 0; i < n && r.ok(); ++i) {
    table_.push_back(read_step(r));
  }
}

void StepReader::step(SharedStep& step, ByteReader& r) const {
  std::uint32_t number = 0;
  r.number(number, "steps");
  if (number >= table_.size()) {
    r.fail("unknown step");
  } else {
    step = table_[number];
  }
}

void StepReader::steps(std::vector<SharedStep>& steps, ByteReader& r) const {
  steps.resize(r.count(kMostSaved, sizeof(std::uint32_t), "steps"));
  for (SharedStep& s : steps) {
    step(s, r);
  }
}

void StepReader::tree(WakeupTree& node, std::size_t depth, ByteReader& r) const {
  if (depth > kDeepestTree) {
    r.fail("a tree that is too deep");
  }
  node.children.resize(r.count(kMostSaved, 2 * sizeof(std::uint32_t), "planned steps"));
  for (WakeupTree& child : node.children) {
    step(child.step, r);
    tree(child, depth + 1, r);
  }
}

}  // namespace rff
