#include "instrument/frame_use.h"

namespace rff::instrument {

namespace {

constexpr std::uint8_t kStackPointer = 4;
constexpr std::uint8_t kFramePointer = 5;

// Returns the number of a general register, also of a part of one: 4 for rsp, esp, sp and spl.
std::uint8_t general(ZydisRegister reg) {
  ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64
             ? static_cast<std::uint8_t>(ZydisRegisterGetId(whole))
             : 0xff;
}

bool is(const ZydisDecodedOperand& operand, ZydisRegister reg) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == reg;
}

// Whether the instruction moves rsp as every function does, so that the unwind information follows
// it, and shows rsp to nobody.
bool keeps_the_stack(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_PUSHFQ:
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_POPFQ: return !is(operands[0], ZYDIS_REGISTER_RSP);
    case ZYDIS_MNEMONIC_CALL:
    case ZYDIS_MNEMONIC_RET: return true;
    case ZYDIS_MNEMONIC_LEAVE: return in.operand_width == 64;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
      return is(operands[0], ZYDIS_REGISTER_RSP) &&
             operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    case ZYDIS_MNEMONIC_MOV:
      return is(operands[0], ZYDIS_REGISTER_RSP) && is(operands[1], ZYDIS_REGISTER_RBP);
    case ZYDIS_MNEMONIC_LEA:
      return is(operands[0], ZYDIS_REGISTER_RSP) &&
             (operands[1].mem.base == ZYDIS_REGISTER_RSP ||
              operands[1].mem.base == ZYDIS_REGISTER_RBP) &&
             operands[1].mem.index == ZYDIS_REGISTER_NONE;
    default: return false;
  }
}

bool begins_frame(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
  if (in.operand_count_visible != 2 || !is(operands[0], ZYDIS_REGISTER_RBP)) {
    return false;
  }
  return (in.mnemonic == ZYDIS_MNEMONIC_MOV && is(operands[1], ZYDIS_REGISTER_RSP)) ||
         (in.mnemonic == ZYDIS_MNEMONIC_LEA && operands[1].mem.base == ZYDIS_REGISTER_RSP &&
          operands[1].mem.index == ZYDIS_REGISTER_NONE);
}

std::uint8_t takes(std::uint8_t reg) { return reg == kStackPointer ? kTakesRsp : kTakesRbp; }

std::uint8_t use_of(const ZydisDecodedOperand& operand) {
  std::uint8_t use = 0;
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    std::uint8_t reg = general(operand.reg.value);
    bool locates = reg == kStackPointer || reg == kFramePointer;
    if (locates && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) {
      use |= takes(reg);
    }
    if (locates && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) {
      use |= reg == kStackPointer ? kMovesRsp : kMovesRbp;
    }
  } else if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
    std::uint8_t base = general(operand.mem.base);
    if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN &&
        (base == kStackPointer || base == kFramePointer)) {
      use |= takes(base);
    }
    if (general(operand.mem.index) == kFramePointer) {
      use |= kTakesRbp;
    }
  }
  return use;
}

}  // namespace

std::uint8_t frame_use_of(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
  if (begins_frame(in, operands)) {
    return kMovesRspToRbp;
  }
  if (in.meta.category == ZYDIS_CATEGORY_NOP || in.meta.category == ZYDIS_CATEGORY_WIDENOP) {
    return 0;
  }
  std::uint8_t use = 0;
  bool keeps = keeps_the_stack(in, operands);
  for (int i = 0; i < in.operand_count; ++i) {
    // An instruction that keeps the stack gives no register away: a push and a pop save and restore
    // it.
    if (!keeps || operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
      use |= use_of(operands[i]);
    }
  }
  if (keeps && in.mnemonic == ZYDIS_MNEMONIC_LEA) {
    return 0;
  }
  if (in.mnemonic == ZYDIS_MNEMONIC_PUSH && is(operands[0], ZYDIS_REGISTER_RBP)) {
    use |= kPushesRbp;
  }
  if (in.mnemonic == ZYDIS_MNEMONIC_POP && operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY) {
    use |= kPopsToMemory;
  }
  return use;
}

}  // namespace rff::instrument
