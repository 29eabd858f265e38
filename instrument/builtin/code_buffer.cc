#include "instrument/builtin/code_buffer.h"

namespace rff::instrument::builtin {

// Emits ModRM, SIB and displacement for any combination of base, index and displacement.
void CodeBuffer::encode(std::uint8_t opcode, std::uint8_t reg, const Operand& operand, bool wide) {
  bool has_base = operand.base != hook::kNoRegister;
  bool has_index = operand.index != hook::kNoRegister;
  std::uint8_t base = has_base ? operand.base : 5;
  std::uint8_t index = has_index ? operand.index : 4;
  std::uint8_t rex =
      static_cast<std::uint8_t>(0x40 | (wide ? 8 : 0) | ((reg >> 3) << 2) |
                                (has_index ? (index >> 3) << 1 : 0) | (has_base ? base >> 3 : 0));
  if (operand.address_bits == 32) {
    bytes({0x67});
  }
  bytes({rex, opcode});
  auto disp = static_cast<std::int32_t>(operand.displacement);
  // Without a base the displacement always has 32 bits; rbp and r13 as base need one.
  bool small = disp == static_cast<std::int8_t>(disp);
  std::uint8_t mode = !has_base ? 0 : disp == 0 && (base & 7) != 5 ? 0 : small ? 1 : 2;
  std::uint8_t middle = static_cast<std::uint8_t>((reg & 7) << 3);
  if (has_base && !has_index && (base & 7) != 4) {
    bytes({static_cast<std::uint8_t>((mode << 6) | middle | (base & 7))});
  } else {
    std::uint8_t scale = operand.scale == 8   ? 3
                         : operand.scale == 4 ? 2
                         : operand.scale == 2 ? 1
                                              : 0;
    bytes({static_cast<std::uint8_t>((mode << 6) | middle | 4),
           static_cast<std::uint8_t>((scale << 6) | ((index & 7) << 3) | (base & 7))});
  }
  if (mode == 1) {
    value(static_cast<std::int8_t>(disp));
  } else if (mode == 2 || !has_base) {
    value(disp);
  }
}

void CodeBuffer::lea_operand(Reg reg, const Operand& operand, std::int32_t rsp_moved) {
  if (operand.rip_relative) {
    lea_of(reg, static_cast<std::uint64_t>(operand.displacement));
    return;
  }
  bool has_register = operand.base != hook::kNoRegister || operand.index != hook::kNoRegister;
  if (!has_register && operand.displacement != static_cast<std::int32_t>(operand.displacement)) {
    bytes({static_cast<std::uint8_t>(0x48 | (reg >> 3)),
           static_cast<std::uint8_t>(0xb8 | (reg & 7))});
    value(operand.displacement);
    return;
  }
  Operand adjusted = operand;
  if (operand.base == kRsp) {
    adjusted.displacement += rsp_moved;
  }
  encode(0x8d, reg, adjusted, true);
}

void CodeBuffer::jump_through(const Operand& operand, std::int32_t rsp_moved) {
  constexpr std::uint8_t kJump = 4;  // ff /4
  if (operand.rip_relative) {
    rip_relative(0xff, kJump, static_cast<std::uint64_t>(operand.displacement));
    return;
  }
  Operand adjusted = operand;
  if (operand.base == kRsp) {
    adjusted.displacement += rsp_moved;
  }
  encode(0xff, kJump, adjusted, false);
}

}  // namespace rff::instrument::builtin
