#include "instrument/site.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace rff::instrument {
namespace {

using hook::SiteKind;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kAddress = 0x1000;

std::optional<Site> Classify(const Bytes& bytes) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  EXPECT_TRUE(
      ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &in, operands)));
  Site site;
  if (!ClassifySite(in, operands, kAddress, site)) {
    return std::nullopt;
  }
  return site;
}

void ExpectKind(const Bytes& bytes, SiteKind kind, int size) {
  auto site = Classify(bytes);
  ASSERT_TRUE(site);
  EXPECT_EQ(site->kind, kind);
  EXPECT_EQ(site->size, size);
  EXPECT_EQ(site->unsupported, Unsupported::kNone);
}

TEST(SiteTest, PlainAccesses) {
  ExpectKind({0x8b, 0x07}, SiteKind::kRead, 4);               // mov eax, [rdi]
  ExpectKind({0x48, 0x89, 0x07}, SiteKind::kWrite, 8);        // mov [rdi], rax
  ExpectKind({0x00, 0x07}, SiteKind::kReadModifyWrite, 1);    // add [rdi], al
  ExpectKind({0x66, 0x83, 0x3f, 0x05}, SiteKind::kRead, 2);   // cmp word [rdi], 5
  ExpectKind({0x0f, 0x94, 0x07}, SiteKind::kWrite, 1);        // sete [rdi]
  ExpectKind({0xf2, 0x0f, 0x11, 0x07}, SiteKind::kWrite, 8);  // movsd [rdi], xmm0
  ExpectKind({0xdb, 0x3f}, SiteKind::kWrite, 10);             // fstp tbyte [rdi]
  ExpectKind({0x0f, 0xae, 0x07}, SiteKind::kWrite, 512);      // fxsave [rdi]
}

TEST(SiteTest, NotAccesses) {
  EXPECT_FALSE(Classify({0x48, 0x8d, 0x07}));                             // lea rax, [rdi]
  EXPECT_FALSE(Classify({0x0f, 0x1f, 0x44, 0x00, 0x00}));                 // nop [rax + rax]
  EXPECT_FALSE(Classify({0x0f, 0x18, 0x0f}));                             // prefetcht0 [rdi]
  EXPECT_FALSE(Classify({0x0f, 0xae, 0x3f}));                             // clflush [rdi]
  EXPECT_FALSE(Classify({0x55}));                                         // push rbp
  EXPECT_FALSE(Classify({0xc9}));                                         // leave
  EXPECT_FALSE(Classify({0xc3}));                                         // ret
  EXPECT_FALSE(Classify({0xe8, 0, 0, 0, 0}));                             // call
  EXPECT_FALSE(Classify({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}));  // mov rax, fs:[0x28]
}

TEST(SiteTest, MemoryOperandsOfStackAndControlInstructions) {
  ExpectKind({0xff, 0x37}, SiteKind::kRead, 8);   // push [rdi]
  ExpectKind({0x8f, 0x07}, SiteKind::kWrite, 8);  // pop [rdi]
  ExpectKind({0xff, 0x17}, SiteKind::kRead, 8);   // call [rdi]
  ExpectKind({0xff, 0x27}, SiteKind::kRead, 8);   // jmp [rdi]
}

TEST(SiteTest, PopComputesItsAddressAfterMovingRsp) {
  auto site = Classify({0x8f, 0x44, 0x24, 0x08});  // pop [rsp + 8]
  ASSERT_TRUE(site);
  EXPECT_EQ(site->operand.displacement, 16);
  EXPECT_NE(site->flags & hook::kStackOperand, 0);
}

