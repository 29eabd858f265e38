#include "instrument/branch_sites.h"

#include <algorithm>

#include "instrument/call_sites.h"
#include "instrument/flags.h"

namespace rff::instrument {
namespace {

constexpr std::uint8_t kStackPointer = 4;

bool ends_block(Flow flow) {
  return flow == Flow::kJump || flow == Flow::kIndirectJump || flow == Flow::kReturn ||
         flow == Flow::kStop;
}

bool is_conditional(const Instruction& in) {
  return (in.flow == Flow::kConditional && !in.has(kIsXbegin)) || in.flow == Flow::kCounted;
}

class Finder {
 public:
  explicit Finder(Program& program) : program_(program) {}

  void run() {
    for (const Function& function : program_.functions()) {
      if (is_program_code(program_, function)) {
        find_blocks(function);
      }
    }
    for (const Function& function : program_.functions()) {
      if (is_program_code(program_, function)) {
        find_flags_and_comparisons(function);
      }
    }
  }

 private:
  const Instruction& at(std::uint32_t i) const { return program_.instructions()[i]; }
  void mark(std::uint32_t i, std::uint8_t trait) {
    program_.set_branch(i, static_cast<std::uint8_t>(at(i).branch | trait));
  }

  // A block behind code that does not run on is the target of a jump, perhaps through a table.
  void find_blocks(const Function& function) {
    const std::uint32_t end = function.first + function.count;
    for (std::uint32_t i = function.first; i < end; ++i) {
      bool conditional = is_conditional(at(i));
      if (conditional) {
        std::uint32_t target = program_.instruction_at(at(i).target);
        if (target != kNone32 &&
            is_program_code(program_, program_.functions()[at(target).function])) {
          mark(target, kStartsBlock);
        }
      }
      std::uint32_t next = i + 1;
      while (next < end && ends_block(at(i).flow) && at(next).has(kIsPadding)) {
        ++next;
      }
      if (next < end && (conditional || ends_block(at(i).flow))) {
        mark(next, kStartsBlock);
      }
    }
  }

  void find_flags_and_comparisons(const Function& function) {
    std::uint16_t live = kArithmeticFlags;
    std::uint64_t next = function.end;
    for (std::uint32_t i = function.first + function.count; i-- > function.first;) {
      const Instruction& in = at(i);
      bool unknown = in.has(kMayShowFlags) || in.end() != next;
      live = unknown ? kArithmeticFlags : live & ~in.flags_overwritten;
      next = in.address;
      if ((in.branch & kStartsBlock) != 0 && live == 0) {
        mark(i, kBlockFlagsDead);
      }
      // Only these flags make a comparison; the operands are looked at if they may be one.
      if (!in.has(kMayShowFlags) && in.flags_overwritten == kArithmeticFlags && compares(i)) {
        mark(i, kCompares);
      }
    }
  }

  // A subtraction is a comparison only if a jump follows.
  bool compares(std::uint32_t i) const {
    const Function& function = program_.functions()[at(i).function];
    bool decides = i + 1 < function.first + function.count && is_conditional(at(i + 1));
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecodedInstruction in;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
            &decoder, nullptr, program_.file().at(at(i).address).data(), at(i).length, &in)) ||
        (in.mnemonic == ZYDIS_MNEMONIC_SUB && !decides)) {
      return false;
    }
    return compared_operands(program_, at(i)).has_value();
  }

  Program& program_;
};

bool is_general(ZydisRegister reg) {
  switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64: return true;
    default: return false;
  }
}

std::optional<ComparedOperand> operand_of(const ZydisDecodedOperand& operand, const Site& site) {
  ComparedOperand out;
  switch (operand.type) {
    case ZYDIS_OPERAND_TYPE_REGISTER: {
      ZydisRegister reg = operand.reg.value;
      if (!is_general(reg)) {
        return std::nullopt;
      }
      if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH) {
        out.kind = ComparedOperand::Kind::kHighByte;
        out.reg = static_cast<std::uint8_t>(reg - ZYDIS_REGISTER_AH);
        return out;
      }
      out.reg = static_cast<std::uint8_t>(
          ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)));
      return out.reg == kStackPointer ? std::nullopt : std::optional(out);
    }
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
      out.kind = ComparedOperand::Kind::kImmediate;
      out.immediate = static_cast<std::int32_t>(operand.imm.value.s);
      return out;
    case ZYDIS_OPERAND_TYPE_MEMORY:
      out.kind = ComparedOperand::Kind::kMemory;
      out.memory = site.operand;
      return site.unsupported == Unsupported::kNone ? std::optional(out) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

void add_branch_sites(Program& program) { Finder(program).run(); }

std::optional<ComparedOperands> compared_operands(const Program& program, const Instruction& at) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, program.file().at(at.address).data(),
                                           at.length, &in, operands))) {
    return std::nullopt;
  }
  bool test = in.mnemonic == ZYDIS_MNEMONIC_TEST;
  if (!test && in.mnemonic != ZYDIS_MNEMONIC_CMP && in.mnemonic != ZYDIS_MNEMONIC_SUB) {
    return std::nullopt;
  }
  Site site;
  bool accesses = classify_site(in, operands, at.address, site);
  if (!accesses && (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
                    operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY)) {
    return std::nullopt;  // relative to a segment register
  }
  auto first = operand_of(operands[0], site);
  auto second = operand_of(operands[1], site);
  if (!first || !second) {
    return std::nullopt;
  }
  bool with_itself = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                     operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                     operands[0].reg.value == operands[1].reg.value;
  if (with_itself) {
    if (!test) {
      return std::nullopt;  // equal always
    }
    *second = {};
    second->kind = ComparedOperand::Kind::kImmediate;
  }
  return ComparedOperands{*first, *second, static_cast<std::uint8_t>(operands[0].size / 8)};
}

BranchPlan::BranchPlan(const Program& program, const std::vector<bool>& chosen) {
  numbers_.assign(chosen.size(), kNone32);
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    const Instruction& in = program.instructions()[i];
    if (!chosen[i]) {
      continue;
    }
    numbers_[i] = static_cast<std::uint32_t>(records_.size());
    if ((in.branch & kStartsBlock) != 0) {
      records_.push_back({in.address, hook::BranchKind::kBlock, 0, 0, {}});
    }
    if ((in.branch & kCompares) != 0) {
      ComparedOperands operands = *compared_operands(program, in);
      using Kind = ComparedOperand::Kind;
      std::uint8_t flags = 0;
      flags |= operands.second.kind == Kind::kImmediate ? hook::kConstant : 0;
      flags |= operands.second.kind == Kind::kMemory ? hook::kSwapped : 0;
      records_.push_back({in.address, hook::BranchKind::kComparison, operands.width, flags, {}});
    }
  }
}

}  // namespace rff::instrument
