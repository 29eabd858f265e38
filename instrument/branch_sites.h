// Finds what --branches hooks: blocks that jumps lead to, and comparisons with their operands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/program.h"

namespace rff::instrument {

// Values of Instruction::branch.
enum BranchTrait : std::uint8_t {
  kStartsBlock = 1,
  kCompares = 2,
  kBlockFlagsDead = 4,  // no code reads the arithmetic flags that the block is entered with
};

// Marks the instructions to hook.
void add_branch_sites(Program& program);

// One side of a comparison.
struct ComparedOperand {
  enum class Kind : std::uint8_t { kRegister, kHighByte, kImmediate, kMemory };
  Kind kind = Kind::kRegister;
  std::uint8_t reg = hook::kNoRegister;  // kHighByte: of rax, rcx, rdx or rbx
  std::int32_t immediate = 0;            // sign-extended
  Operand memory;
};

struct ComparedOperands {
  ComparedOperand first, second;
  std::uint8_t width = 0;
};

// Returns the operands of cmp, test and sub; none if they cannot be reported. `test x, x` compares
// with zero.
std::optional<ComparedOperands> compared_operands(const Program& program, const Instruction& in);

// The numbered hooks, in the form in which the runtime finds them. The block of an instruction
// comes before its comparison.
class BranchPlan {
 public:
  // `chosen` has one entry for each instruction, or none if nothing is to be hooked.
  BranchPlan(const Program& program, const std::vector<bool>& chosen);

  bool empty() const { return records_.empty(); }
  // Returns the number of the first hook of an instruction; kNone32 if it has none.
  std::uint32_t number_of(std::uint32_t instruction) const {
    return instruction < numbers_.size() ? numbers_[instruction] : kNone32;
  }
  const std::vector<hook::BranchRecord>& records() const { return records_; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<hook::BranchRecord> records_;
};

}  // namespace rff::instrument
