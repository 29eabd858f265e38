#include "instrument/site.h"

#include <algorithm>
#include <limits>

namespace rff::instrument {

namespace {

using hook::kNoRegister;
using hook::SiteKind;

std::uint8_t register_number(ZydisRegister reg) {
  if (reg == ZYDIS_REGISTER_NONE) {
    return kNoRegister;
  }
  return static_cast<std::uint8_t>(ZydisRegisterGetId(reg));
}

bool is_memory(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
         (operand.mem.type == ZYDIS_MEMOP_TYPE_MEM || operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB);
}

// Returns whether an instruction names a memory operand without accessing it.
bool only_names_memory(const ZydisDecodedInstruction& in) {
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
    case ZYDIS_CATEGORY_CLFLUSHOPT:
    case ZYDIS_CATEGORY_CLWB:
    case ZYDIS_CATEGORY_CLDEMOTE: return true;
    default: break;
  }
  return in.mnemonic == ZYDIS_MNEMONIC_CLFLUSH || in.mnemonic == ZYDIS_MNEMONIC_INVLPG ||
         in.mnemonic == ZYDIS_MNEMONIC_LEA;
}

bool touches_state_area(const ZydisDecodedInstruction& in) {
  return in.meta.category == ZYDIS_CATEGORY_XSAVE || in.meta.category == ZYDIS_CATEGORY_XSAVEOPT;
}

void set_operand(const ZydisDecodedInstruction& in, const ZydisDecodedOperand& memory,
                 std::uint64_t address, Site& site) {
  Operand& out = site.operand;
  out.address_bits = in.address_width;
  out.displacement = memory.mem.disp.has_displacement ? memory.mem.disp.value : 0;
  if (memory.mem.base == ZYDIS_REGISTER_RIP || memory.mem.base == ZYDIS_REGISTER_EIP) {
    out.rip_relative = true;
    out.displacement += static_cast<std::int64_t>(address + in.length);
    return;
  }
  out.base = register_number(memory.mem.base);
  if (memory.mem.type != ZYDIS_MEMOP_TYPE_VSIB) {
    out.index = register_number(memory.mem.index);
  }
  out.scale = memory.mem.scale == 0 ? 1 : memory.mem.scale;
  // Leaves room for what the inline code adds to an rsp-based displacement.
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max() - 4096;
  if (out.base == 4 && out.displacement > kLargest) {
    site.unsupported = Unsupported::kImplicit;
  }
  if (out.base == 4 || out.base == 5) {
    site.flags |= hook::kStackOperand;
  }
  // According to the manual, pop computes an rsp-based destination after moving rsp.
  if (in.mnemonic == ZYDIS_MNEMONIC_POP && out.base == 4) {
    out.displacement += memory.size / 8;
  }
}

void set_detail_operand(Site& site) {
  hook::SiteDetail& detail = site.detail;
  detail.address_bits = site.operand.address_bits;
  detail.base_register = site.operand.base;
  detail.index_register = site.operand.index;
  detail.scale = site.operand.scale;
  detail.displacement =
      site.operand.rip_relative ? 0 : static_cast<std::int32_t>(site.operand.displacement);
}

hook::StringOp string_operation(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVSQ: return hook::StringOp::kMovs;
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSW:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_STOSQ: return hook::StringOp::kStos;
    case ZYDIS_MNEMONIC_LODSB:
    case ZYDIS_MNEMONIC_LODSW:
    case ZYDIS_MNEMONIC_LODSD:
    case ZYDIS_MNEMONIC_LODSQ: return hook::StringOp::kLods;
    case ZYDIS_MNEMONIC_CMPSB:
    case ZYDIS_MNEMONIC_CMPSW:
    case ZYDIS_MNEMONIC_CMPSD:
    case ZYDIS_MNEMONIC_CMPSQ: return hook::StringOp::kCmps;
    case ZYDIS_MNEMONIC_SCASB:
    case ZYDIS_MNEMONIC_SCASW:
    case ZYDIS_MNEMONIC_SCASD:
    case ZYDIS_MNEMONIC_SCASQ: return hook::StringOp::kScas;
    default: return hook::StringOp::kNone;
  }
}