TEST(SiteTest, LockedAndExchanged) {
  auto add = Classify({0xf0, 0x48, 0x01, 0x07});  // lock add [rdi], rax
  EXPECT_EQ(add->kind, SiteKind::kReadModifyWrite);
  EXPECT_NE(add->flags & hook::kLocked, 0);
  auto exchange = Classify({0x87, 0x07});  // xchg [rdi], eax
  EXPECT_EQ(exchange->kind, SiteKind::kReadModifyWrite);
  EXPECT_NE(exchange->flags & hook::kLocked, 0);
  auto compare = Classify({0xf0, 0x48, 0x0f, 0xb1, 0x57, 0x08});  // lock cmpxchg [rdi + 8], rdx
  EXPECT_EQ(compare->kind, SiteKind::kCompareExchange);
  EXPECT_TRUE(compare->complex());
  EXPECT_EQ(compare->detail.base_register, 7);
  EXPECT_EQ(compare->detail.displacement, 8);
}

TEST(SiteTest, StringInstructions) {
  auto move = Classify({0xf3, 0x48, 0xa5});  // rep movsq
  EXPECT_EQ(move->kind, SiteKind::kString);
  EXPECT_EQ(move->detail.string_op, hook::StringOp::kMovs);
  EXPECT_EQ(move->detail.rep, hook::RepPrefix::kRep);
  EXPECT_EQ(move->size, 8);
  auto scan = Classify({0xf2, 0xae});  // repne scasb
  EXPECT_EQ(scan->detail.string_op, hook::StringOp::kScas);
  EXPECT_EQ(scan->detail.rep, hook::RepPrefix::kRepne);
  auto compare = Classify({0xf3, 0xa6});  // repe cmpsb
  EXPECT_EQ(compare->detail.rep, hook::RepPrefix::kRepe);
}

TEST(SiteTest, GathersAndMasks) {
  auto gather =
      Classify({0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x88});  // vgatherdps ymm0, [rax+ymm1*4], ymm2
  ASSERT_TRUE(gather);
  EXPECT_EQ(gather->kind, SiteKind::kVector);
  EXPECT_EQ(gather->detail.element_count, 8);
  EXPECT_EQ(gather->detail.index_size, 4);
  EXPECT_EQ(gather->vector_index, 1);
  EXPECT_EQ(gather->vector_mask, 2);
  auto masked = Classify({0x62, 0xf1, 0x7c, 0x49, 0x11, 0x07});  // vmovups [rdi]{k1}, zmm0
  ASSERT_TRUE(masked);
  EXPECT_EQ(masked->kind, SiteKind::kVector);
  EXPECT_EQ(masked->detail.element_count, 16);
  EXPECT_EQ(masked->detail.mask_is_kreg, 1);
  EXPECT_EQ(masked->detail.is_write, 1);
  EXPECT_EQ(masked->vector_mask, 1);
  auto compressed = Classify({0x62, 0xf2, 0x7d, 0x49, 0x8a, 0x07});  // vcompressps [rdi]{k1}, zmm0
  EXPECT_EQ(compressed->unsupported, Unsupported::kCompressed);
}

TEST(SiteTest, InstructionsThatTheRuntimeMayAnswer) {
  EXPECT_EQ(Classify({0x0f, 0x05})->kind, SiteKind::kSyscall);
  EXPECT_EQ(Classify({0x0f, 0x31})->kind, SiteKind::kTimestamp);
  auto random = Classify({0x49, 0x0f, 0xc7, 0xf1});  // rdrand r9
  EXPECT_EQ(random->kind, SiteKind::kRandom);
  EXPECT_EQ(random->detail.base_register, 9);
}

TEST(SiteTest, WhatCannotBeReportedSaysWhy) {
  EXPECT_EQ(Classify({0x65, 0x8b, 0x07})->unsupported, Unsupported::kGsSegment);
  EXPECT_EQ(Classify({0x0f, 0xae, 0x27})->unsupported, Unsupported::kStateArea);  // xsave
  EXPECT_EQ(Classify({0x66, 0x0f, 0x38, 0xf8, 0x07})->unsupported, Unsupported::kImplicit);
}

}  // namespace
}  // namespace rff::instrument
