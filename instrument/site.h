// Classifies the memory access of one instruction, in the terms of the hook contract.
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>

#include "schedule/hook.h"

namespace rff::instrument {

// A memory operand. Registers are numbered as in the encoding (rax=0 … r15=15).
struct Operand {
  std::uint8_t base = hook::kNoRegister;
  std::uint8_t index = hook::kNoRegister;
  std::uint8_t scale = 1;
  std::uint8_t address_bits = 64;
  bool rip_relative = false;
  std::int64_t displacement = 0;  // rip-relative: the address itself
};

// The reasons why an access cannot be reported.
enum class Unsupported : std::uint8_t {
  kNone,
  kSegment,    // relative to gs, whose base the patched code does not know, or a string at fs
  kStateArea,  // xsave and relatives: what they touch depends on the processor
  kImplicit,   // movdir64b, enqcmd, maskmovq and other rare implicit operands
};
const char* explain(Unsupported reason);

struct Site {
  std::uint64_t address = 0;
  hook::SiteKind kind = hook::SiteKind::kRead;
  std::uint8_t flags = 0;
  std::uint8_t length = 0;
  std::uint16_t size = 0;
  Unsupported unsupported = Unsupported::kNone;
  Operand operand;
  // `bt` and relatives with a register bit offset access memory relative to their operand.
  std::uint8_t bit_register = hook::kNoRegister;
  // `xlat` adds al to its base.
  bool adds_al = false;
  // For vector sites: the registers that the complex hook needs, and their widths.
  std::uint8_t vector_index = hook::kNoRegister;
  std::uint8_t vector_mask = hook::kNoRegister;
  std::uint8_t vector_index_bytes = 0;
  std::uint8_t vector_mask_bytes = 0;
  bool mask_in_k = false;
  // The arithmetic flags are overwritten, by this instruction or after it, before any code reads
  // them.
  bool flags_dead = false;
  bool private_to_frame = false;  // see private_frames.h
  hook::SiteDetail detail{};

  bool to_be_hooked() const { return unsupported == Unsupported::kNone && !private_to_frame; }
  bool complex() const { return (flags & hook::kComplex) != 0; }
};

// Returns true if `instruction` is a site, and fills `site`.
bool classify_site(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands,
                   std::uint64_t address, Site& site);

}  // namespace rff::instrument