void classify_string(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                     Site& site) {
  site.kind = SiteKind::kString;
  site.flags |= hook::kComplex;
  hook::SiteDetail& detail = site.detail;
  detail.string_op = string_operation(in.mnemonic);
  detail.address_bits = in.address_width;
  detail.base_register = kNoRegister;
  detail.index_register = kNoRegister;
  detail.rep = (in.attributes & ZYDIS_ATTRIB_HAS_REPNE) != 0  ? hook::RepPrefix::kRepne
               : (in.attributes & ZYDIS_ATTRIB_HAS_REPE) != 0 ? hook::RepPrefix::kRepe
               : (in.attributes & ZYDIS_ATTRIB_HAS_REP) != 0  ? hook::RepPrefix::kRep
                                                              : hook::RepPrefix::kNone;
  for (int i = 0; i < in.operand_count; ++i) {
    if (is_memory(operands[i])) {
      site.size = static_cast<std::uint16_t>(operands[i].size / 8);
      if (operands[i].mem.segment == ZYDIS_REGISTER_FS ||
          operands[i].mem.segment == ZYDIS_REGISTER_GS) {
        site.unsupported = Unsupported::kSegment;
      }
    }
  }
}

std::uint8_t register_bytes(ZydisRegister reg) {
  return static_cast<std::uint8_t>(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8);
}

void use_mask(ZydisRegister mask, Site& site) {
  site.vector_mask = register_number(mask);
  site.mask_in_k = ZydisRegisterGetClass(mask) == ZYDIS_REGCLASS_MASK;
  site.detail.mask = site.mask_in_k ? hook::MaskKind::kBits : hook::MaskKind::kSignBits;
  site.vector_mask_bytes =
      site.mask_in_k ? (site.detail.element_count > 16 ? 8 : 2) : register_bytes(mask);
}

// Classifies gathers and scatters, which access one element per index.
void classify_gather(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                     const ZydisDecodedOperand& memory, Site& site) {
  bool is_write = (memory.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  ZydisRegister index = memory.mem.index;
  site.vector_index = register_number(index);
  site.vector_index_bytes = register_bytes(index);
  // The letter before the element type names the index: vpgather*d*q, vgather*q*ps.
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_VGATHERDPD:
    case ZYDIS_MNEMONIC_VGATHERDPS:
    case ZYDIS_MNEMONIC_VPGATHERDD:
    case ZYDIS_MNEMONIC_VPGATHERDQ:
    case ZYDIS_MNEMONIC_VSCATTERDPD:
    case ZYDIS_MNEMONIC_VSCATTERDPS:
    case ZYDIS_MNEMONIC_VPSCATTERDD:
    case ZYDIS_MNEMONIC_VPSCATTERDQ: site.detail.index_size = 4; break;
    case ZYDIS_MNEMONIC_VGATHERQPD:
    case ZYDIS_MNEMONIC_VGATHERQPS:
    case ZYDIS_MNEMONIC_VPGATHERQD:
    case ZYDIS_MNEMONIC_VPGATHERQQ:
    case ZYDIS_MNEMONIC_VSCATTERQPD:
    case ZYDIS_MNEMONIC_VSCATTERQPS:
    case ZYDIS_MNEMONIC_VPSCATTERQD:
    case ZYDIS_MNEMONIC_VPSCATTERQQ: site.detail.index_size = 8; break;
    default:  // gather prefetches, Knights Corner
      site.unsupported = Unsupported::kImplicit;
      return;
  }
  // There are as many elements as fit both the index register and the data register.
  const ZydisDecodedOperand& data = operands[is_write ? 2 : 0];  // after memory and mask
  unsigned by_index = site.vector_index_bytes / site.detail.index_size;
  unsigned by_data = data.size / 8U / site.size;
  site.detail.element_count = static_cast<std::uint8_t>(by_index < by_data ? by_index : by_data);
  if (in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX) {
    use_mask(in.avx.mask.reg, site);
  } else {
    site.detail.mask_element_size = static_cast<std::uint8_t>(site.size);
    use_mask(operands[2].reg.value, site);
  }
}

