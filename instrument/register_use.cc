#include "instrument/register_use.h"

namespace rff::instrument {

namespace {

// Returns the bit of a general register, also of a part of one; 0 for others.
std::uint16_t bit_of(ZydisRegister reg) {
  ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64
             ? static_cast<std::uint16_t>(1U << ZydisRegisterGetId(whole))
             : std::uint16_t{0};
}

// Writing 32 bits clears the others.
bool whole(ZydisRegister reg) {
  ZydisRegisterClass kind = ZydisRegisterGetClass(reg);
  return kind == ZYDIS_REGCLASS_GPR64 || kind == ZYDIS_REGCLASS_GPR32;
}

// `xor eax, eax` and the like do not depend on the register.
bool clears(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
  return (in.mnemonic == ZYDIS_MNEMONIC_XOR || in.mnemonic == ZYDIS_MNEMONIC_SUB) &&
         operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         operands[0].reg.value == operands[1].reg.value && whole(operands[0].reg.value);
}

}  // namespace

RegisterUse register_use_of(const ZydisDecodedInstruction& in,
                            const ZydisDecodedOperand* operands) {
  RegisterUse use;
  bool cleared = clears(in, operands);
  for (int i = 0; i < in.operand_count; ++i) {
    const ZydisDecodedOperand& operand = operands[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
      use.reads |= static_cast<std::uint16_t>(bit_of(operand.mem.base) | bit_of(operand.mem.index));
    } else if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      std::uint16_t bit = bit_of(operand.reg.value);
      bool reads = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 && !cleared;
      bool writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
      bool surely = (operand.actions & ZYDIS_OPERAND_ACTION_WRITE) != 0;
      use.reads |= reads ? bit : std::uint16_t{0};
      use.changes |= writes ? bit : std::uint16_t{0};
      use.overwrites |= surely && whole(operand.reg.value) ? bit : std::uint16_t{0};
    }
  }
  use.overwrites &= static_cast<std::uint16_t>(~use.reads);
  return use;
}

}  // namespace rff::instrument
