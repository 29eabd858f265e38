#include "instrument/site.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace rff::instrument {
namespace {

using hook::SiteKind;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kAddress = 0x1000;

std::optional<Site> classify(const Bytes& bytes) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  EXPECT_TRUE(
      ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &in, operands)));
  Site site;
  if (!classify_site(in, operands, kAddress, site)) {
    return std::nullopt;
  }
  return site;
}

void expect_kind(const Bytes& bytes, SiteKind kind, int size) {
  auto site = classify(bytes);
  ASSERT_TRUE(site);
  EXPECT_EQ(site->kind, kind);
  EXPECT_EQ(site->size, size);
  EXPECT_EQ(site->unsupported, Unsupported::kNone);
}

TEST(SiteTest, PlainAccesses) {
  expect_kind({0x8b, 0x07}, SiteKind::kRead, 4);               // mov eax, [rdi]
  expect_kind({0x48, 0x89, 0x07}, SiteKind::kWrite, 8);        // mov [rdi], rax
  expect_kind({0x00, 0x07}, SiteKind::kReadModifyWrite, 1);    // add [rdi], al
  expect_kind({0x66, 0x83, 0x3f, 0x05}, SiteKind::kRead, 2);   // cmp word [rdi], 5
  expect_kind({0x0f, 0x94, 0x07}, SiteKind::kWrite, 1);        // sete [rdi]
  expect_kind({0xf2, 0x0f, 0x11, 0x07}, SiteKind::kWrite, 8);  // movsd [rdi], xmm0
  expect_kind({0xdb, 0x3f}, SiteKind::kWrite, 10);             // fstp tbyte [rdi]
  expect_kind({0x0f, 0xae, 0x07}, SiteKind::kWrite, 512);      // fxsave [rdi]
}

TEST(SiteTest, NotAccesses) {
  EXPECT_FALSE(classify({0x48, 0x8d, 0x07}));                             // lea rax, [rdi]
  EXPECT_FALSE(classify({0x0f, 0x1f, 0x44, 0x00, 0x00}));                 // nop [rax + rax]
  EXPECT_FALSE(classify({0x0f, 0x18, 0x0f}));                             // prefetcht0 [rdi]
  EXPECT_FALSE(classify({0x0f, 0xae, 0x3f}));                             // clflush [rdi]
  EXPECT_FALSE(classify({0x55}));                                         // push rbp
  EXPECT_FALSE(classify({0xc9}));                                         // leave
  EXPECT_FALSE(classify({0xc3}));                                         // ret
  EXPECT_FALSE(classify({0xe8, 0, 0, 0, 0}));                             // call
  EXPECT_FALSE(classify({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}));  // mov rax, fs:[0x28]
}

TEST(SiteTest, MemoryOperandsOfStackAndControlInstructions) {
  expect_kind({0xff, 0x37}, SiteKind::kRead, 8);   // push [rdi]
  expect_kind({0x8f, 0x07}, SiteKind::kWrite, 8);  // pop [rdi]
  expect_kind({0xff, 0x17}, SiteKind::kRead, 8);   // call [rdi]
  expect_kind({0xff, 0x27}, SiteKind::kRead, 8);   // jmp [rdi]
}

TEST(SiteTest, PopComputesItsAddressAfterMovingRsp) {
  auto site = classify({0x8f, 0x44, 0x24, 0x08});  // pop [rsp + 8]
  ASSERT_TRUE(site);
  EXPECT_EQ(site->operand.displacement, 16);
  EXPECT_NE(site->flags & hook::kStackOperand, 0);
}

TEST(SiteTest, LockedAndExchanged) {
  auto add = classify({0xf0, 0x48, 0x01, 0x07});  // lock add [rdi], rax
  EXPECT_EQ(add->kind, SiteKind::kReadModifyWrite);
  EXPECT_NE(add->flags & hook::kLocked, 0);
  auto exchange = classify({0x87, 0x07});  // xchg [rdi], eax
  EXPECT_EQ(exchange->kind, SiteKind::kReadModifyWrite);
  EXPECT_NE(exchange->flags & hook::kLocked, 0);
  auto compare = classify({0xf0, 0x48, 0x0f, 0xb1, 0x57, 0x08});  // lock cmpxchg [rdi + 8], rdx
  EXPECT_EQ(compare->kind, SiteKind::kCompareExchange);
  EXPECT_TRUE(compare->complex());
  EXPECT_EQ(compare->detail.base_register, 7);
  EXPECT_EQ(compare->detail.displacement, 8);
  EXPECT_EQ(compare->detail.element_count, 1);
  auto pair = classify({0xf0, 0x0f, 0xc7, 0x0f});  // lock cmpxchg8b [rdi]
  EXPECT_EQ(pair->kind, SiteKind::kCompareExchange);
  EXPECT_EQ(pair->size, 8);
  EXPECT_EQ(pair->detail.element_count, 2);
}