bool is_vector(const ZydisDecodedOperand& operand) {
  if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) {
    return false;
  }
  switch (ZydisRegisterGetClass(operand.reg.value)) {
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM: return true;
    default: return false;
  }
}

// Returns whether a masked instruction reads an element of memory only if the mask has that
// element's bit. Permutations and broadcasts read elements that others need; instructions of the
// classes without fault suppression (NF in the manual) read all.
bool mask_guards_reads(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                       const ZydisDecodedOperand& memory) {
  switch (in.meta.exception_class) {
    case ZYDIS_EXCEPTION_CLASS_E1NF:
    case ZYDIS_EXCEPTION_CLASS_E2NF:
    case ZYDIS_EXCEPTION_CLASS_E3NF:
    case ZYDIS_EXCEPTION_CLASS_E4NF:
    case ZYDIS_EXCEPTION_CLASS_E5NF:
    case ZYDIS_EXCEPTION_CLASS_E6NF:
    case ZYDIS_EXCEPTION_CLASS_E9NF:
    case ZYDIS_EXCEPTION_CLASS_E10NF:
    case ZYDIS_EXCEPTION_CLASS_E11NF: return false;
    default: break;
  }
  if (in.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID) {
    return false;
  }
  const ZydisDecodedOperand* end = operands + in.operand_count_visible;
  const ZydisDecodedOperand* lanes = std::find_if(operands, end, is_vector);
  return memory.element_count == 1 || lanes == end || lanes->element_count == memory.element_count;
}

// Returns false for an access that is not masked after all.
bool classify_vector(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                     const ZydisDecodedOperand& memory, Site& site) {
  hook::SiteDetail& detail = site.detail;
  bool is_write = (memory.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  detail.is_write = is_write ? 1 : 0;
  if (memory.mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
    site.size = static_cast<std::uint16_t>(memory.element_size / 8);
    classify_gather(in, operands, memory, site);
    return true;
  }
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ: {
      bool wide =
          in.mnemonic == ZYDIS_MNEMONIC_VMASKMOVPD || in.mnemonic == ZYDIS_MNEMONIC_VPMASKMOVQ;
      site.size = wide ? 8 : 4;
      detail.element_count = static_cast<std::uint8_t>(memory.size / 8U / site.size);
      detail.mask_element_size = static_cast<std::uint8_t>(site.size);
      use_mask(operands[1].reg.value, site);
      return true;
    }
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
      site.size = 1;
      detail.element_count = 16;
      detail.mask_element_size = 1;
      use_mask(operands[1].reg.value, site);
      return true;
    default: break;
  }
  bool masked = in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
                (in.avx.mask.mode == ZYDIS_MASK_MODE_MERGING ||
                 in.avx.mask.mode == ZYDIS_MASK_MODE_ZEROING) &&
                in.avx.mask.reg != ZYDIS_REGISTER_K0 && in.avx.mask.reg != ZYDIS_REGISTER_NONE;
  if (!masked || (!is_write && !mask_guards_reads(in, operands, memory))) {
    return false;
  }
  site.size = static_cast<std::uint16_t>(memory.element_size / 8);
  detail.element_count = static_cast<std::uint8_t>(memory.element_count);
  use_mask(in.avx.mask.reg, site);
  if (in.meta.category == ZYDIS_CATEGORY_COMPRESS || in.meta.category == ZYDIS_CATEGORY_EXPAND) {
    detail.mask = hook::MaskKind::kPackedBits;
  }
  return true;
}

// Returns the one operand that is not the stack's own push or pop; null if there is none.
const ZydisDecodedOperand* accessed_operand(const ZydisDecodedInstruction& in,
                                            const ZydisDecodedOperand* operands) {
  const ZydisDecodedOperand* found = nullptr;
  for (int i = 0; i < in.operand_count; ++i) {
    const ZydisDecodedOperand& operand = operands[i];
    bool own_stack =
        operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
        (operand.mem.base == ZYDIS_REGISTER_RSP || operand.mem.base == ZYDIS_REGISTER_RBP);
    if (is_memory(operand) && operand.actions != 0 && !own_stack) {
      if (found != nullptr) {
        continue;
      }
      found = &operand;
    }
  }
  return found;
}

