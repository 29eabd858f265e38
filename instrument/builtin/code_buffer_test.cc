#include "instrument/builtin/code_buffer.h"

#include <gtest/gtest.h>

namespace rff::instrument::builtin {
namespace {

constexpr std::uint64_t kBase = 0x10000;

// Zydis' decoding of the one instruction in the buffer, and the address of its memory operand if
// every register holds 1000 times its number.
struct Decoded {
  ZydisDecodedInstruction instruction;
  std::uint64_t address = 0;
};

Decoded decode(const CodeBuffer& code) {
  Decoded decoded;
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  EXPECT_TRUE(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.bytes().data(), code.size(),
                                                  &decoded.instruction, operands)));
  EXPECT_EQ(decoded.instruction.length, code.size());
  ZydisRegisterContext registers{};
  for (int i = 0; i < 16; ++i) {
    registers.values[ZYDIS_REGISTER_RAX + i] = static_cast<std::uint64_t>(i) * 1000;
    registers.values[ZYDIS_REGISTER_EAX + i] = static_cast<std::uint64_t>(i) * 1000;
  }
  for (int i = 0; i < decoded.instruction.operand_count_visible; ++i) {
    if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
      ZydisCalcAbsoluteAddressEx(&decoded.instruction, &operands[i], kBase, &registers,
                                 &decoded.address);
    }
  }
  return decoded;
}

TEST(CodeBufferTest, LeaOfEveryShapeOfOperand) {
  for (int base = -1; base < 16; ++base) {
    for (int index = -1; index < 16; ++index) {
      if (index == kRsp) {
        continue;  // cannot be encoded
      }
      for (int scale : {1, 2, 4, 8}) {
        for (std::int64_t displacement : {0, 1, 127, 128, 100000}) {
          Operand operand;
          operand.base = base < 0 ? hook::kNoRegister : static_cast<std::uint8_t>(base);
          operand.index = index < 0 ? hook::kNoRegister : static_cast<std::uint8_t>(index);
          operand.scale = static_cast<std::uint8_t>(scale);
          operand.displacement = displacement;
          CodeBuffer code(kBase);
          code.lea_operand(kRdi, operand, 136);
          std::int64_t expected = displacement + (base < 0 ? 0 : base * 1000) +
                                  (index < 0 ? 0 : index * 1000 * scale) + (base == kRsp ? 136 : 0);
          Decoded decoded = decode(code);
          ASSERT_EQ(decoded.instruction.mnemonic, ZYDIS_MNEMONIC_LEA);
          ASSERT_EQ(decoded.address, static_cast<std::uint64_t>(expected))
              << base << " " << index << " " << scale << " " << displacement;
        }
      }
    }
  }
}

TEST(CodeBufferTest, RipRelativeOperandsKeepTheirAddress) {
  Operand operand;
  operand.rip_relative = true;
  operand.displacement = 0x4321;
  CodeBuffer lea(kBase);
  lea.lea_operand(kRdi, operand, 0);
  EXPECT_EQ(decode(lea).address, 0x4321U);
  CodeBuffer jump(kBase);
  jump.jump_through(operand, 0);
  EXPECT_EQ(decode(jump).instruction.mnemonic, ZYDIS_MNEMONIC_JMP);
  EXPECT_EQ(decode(jump).address, 0x4321U);
}

TEST(CodeBufferTest, AbsoluteOperandsOfSixtyFourBits) {
  Operand operand;
  operand.displacement = 0x123456789abcdef0;
  CodeBuffer code(kBase);
  code.lea_operand(kRdi, operand, 0);
  EXPECT_EQ(decode(code).instruction.mnemonic, ZYDIS_MNEMONIC_MOV);
}

TEST(CodeBufferTest, DistanceOutOfReachIsOurFault) {
  CodeBuffer code(kBase);
  EXPECT_THROW(code.jump(kBase + (std::uint64_t{1} << 32)), std::logic_error);
}

TEST(CodeBufferTest, DistancesCanBeLeftOpen) {
  CodeBuffer code(kBase);
  code.keep_relatives();
  code.bytes({0x90});
  code.call(0x77777777777);
  ASSERT_EQ(code.relatives().size(), 1U);
  EXPECT_EQ(code.relatives()[0].at, 2U);
  EXPECT_EQ(code.relatives()[0].target, 0x77777777777U);
}

}  // namespace
}  // namespace rff::instrument::builtin
