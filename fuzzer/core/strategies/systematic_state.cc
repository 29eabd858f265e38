// How the systematic search is saved and restored. The caller checks that the bytes are whole and
// belong to the same search.
#include <algorithm>
#include <bit>

#include "fuzzer/core/strategies/systematic_strategy.h"
#include "fuzzer/systematic/plan_io.h"

namespace rff {

std::string SystematicStrategy::save() const {
  std::string bytes;
  ByteWriter w(bytes);
  write_state(w);
  std::vector<std::uint64_t> reads_from(reads_from_.begin(), reads_from_.end());
  std::sort(reads_from.begin(), reads_from.end());
  w.records(reads_from);
  w.boolean(plan_.has_value());
  if (plan_) {
    write_exploration(*plan_, w);
  }
  return explorer_->save(w) ? bytes : std::string();
}

std::string SystematicStrategy::restore(std::string_view bytes) {
  constexpr std::size_t kMost = 1 << 30;
  ByteReader r(bytes);
  read_state(r);
  std::vector<std::uint64_t> reads_from;
  r.records(reads_from, kMost, "reads-from classes");
  reads_from_ = {reads_from.begin(), reads_from.end()};
  bool planned = false;
  r.boolean(planned, "plans");
  start_explorer();
  plan_.reset();
  if (planned) {
    read_exploration(plan_.emplace(), r);
  }
  explorer_->restore(r);
  if (r.ok() && (!r.at_end() || planned == state_.finished)) {
    r.fail("bytes that do not belong there");
  }
  return r.error();
}

void SystematicStrategy::write_state(ByteWriter& w) const {
  w.number(std::bit_cast<std::uint64_t>(random_));
  w.number(bound_);
  w.boolean(every_primitive_);
  w.boolean(loops_wait_);
  w.boolean(finer_);
  w.boolean(state_.finished);
  w.boolean(state_.cut_by_bound);
  for (std::uint64_t n : {state_.explored, state_.classes, state_.redundant,
                          state_.reads_from_classes, state_.failing}) {
    w.number(n);
  }
  w.number(state_.part_done);
  w.number(state_.bound);
  w.text(state_.reason);
  w.number(static_cast<std::uint32_t>(state_.steps.size()));
  for (const ExplorationState::Step& step : state_.steps) {
    w.number(step.bound);
    w.number(step.classes);
    w.number(step.failing);
  }
}

void SystematicStrategy::read_state(ByteReader& r) {
  constexpr std::size_t kMostBounds = 1 << 16;
  std::uint64_t random = 0;
  state_ = {};
  r.number(random, "random numbers");
  random_ = std::bit_cast<Random>(random);
  r.number(bound_, "bound");
  r.boolean(every_primitive_, "exploration");
  r.boolean(loops_wait_, "exploration");
  r.boolean(finer_, "exploration");
  r.boolean(state_.finished, "exploration");
  r.boolean(state_.cut_by_bound, "exploration");
  for (std::uint64_t* n : {&state_.explored, &state_.classes, &state_.redundant,
                           &state_.reads_from_classes, &state_.failing}) {
    r.number(*n, "exploration");
  }
  r.number(state_.part_done, "exploration");
  r.number(state_.bound, "exploration");
  r.text(state_.reason, "exploration");
  state_.steps.resize(r.count(kMostBounds, 20, "bounds"));
  for (ExplorationState::Step& step : state_.steps) {
    r.number(step.bound, "bounds");
    r.number(step.classes, "bounds");
    r.number(step.failing, "bounds");
  }
}

}  // namespace rff