TEST(SiteTest, StringInstructions) {
  auto move = classify({0xf3, 0x48, 0xa5});  // rep movsq
  EXPECT_EQ(move->kind, SiteKind::kString);
  EXPECT_EQ(move->detail.string_op, hook::StringOp::kMovs);
  EXPECT_EQ(move->detail.rep, hook::RepPrefix::kRep);
  EXPECT_EQ(move->size, 8);
  auto scan = classify({0xf2, 0xae});  // repne scasb
  EXPECT_EQ(scan->detail.string_op, hook::StringOp::kScas);
  EXPECT_EQ(scan->detail.rep, hook::RepPrefix::kRepne);
  auto compare = classify({0xf3, 0xa6});  // repe cmpsb
  EXPECT_EQ(compare->detail.rep, hook::RepPrefix::kRepe);
}

TEST(SiteTest, GathersAndMasks) {
  auto gather =
      classify({0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x88});  // vgatherdps ymm0, [rax+ymm1*4], ymm2
  ASSERT_TRUE(gather);
  EXPECT_EQ(gather->kind, SiteKind::kVector);
  EXPECT_EQ(gather->detail.element_count, 8);
  EXPECT_EQ(gather->detail.index_size, 4);
  EXPECT_EQ(gather->vector_index, 1);
  EXPECT_EQ(gather->vector_mask, 2);
}

void expect_masked(const Bytes& bytes, bool is_write, int size, int count, hook::MaskKind mask) {
  auto site = classify(bytes);
  ASSERT_TRUE(site);
  EXPECT_EQ(site->kind, SiteKind::kVector);
  EXPECT_EQ(site->unsupported, Unsupported::kNone);
  EXPECT_EQ(site->size, size);
  EXPECT_EQ(site->detail.is_write, is_write ? 1 : 0);
  EXPECT_EQ(site->detail.element_count, count);
  EXPECT_EQ(site->detail.mask, mask);
  EXPECT_TRUE(site->mask_in_k);
}

TEST(SiteTest, Avx512MasksSelectElements) {
  using hook::MaskKind::kBits;
  // vmovups [rdi]{k1}, zmm0
  expect_masked({0x62, 0xf1, 0x7c, 0x49, 0x11, 0x07}, true, 4, 16, kBits);
  // vmovdqu8 [rdi + 64]{k1}, zmm1: the byte of displacement counts whole registers
  expect_masked({0x62, 0xf1, 0x7f, 0x49, 0x7f, 0x4f, 0x01}, true, 1, 64, kBits);
  EXPECT_EQ(classify({0x62, 0xf1, 0x7f, 0x49, 0x7f, 0x4f, 0x01})->detail.displacement, 64);
  // vmovss [rdi]{k1}, xmm1 and back
  expect_masked({0x62, 0xf1, 0x7e, 0x09, 0x11, 0x0f}, true, 4, 1, kBits);
  expect_masked({0x62, 0xf1, 0x7e, 0x89, 0x10, 0x0f}, false, 4, 1, kBits);
  // vpmovdb [rdi]{k1}, zmm1: sixteen dwords become bytes
  expect_masked({0x62, 0xf2, 0x7e, 0x49, 0x31, 0x0f}, true, 1, 16, kBits);
  // vpcmpb k2{k1}, zmm1, [rdi], 2
  expect_masked({0x62, 0xf3, 0x75, 0x49, 0x3f, 0x17, 0x02}, false, 1, 64, kBits);
  // vextractf32x4 [rdi]{k1}, zmm1, 1
  expect_masked({0x62, 0xf3, 0x7d, 0x49, 0x19, 0x0f, 0x01}, true, 4, 4, kBits);
}

