#include "instrument/flags.h"

namespace rff::instrument {

namespace {

// Returns whether the category is ordinary computation. All others, especially branches and system
// calls, may lead to code that reads the flags.
bool is_computation(ZydisInstructionCategory category) {
  switch (category) {
    case ZYDIS_CATEGORY_AVX:
    case ZYDIS_CATEGORY_AVX2:
    case ZYDIS_CATEGORY_AVX512:
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_BITBYTE:
    case ZYDIS_CATEGORY_BMI1:
    case ZYDIS_CATEGORY_BMI2:
    case ZYDIS_CATEGORY_BROADCAST:
    case ZYDIS_CATEGORY_CONVERT:
    case ZYDIS_CATEGORY_DATAXFER:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_LOGICAL_FP:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_SEMAPHORE:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_SSE:
    case ZYDIS_CATEGORY_STRINGOP:
    case ZYDIS_CATEGORY_VFMA:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_X87_ALU: return true;
    default: return false;
  }
}

// Lists only flags that are always set: a shift by zero sets none, nor does a repeat count of zero.
std::uint16_t overwritten(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_CMPXCHG:
    case ZYDIS_MNEMONIC_NEG:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_XADD:
    // AF is undefined after these four, but its old value never remains: it is cleared.
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_COMISD:
    case ZYDIS_MNEMONIC_COMISS:
    case ZYDIS_MNEMONIC_UCOMISD:
    case ZYDIS_MNEMONIC_UCOMISS:
    case ZYDIS_MNEMONIC_VCOMISD:
    case ZYDIS_MNEMONIC_VCOMISS:
    case ZYDIS_MNEMONIC_VUCOMISD:
    case ZYDIS_MNEMONIC_VUCOMISS: return kArithmeticFlags;
    case ZYDIS_MNEMONIC_DEC:
    case ZYDIS_MNEMONIC_INC: return kArithmeticFlags & ~ZYDIS_CPUFLAG_CF;
    default: return 0;
  }
}

}  // namespace

FlagEffect flag_effect_of(const ZydisDecodedInstruction& instruction) {
  ZydisInstructionCategory category = instruction.meta.category;
  bool plain = is_computation(category) || instruction.mnemonic == ZYDIS_MNEMONIC_LEA;
  if (!plain || instruction.cpu_flags == nullptr ||
      (instruction.cpu_flags->tested & ~ZYDIS_CPUFLAG_DF) != 0) {
    return {};
  }
  return {false, overwritten(instruction.mnemonic)};
}

}  // namespace rff::instrument
