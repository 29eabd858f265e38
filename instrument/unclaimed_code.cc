#include "instrument/unclaimed_code.h"

namespace rff::instrument {

namespace {

class Traversal {
 public:
  // Whether an address that code computes is followed like one that it branches to.
  Traversal(const Program& program, bool by_address)
      : program_(program),
        by_address_(by_address),
        reached_(program.instructions().size(), false) {}

  void Run() {
    for (std::uint64_t pointer : program_.file().RelocatedPointers()) {
      Enter(pointer);
    }
    Enter(program_.file().header().e_entry);
    for (const Instruction& in : program_.instructions()) {
      bool claimed = !program_.functions()[in.function].is_unclaimed();
      if (claimed && Leads(in)) {
        Enter(in.target);
      }
    }
    while (!work_.empty()) {
      std::uint32_t i = work_.back();
      work_.pop_back();
      Follow(i);
    }
  }

  bool ReachedAll(const Function& function) const {
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
  bool Reached(std::uint32_t instruction) const { return reached_[instruction]; }

 private:
  bool Leads(const Instruction& in) const {
    return in.target != 0 && !in.has(kTouchesMemory) && (by_address_ || in.flow != Flow::kNext);
  }

  void Enter(std::uint64_t address) {
    std::uint32_t i = program_.InstructionAt(address);
    if (i != kNone32 && !reached_[i] &&
        program_.functions()[program_.instructions()[i].function].is_unclaimed()) {
      reached_[i] = true;
      work_.push_back(i);
    }
  }

  void Follow(std::uint32_t i) {
    const Instruction& in = program_.instructions()[i];
    if (Leads(in)) {
      Enter(in.target);
    }
    if (in.flow != Flow::kJump && in.flow != Flow::kIndirectJump && in.flow != Flow::kReturn &&
        in.flow != Flow::kStop) {
      Enter(in.end());
    }
  }

  const Program& program_;
  bool by_address_;
  std::vector<bool> reached_;
  std::vector<std::uint32_t> work_;
};

}  // namespace

void ClaimReachableCode(Program& program) {
  Traversal all(program, true);
  all.Run();
  Traversal branches(program, false);
  branches.Run();
  for (Function& function : program.functions()) {
    if (!function.is_unclaimed() || function.sites == 0) {
      continue;
    }
    if (all.ReachedAll(function)) {
      function.left_alone.clear();
      continue;
    }
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      if (function.holds_data && program.instructions()[i].site != kNone32 &&
          !branches.Reached(i)) {
        program.ForgetSite(i);
      }
    }
  }
}

}  // namespace rff::instrument
