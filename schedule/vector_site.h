// Computes the memory that a complex site touches from the registers that the patched code passes
// to the runtime.
#pragma once

#include <cstring>

#include "schedule/hook.h"

namespace rff::hook {

inline std::uint64_t operand_address(const SiteDetail& d, const HookRegisters& r) {
  if (r.rip_relative != 0) {
    return r.rip_relative;
  }
  std::uint64_t address = static_cast<std::uint64_t>(std::int64_t{d.displacement});
  if (d.base_register != kNoRegister) {
    address += r.gpr[d.base_register];
  }
  if (d.index_register != kNoRegister) {
    address += r.gpr[d.index_register] * d.scale;
  }
  return d.address_bits == 32 ? address & 0xffffffff : address;
}

inline bool element_selected(const SiteDetail& d, const HookRegisters& r, unsigned element) {
  if (d.mask == MaskKind::kSignBits) {
    return (r.mask[(element + 1) * d.mask_element_size - 1] & 0x80) != 0;
  }
  return ((r.mask[element / 8] >> (element % 8)) & 1) != 0;
}

// Calls visit(address) in order for each element that a vector site touches.
template <typename Visit>
void for_each_element(const SiteDetail& d, std::uint16_t size, const HookRegisters& r,
                      Visit visit) {
  const std::uint64_t base = operand_address(d, r);
  std::uint64_t packed = 0;  // number of elements visited
  for (unsigned i = 0; i < d.element_count; ++i) {
    if (!element_selected(d, r, i)) {
      continue;
    }
    std::uint64_t address = base;
    if (d.index_size == 4) {
      std::int32_t index;
      std::memcpy(&index, r.index + std::size_t{i} * 4, 4);
      address += static_cast<std::uint64_t>(std::int64_t{index}) * d.scale;
    } else if (d.index_size == 8) {
      std::uint64_t index;
      std::memcpy(&index, r.index + std::size_t{i} * 8, 8);
      address += index * d.scale;
    } else {
      address += (d.mask == MaskKind::kPackedBits ? packed : i) * size;
    }
    ++packed;
    visit(d.address_bits == 32 ? address & 0xffffffff : address);
  }
}

}  // namespace rff::hook
