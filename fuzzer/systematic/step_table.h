// Steps in a saved exploration. A step is kept in many places at once, so it is written once, into
// a table, and named by its number there.
#pragma once

#include <unordered_map>
#include <vector>

#include "fuzzer/systematic/explored_run.h"
#include "fuzzer/systematic/wakeup_tree.h"
#include "schedule/byte_stream.h"

namespace rff {

class StepWriter {
 public:
  // Writes the number of the step. Requires: it is not null.
  void step(const SharedStep& step, ByteWriter& writer);
  void steps(const std::vector<SharedStep>& steps, ByteWriter& writer);
  // Writes what is below the root.
  void tree(const WakeupTree& root, ByteWriter& writer);
  // Writes all steps that were named. A StepReader wants them first.
  void table(ByteWriter& writer) const;

 private:
  std::unordered_map<const ExploredStep*, std::uint32_t> numbers_;
  std::vector<SharedStep> table_;
};

class StepReader {
 public:
  explicit StepReader(ByteReader& reader);

  // None of these leaves a step null unless there was an error.
  void step(SharedStep& step, ByteReader& reader) const;
  void steps(std::vector<SharedStep>& steps, ByteReader& reader) const;
  void tree(WakeupTree& root, ByteReader& reader) const { tree(root, 0, reader); }

 private:
  void tree(WakeupTree& node, std::size_t depth, ByteReader& reader) const;

  std::vector<SharedStep> table_;
};

}  // namespace rff
