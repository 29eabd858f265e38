#include "instrument/builtin/inline_hook.h"

namespace rff::instrument::builtin {

namespace {

class InlineHook {
 public:
  InlineHook(const Site& site, std::uint32_t number, const Stubs& stubs, CodeBuffer& code)
      : site_(site), number_(number), stubs_(stubs), code_(code), start_(code.here()) {}

  // `above`: the bytes that already lie between the program's rsp and the current one.
  InlineShape emit_simple(std::uint64_t stub, std::int32_t above) {
    lower(kRedZone);
    push_rdi();
    code_.lea_operand(kRdi, site_.operand, kRedZone + 8 + above);
    push_rsi();
    if (site_.bit_register != hook::kNoRegister) {
      emit_bit_offset(site_);
    } else if (site_.adds_al) {
      code_.bytes({0x0f, 0xb6, 0xf0});        // movzx esi, al
      code_.bytes({0x48, 0x8d, 0x3c, 0x37});  // lea rdi, [rdi + rsi]
    }
    call_stub(stub);
    return shape_;
  }

  InlineShape emit_complex() {
    bool vector = site_.kind == hook::SiteKind::kVector;
    lower(kRedZone + (vector ? kVectorArea : 0));
    if (vector) {
      store_vectors();
    }
    push_rdi();
    if (site_.operand.rip_relative) {
      code_.lea_operand(kRdi, site_.operand, 0);
    } else {
      code_.bytes({0xbf});  // mov edi, 0
      code_.value(std::uint32_t{0});
    }
    push_rsi();
    call_stub(vector ? stubs_.vector : stubs_.complex);
    return shape_;
  }

 private:
  std::uint8_t since() const { return static_cast<std::uint8_t>(code_.here() - start_); }

  void lower(std::int32_t by) {
    code_.lea(kRsp, kRsp, -by);
    shape_.lowered_by = static_cast<std::uint16_t>(by);
    shape_.lowered_at = since();
  }
  void push_rdi() {
    code_.push(kRdi);
    shape_.rdi_pushed_at = since();
  }
  void push_rsi() {
    code_.push(kRsi);
    shape_.rsi_pushed_at = since();
  }
  void call_stub(std::uint64_t stub) {
    code_.bytes({0xbe});  // mov esi, number
    code_.value(number_);
    code_.call(stub);
  }

  // For bt and relatives with a register offset: the accessed word is (offset >> log2 bits) words
  // away.
  void emit_bit_offset(const Site& site) {
    code_.bytes({0x9c});  // pushfq
    bool from_stack = site.bit_register == kRdi;
    std::uint8_t rex = static_cast<std::uint8_t>(0x48 | (from_stack ? 0 : site.bit_register >> 3));
    std::uint8_t shift = site.size == 8 ? 6 : site.size == 4 ? 5 : 4;
    if (site.size == 8) {
      code_.bytes({rex, 0x8b});  // mov rsi, …
    } else if (site.size == 4) {
      code_.bytes({rex, 0x63});  // movsxd rsi, …
    } else {
      code_.bytes({rex, 0x0f, 0xbf});  // movsx rsi, …
    }
    if (from_stack) {
      code_.bytes({0x74, 0x24, 0x10});  // [rsp + 16]: rdi as pushed
    } else {
      code_.bytes({static_cast<std::uint8_t>(0xc0 | (kRsi << 3) | (site.bit_register & 7))});
    }
    code_.bytes({0x48, 0xc1, 0xfe, shift});  // sar rsi, shift
    std::uint8_t scale = site.size == 8 ? 3 : site.size == 4 ? 2 : 1;
    code_.bytes({0x48, 0x8d, 0x3c, static_cast<std::uint8_t>((scale << 6) | (kRsi << 3) | kRdi)});
    code_.bytes({0x9d});  // popfq
  }

  void store_vectors() {
    if (site_.vector_index != hook::kNoRegister) {
      store_vector(site_.vector_index, site_.vector_index_bytes, 0);
    }
    if (site_.mask_in_k) {
      // kmovw (F) or kmovq (BW) [rsp + 64], k
      if (site_.vector_mask_bytes == 8) {
        code_.bytes({0xc4, 0xe1, 0xf8});
      } else {
        code_.bytes({0xc5, 0xf8});
      }
      code_.bytes({0x91, static_cast<std::uint8_t>(0x44 | (site_.vector_mask << 3)), 0x24, 0x40});
    } else if (site_.vector_mask != hook::kNoRegister) {
      store_vector(site_.vector_mask, site_.vector_mask_bytes, 64);
    }
  }

  // Emits an unaligned store of an xmm, ymm or zmm register to [rsp + offset]; offset is 0 or 64.
  void store_vector(std::uint8_t reg, std::uint8_t bytes, std::uint8_t offset) {
    auto modrm = static_cast<std::uint8_t>(0x44 | ((reg & 7) << 3));
    if (bytes == 64 || reg >= 16) {
      // EVEX.vmovdqu32: the displacement counts whole registers.
      auto p0 = static_cast<std::uint8_t>(0x61 | ((reg & 8) != 0 ? 0 : 0x80) |
                                          ((reg & 16) != 0 ? 0 : 0x10));
      auto length = static_cast<std::uint8_t>(bytes == 64 ? 0x40 : bytes == 32 ? 0x20 : 0);
      code_.bytes({0x62, p0, 0x7e, static_cast<std::uint8_t>(0x08 | length), 0x7f, modrm, 0x24,
                   static_cast<std::uint8_t>(offset / bytes)});
    } else if (bytes == 32) {
      code_.bytes({0xc5, static_cast<std::uint8_t>((reg >= 8 ? 0 : 0x80) | 0x7e), 0x7f, modrm, 0x24,
                   offset});  // vmovdqu
    } else {
      code_.bytes({0xf3});  // movdqu
      if (reg >= 8) {
        code_.bytes({0x44});
      }
      code_.bytes({0x0f, 0x7f, modrm, 0x24, offset});
    }
  }

  const Site& site_;
  std::uint32_t number_;
  const Stubs& stubs_;
  CodeBuffer& code_;
  std::uint64_t start_;
  InlineShape shape_;
};

}  // namespace

InlineShape emit_inline_hook(const Site& site, std::uint32_t number, const Stubs& stubs,
                             CodeBuffer& code) {
  InlineHook hook(site, number, stubs, code);
  if (site.complex()) {
    return hook.emit_complex();
  }
  return hook.emit_simple(site.flags_dead ? stubs.access_flags_dead : stubs.access, 0);
}

InlineShape emit_thunk_hook(const Site& site, std::uint32_t number, const Stubs& stubs,
                            CodeBuffer& code) {
  return InlineHook(site, number, stubs, code).emit_simple(stubs.access_in_thunk, kReturnAddress);
}

}  // namespace rff::instrument::builtin