TEST(SiteTest, Avx512CompressesAndExpandsAreSideBySide) {
  using hook::MaskKind::kPackedBits;
  // vcompressps [rdi]{k1}, zmm1
  expect_masked({0x62, 0xf2, 0x7d, 0x49, 0x8a, 0x0f}, true, 4, 16, kPackedBits);
  // vpexpandq zmm1{k1}, [rdi]
  expect_masked({0x62, 0xf2, 0xfd, 0x49, 0x89, 0x0f}, false, 8, 8, kPackedBits);
}

TEST(SiteTest, Avx512MasksThatDoNotGuardTheRead) {
  expect_kind({0x62, 0xf2, 0x75, 0x49, 0x36, 0x17}, SiteKind::kRead, 64);   // vpermd zmm2{k1}
  expect_kind({0x62, 0xf2, 0x7d, 0x49, 0x1a, 0x17}, SiteKind::kRead, 16);   // vbroadcastf32x4
  expect_kind({0x62, 0xf1, 0x74, 0x59, 0x58, 0x17}, SiteKind::kRead, 4);    // vaddps {1to16}
  expect_kind({0x62, 0xf1, 0x7c, 0x48, 0x11, 0x07}, SiteKind::kWrite, 64);  // vmovups, no mask
}

TEST(SiteTest, Avx512GathersAndScatters) {
  auto ExpectIndexed = [](const Bytes& bytes, bool is_write, int size, int count, int index_size,
                          int index, int mask) {
    expect_masked(bytes, is_write, size, count, hook::MaskKind::kBits);
    auto site = classify(bytes);
    EXPECT_EQ(site->detail.index_size, index_size);
    EXPECT_EQ(site->vector_index, index);
    EXPECT_EQ(site->vector_mask, mask);
    EXPECT_EQ(site->detail.base_register, 0);
  };
  // vpscatterdd [rax + zmm17*4 + 4]{k2}, zmm3
  ExpectIndexed({0x62, 0xf2, 0x7d, 0x42, 0xa0, 0x5c, 0x88, 0x01}, true, 4, 16, 4, 17, 2);
  // vpscatterqd [rax + zmm1*4]{k2}, ymm3
  ExpectIndexed({0x62, 0xf2, 0x7d, 0x4a, 0xa1, 0x1c, 0x88}, true, 4, 8, 8, 1, 2);
  // vgatherqps ymm3{k3}, [rax + zmm18*8]
  ExpectIndexed({0x62, 0xf2, 0x7d, 0x43, 0x93, 0x1c, 0xd0}, false, 4, 8, 8, 18, 3);
}

TEST(SiteTest, InstructionsThatTheRuntimeMayAnswer) {
  EXPECT_EQ(classify({0x0f, 0x05})->kind, SiteKind::kSyscall);
  EXPECT_EQ(classify({0x0f, 0x31})->kind, SiteKind::kTimestamp);
  auto random = classify({0x49, 0x0f, 0xc7, 0xf1});  // rdrand r9
  EXPECT_EQ(random->kind, SiteKind::kRandom);
  EXPECT_EQ(random->detail.base_register, 9);
  EXPECT_EQ(classify({0x0f, 0xa2})->kind, SiteKind::kProcessor);
  auto number = classify({0xf3, 0x41, 0x0f, 0xc7, 0xf9});  // rdpid r9
  EXPECT_EQ(number->kind, SiteKind::kProcessor);
  EXPECT_EQ(number->detail.base_register, 9);
}

TEST(SiteTest, AReportThatCannotBeMadeSaysWhy) {
  EXPECT_EQ(classify({0x65, 0x8b, 0x07})->unsupported, Unsupported::kSegment);
  EXPECT_EQ(classify({0x64, 0xf3, 0xa4})->unsupported, Unsupported::kSegment);    // rep movsb fs:
  EXPECT_EQ(classify({0x0f, 0xae, 0x27})->unsupported, Unsupported::kStateArea);  // xsave
  EXPECT_EQ(classify({0x66, 0x0f, 0x38, 0xf8, 0x07})->unsupported, Unsupported::kImplicit);
}

}  // namespace
}  // namespace rff::instrument
