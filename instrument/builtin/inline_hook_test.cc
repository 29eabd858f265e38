// Tests that the code before a vector site stores the registers that determine which memory it
// touches. The tests decode this code: most processors cannot run all of it.
#include "instrument/builtin/inline_hook.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rff::instrument::builtin {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<std::string> hook_of(const Bytes& instruction) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisFormatter formatter;
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  EXPECT_TRUE(ZYAN_SUCCESS(
      ZydisDecoderDecodeFull(&decoder, instruction.data(), instruction.size(), &in, operands)));
  Site site;
  EXPECT_TRUE(classify_site(in, operands, 0x1000, site));
  CodeBuffer code(0x10000);
  Stubs stubs;
  stubs.vector = 0x20000;
  emit_inline_hook(site, 5, stubs, code);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < code.size(); at += in.length) {
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.bytes().data() + at, code.size() - at,
                                             &in, operands))) {
      ADD_FAILURE() << "cannot be decoded after " << lines.back();
      break;
    }
    char text[128];
    ZydisFormatterFormatInstruction(&formatter, &in, operands, in.operand_count_visible, text,
                                    sizeof(text), 0x10000 + at, nullptr);
    lines.emplace_back(text);
  }
  return lines;
}

// Checks the instructions between making room and saving rdi.
void expect_stores(const Bytes& instruction, const std::vector<std::string>& expected) {
  std::vector<std::string> lines = hook_of(instruction);
  ASSERT_EQ(lines.size(), expected.size() + 6);
  EXPECT_EQ(lines.front(), "lea rsp, [rsp-0x100]");
  EXPECT_EQ(std::vector<std::string>(lines.begin() + 1, lines.end() - 5), expected);
  EXPECT_EQ(std::vector<std::string>(lines.end() - 5, lines.end()),
            (std::vector<std::string>{"push rdi", "mov edi, 0x00", "push rsi", "mov esi, 0x05",
                                      "call 0x0000000000020000"}));
}

TEST(InlineHookTest, Avx2IndexAndMask) {
  // vgatherdps ymm0, [rax + ymm9*4], ymm2
  expect_stores({0xc4, 0xa2, 0x6d, 0x92, 0x04, 0x88},
                {"vmovdqu [rsp], ymm9", "vmovdqu [rsp+0x40], ymm2"});
  // vgatherdps xmm0, [rax + xmm1*4], xmm12
  expect_stores({0xc4, 0xe2, 0x19, 0x92, 0x04, 0x88},
                {"movdqu [rsp], xmm1", "movdqu [rsp+0x40], xmm12"});
}

TEST(InlineHookTest, Avx512IndexAndMask) {
  // vpscatterdd [rax + zmm17*4 + 4]{k2}, zmm3
  expect_stores({0x62, 0xf2, 0x7d, 0x42, 0xa0, 0x5c, 0x88, 0x01},
                {"vmovdqu32 zmmword ptr [rsp], zmm17", "kmovw word ptr [rsp+0x40], k2"});
  // vgatherdpd zmm3{k3}, [rax + ymm18*8]
  expect_stores({0x62, 0xf2, 0xfd, 0x43, 0x92, 0x1c, 0xd0},
                {"vmovdqu32 ymmword ptr [rsp], ymm18", "kmovw word ptr [rsp+0x40], k3"});
  // vgatherqpd zmm3{k7}, [rax + zmm9*8]
  expect_stores({0x62, 0xb2, 0xfd, 0x4f, 0x93, 0x1c, 0xc8},
                {"vmovdqu32 zmmword ptr [rsp], zmm9", "kmovw word ptr [rsp+0x40], k7"});
}

TEST(InlineHookTest, Avx512MaskAlone) {
  // vmovups [rdi]{k1}, zmm0
  expect_stores({0x62, 0xf1, 0x7c, 0x49, 0x11, 0x07}, {"kmovw word ptr [rsp+0x40], k1"});
  // vmovdqu8 [rdi + 64]{k1}, zmm1: more than sixteen elements
  expect_stores({0x62, 0xf1, 0x7f, 0x49, 0x7f, 0x4f, 0x01}, {"kmovq [rsp+0x40], k1"});
}

}  // namespace
}  // namespace rff::instrument::builtin
