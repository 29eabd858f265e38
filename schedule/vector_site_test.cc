#include "schedule/vector_site.h"

#include <gtest/gtest.h>

#include <vector>

namespace rff::hook {
namespace {

SiteDetail Detail(MaskKind mask, std::uint8_t count) {
  SiteDetail detail{};
  detail.address_bits = 64;
  detail.base_register = 7;
  detail.index_register = kNoRegister;
  detail.scale = 1;
  detail.mask = mask;
  detail.element_count = count;
  return detail;
}

std::vector<std::uint64_t> Touched(const SiteDetail& detail, std::uint16_t size,
                                   const HookRegisters& registers) {
  std::vector<std::uint64_t> addresses;
  for_each_element(detail, size, registers,
                   [&](std::uint64_t address) { addresses.push_back(address); });
  return addresses;
}

TEST(VectorSiteTest, MaskBitsSelectElements) {
  HookRegisters registers{};
  registers.gpr[7] = 0x1000;
  registers.mask[0] = 0x81;
  registers.mask[1] = 0x02;
  SiteDetail detail = Detail(MaskKind::kBits, 16);
  detail.displacement = -16;
  EXPECT_EQ(Touched(detail, 4, registers),
            (std::vector<std::uint64_t>{0xff0, 0xff0 + 28, 0xff0 + 36}));
  // What lies behind the last element is no part of the mask.
  EXPECT_EQ(Touched(Detail(MaskKind::kBits, 7), 4, registers),
            (std::vector<std::uint64_t>{0x1000}));
}

TEST(VectorSiteTest, SignBitsSelectElements) {
  HookRegisters registers{};
  registers.gpr[7] = 0x1000;
  registers.mask[7] = 0x80;
  registers.mask[3] = 0x7f;
  SiteDetail detail = Detail(MaskKind::kSignBits, 4);
  detail.mask_element_size = 4;
  EXPECT_EQ(Touched(detail, 4, registers), (std::vector<std::uint64_t>{0x1004}));
}

TEST(VectorSiteTest, CompressedElementsLieSideBySide) {
  HookRegisters registers{};
  registers.gpr[7] = 0x1000;
  registers.mask[0] = 0x92;
  EXPECT_EQ(Touched(Detail(MaskKind::kPackedBits, 8), 8, registers),
            (std::vector<std::uint64_t>{0x1000, 0x1008, 0x1010}));
  registers.mask[0] = 0;
  EXPECT_TRUE(Touched(Detail(MaskKind::kPackedBits, 8), 8, registers).empty());
}

TEST(VectorSiteTest, IndexesAreSignedAndScaled) {
  HookRegisters registers{};
  registers.gpr[7] = 0x1000;
  registers.mask[0] = 0x05;
  const std::int32_t narrow[] = {-1, 5, 3, 7};
  std::memcpy(registers.index, narrow, sizeof(narrow));
  SiteDetail detail = Detail(MaskKind::kBits, 4);
  detail.scale = 8;
  detail.index_size = 4;
  EXPECT_EQ(Touched(detail, 4, registers), (std::vector<std::uint64_t>{0xff8, 0x1018}));
  const std::int64_t wide[] = {2, 0, -4, 0};
  std::memcpy(registers.index, wide, sizeof(wide));
  detail.index_size = 8;
  EXPECT_EQ(Touched(detail, 8, registers), (std::vector<std::uint64_t>{0x1010, 0xfe0}));
  // A 32-bit address wraps round.
  registers.gpr[7] = 0xfffffff8;
  detail.address_bits = 32;
  EXPECT_EQ(Touched(detail, 8, registers), (std::vector<std::uint64_t>{0x8, 0xffffffd8}));
}

}  // namespace
}  // namespace rff::hook
