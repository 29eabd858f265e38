#include "instrument/unclaimed_code.h"

#include "instrument/entries.h"

namespace rff::instrument {

namespace {

class Traversal {
 public:
  // `by_address`: addresses that the code computes are followed like branch targets.
  Traversal(const Program& program, bool by_address)
      : program_(program),
        by_address_(by_address),
        reached_(program.instructions().size(), false) {}

  void run() {
    for (std::uint64_t pointer : program_.file().relocated_pointers()) {
      enter(pointer);
    }
    enter(program_.file().header().e_entry);
    for (const Instruction& in : program_.instructions()) {
      bool claimed = !program_.functions()[in.function].is_unclaimed();
      if (claimed && leads(in)) {
        enter(in.target);
      }
    }
    while (!work_.empty()) {
      std::uint32_t i = work_.back();
      work_.pop_back();
      follow(i);
    }
  }

  bool reached_all(const Function& function) const {
    std::uint64_t expected = function.begin;
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      const Instruction& in = program_.instructions()[i];
      if (in.address != expected || (!reached_[i] && !in.has(kIsPadding))) {
        return false;
      }
      expected = in.end();
    }
    return expected == function.end;
  }
  bool reached(std::uint32_t instruction) const { return reached_[instruction]; }

 private:
  bool leads(const Instruction& in) const {
    return in.target != 0 && !in.has(kTouchesMemory) && (by_address_ || in.flow != Flow::kNext);
  }

  void enter(std::uint64_t address) {
    std::uint32_t i = program_.instruction_at(address);
    if (i != kNone32 && !reached_[i] &&
        program_.functions()[program_.instructions()[i].function].is_unclaimed()) {
      reached_[i] = true;
      work_.push_back(i);
    }
  }

  void follow(std::uint32_t i) {
    const Instruction& in = program_.instructions()[i];
    if (leads(in)) {
      enter(in.target);
    }
    if (in.flow != Flow::kJump && in.flow != Flow::kIndirectJump && in.flow != Flow::kReturn &&
        in.flow != Flow::kStop) {
      enter(in.end());
    }
  }

  const Program& program_;
  bool by_address_;
  std::vector<bool> reached_;
  std::vector<std::uint32_t> work_;
};

// Returns the borders between reached and unreached code, in both directions.
std::vector<std::uint32_t> borders(const Program& program, const Traversal& all) {
  std::vector<std::uint32_t> borders;
  for (const Function& function : program.functions()) {
    if (!function.is_unclaimed() || function.holds_data || function.sites == 0) {
      continue;
    }
    bool first = true;
    bool reached = false;
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      if (program.instructions()[i].has(kIsPadding)) {
        continue;
      }
      if (!first && all.reached(i) != reached) {
        borders.push_back(i);
      }
      reached = all.reached(i);
      first = false;
    }
  }
  return borders;
}

// Finds unclaimed code that a computed jump may enter anywhere: code that contains such a jump, and
// unclaimed code connected with it by references other than calls.
std::vector<bool> entered_anywhere(const Program& program) {
  const auto& instructions = program.instructions();
  const auto& functions = program.functions();
  std::vector<bool> entered(functions.size(), false);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> references;
  std::uint32_t label = kNone32;  // where the address of unclaimed code was last taken
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const Instruction& in = instructions[i];
    if (!functions[in.function].is_unclaimed()) {
      continue;
    }
    if (computes_jump(program, i) && label != kNone32 && i - label <= kFarthestLabel) {
      entered[in.function] = true;
    }
    std::uint32_t to = in.target != 0 ? program.function_at(in.target) : kNone32;
    if (to == kNone32 || in.flow == Flow::kCall || !functions[to].is_unclaimed()) {
      continue;
    }
    if (takes_label(program, i)) {
      label = i;
    }
    if (to != in.function) {
      references.emplace_back(in.function, to);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [one, other] : references) {
      if (entered[one] != entered[other]) {
        entered[one] = entered[other] = changed = true;
      }
    }
  }
  return entered;
}

}  // namespace

void claim_reachable_code(Program& program) {
  Traversal all(program, true);
  all.run();
  Traversal branches(program, false);
  branches.run();
  for (Function& function : program.functions()) {
    if (function.is_unclaimed() && function.sites != 0 && all.reached_all(function)) {
      function.left_alone.clear();
    }
  }
  // Reached functions may lie between unreached ones: separate them at the borders.
  program.divide(borders(program, all));
  std::vector<bool> entered = entered_anywhere(program);
  for (std::uint32_t f = 0; f < program.functions().size(); ++f) {
    Function& function = program.functions()[f];
    if (!function.is_unclaimed() || function.sites == 0) {
      continue;
    }
    if (all.reached_all(function) && !entered[f]) {
      function.left_alone.clear();
      continue;
    }
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      if (function.holds_data && program.instructions()[i].site != kNone32 &&
          !branches.reached(i)) {
        program.forget_site(i);
      }
    }
  }
}

}  // namespace rff::instrument