bool has_bit_offset_register(const ZydisDecodedInstruction& in,
                             const ZydisDecodedOperand* operands) {
  return in.meta.category == ZYDIS_CATEGORY_BITBYTE && in.operand_count_visible == 2 &&
         operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
         operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

// Classifies instructions that are sites without a memory operand. Returns false for all others.
bool classify_by_mnemonic(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                          Site& site) {
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL: site.kind = SiteKind::kSyscall; break;
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP: site.kind = SiteKind::kTimestamp; break;
    case ZYDIS_MNEMONIC_RDRAND:
    case ZYDIS_MNEMONIC_RDSEED: site.kind = SiteKind::kRandom; break;
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_RDPID: site.kind = SiteKind::kProcessor; break;
    default: return false;
  }
  site.flags = hook::kComplex;
  site.size = site.kind == SiteKind::kSyscall ? 0 : 8;
  if (in.operand_count_visible > 0) {
    site.size = static_cast<std::uint16_t>(operands[0].size / 8);
    site.detail.base_register = register_number(operands[0].reg.value);
  }
  return true;
}

}  // namespace

const char* explain(Unsupported reason) {
  switch (reason) {
    case Unsupported::kNone: return "supported";
    case Unsupported::kSegment: return "operand relative to a segment register";
    case Unsupported::kStateArea: return "xsave area of unknown size";
    case Unsupported::kImplicit: return "implicit operand";
  }
  return "";
}

bool classify_site(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                   std::uint64_t address, Site& site) {
  site = Site{};
  site.address = address;
  site.length = in.length;
  site.detail.base_register = kNoRegister;
  site.detail.index_register = kNoRegister;
  site.detail.address_bits = 64;
  if (classify_by_mnemonic(in, operands, site)) {
    return true;
  }
  if (only_names_memory(in)) {
    return false;
  }
  if (in.meta.category == ZYDIS_CATEGORY_STRINGOP) {
    classify_string(in, operands, site);
    return true;
  }
  const ZydisDecodedOperand* memory = accessed_operand(in, operands);
  if (memory == nullptr || memory->mem.segment == ZYDIS_REGISTER_FS) {
    return false;
  }
  set_operand(in, *memory, address, site);
  site.size = static_cast<std::uint16_t>(memory->size / 8);
  bool reads = (memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
  bool writes = (memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  site.kind = reads && writes ? SiteKind::kReadModifyWrite
              : writes        ? SiteKind::kWrite
                              : SiteKind::kRead;
  if (memory->mem.segment == ZYDIS_REGISTER_GS) {
    site.unsupported = Unsupported::kSegment;
  } else if (touches_state_area(in)) {
    site.unsupported = Unsupported::kStateArea;
  }
  if ((in.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || in.mnemonic == ZYDIS_MNEMONIC_XCHG) {
    site.flags |= hook::kLocked;
  }
  if (in.mnemonic == ZYDIS_MNEMONIC_CMPXCHG || in.mnemonic == ZYDIS_MNEMONIC_CMPXCHG8B ||
      in.mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B) {
    site.kind = SiteKind::kCompareExchange;
    site.flags |= hook::kComplex;
    site.detail.element_count = in.mnemonic == ZYDIS_MNEMONIC_CMPXCHG ? 1 : 2;
  } else if (has_bit_offset_register(in, operands)) {
    site.bit_register = register_number(operands[1].reg.value);
  } else if (in.mnemonic == ZYDIS_MNEMONIC_XLAT) {
    site.adds_al = true;
  } else if (classify_vector(in, operands, *memory, site)) {
    site.kind = SiteKind::kVector;
    site.flags |= hook::kComplex;
  } else if (memory->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN ||
             in.meta.category == ZYDIS_CATEGORY_MOVDIR ||
             in.meta.category == ZYDIS_CATEGORY_ENQCMD) {
    site.unsupported = Unsupported::kImplicit;
  }
  if (site.complex()) {
    set_detail_operand(site);
  }
  return true;
}

}  // namespace rff::instrument
