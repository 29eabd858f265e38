#include "instrument/builtin/copier.h"

#include <unordered_set>

namespace rff::instrument::builtin {

namespace {

class Copier {
 public:
  Copier(const Program& program, const Redirects& redirects, const Stubs& stubs, PatchPlan& plan,
         CodeBuffer& code, Copies& copies)
      : program_(program),
        redirects_(redirects),
        stubs_(stubs),
        plan_(plan),
        code_(code),
        placements_(copies.placements),
        shapes_(copies.shapes),
        thunks_(copies.thunks),
        starts_(copies.starts) {}

  void Run() {
    placements_.assign(program_.instructions().size(), Placement{});
    shapes_.assign(plan_.records().size(), InlineShape{});
    std::unordered_set<std::uint32_t> thunked(redirects_.thunks.begin(), redirects_.thunks.end());
    thunked_.swap(thunked);
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      if (redirects_.copied[f]) {
        CopyFunction(program_.functions()[f]);
      }
    }
    starts_.push_back(code_.here());
    for (std::uint32_t instruction : redirects_.thunks) {
      EmitThunk(instruction);
    }
    for (const Fixup& fixup : fixups_) {
      code_.OverwriteDistance(fixup.at, Destination(fixup.target));
    }
  }

 private:
  struct Fixup {
    std::size_t at;
    std::uint64_t target;  // in the old code
  };

  // Where a branch to an old address goes: to the copy if there is one.
  std::uint64_t Destination(std::uint64_t old) const {
    std::uint32_t instruction = program_.InstructionAt(old);
    if (instruction != kNone32 && placements_[instruction].copy != 0) {
      return placements_[instruction].hook;
    }
    return old;
  }

  void CopyFunction(const Function& function) {
    while (code_.size() % 16 != 0) {
      code_.Bytes({0xcc});
    }
    starts_.push_back(code_.here());
    auto bytes = program_.file().At(function.begin);
    const Instruction* last = nullptr;
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      const Instruction& in = program_.instructions()[i];
      placements_[i].hook = code_.here();
      if (in.site != kNone32 && redirects_.hooked[in.site] && thunked_.count(i) == 0) {
        std::uint32_t number = plan_.NumberOf(in.site);
        if (number != kNone32) {
          EmitHook(program_.sites()[in.site], number);
          plan_.records()[number].copy_address = code_.here();
        }
      }
      placements_[i].copy = code_.here();
      EmitInstruction(in, bytes.data() + (in.address - function.begin));
      last = &in;
    }
    if (last->flow != Flow::kJump && last->flow != Flow::kIndirectJump &&
        last->flow != Flow::kReturn && last->flow != Flow::kStop) {
      Branch({0xe9}, function.end);
    }
  }

  void EmitThunk(std::uint32_t instruction) {
    const Site& site = program_.sites()[program_.instructions()[instruction].site];
    std::uint32_t number = plan_.NumberOf(program_.instructions()[instruction].site);
    Thunk thunk{instruction, code_.here(), 0};
    constexpr std::int32_t kReturnAddress = 8;
    InlineShape& shape = shapes_[number];
    shape.lowered_by = kRedZone;
    code_.Lea(kRsp, kRsp, -kRedZone);
    shape.lowered_at = Since(thunk.address);
    code_.Push(kRdi);
    shape.rdi_pushed_at = Since(thunk.address);
    code_.LeaOperand(kRdi, site.operand, kRedZone + 8 + kReturnAddress);
    code_.Push(kRsi);
    shape.rsi_pushed_at = Since(thunk.address);
    CallStub(number, stubs_.access_in_thunk);
    plan_.records()[number].copy_address = code_.here();
    code_.JumpThrough(site.operand, kReturnAddress);
    thunk.end = code_.here();
    thunks_.push_back(thunk);
  }

  void Branch(std::initializer_list<std::uint8_t> opcode, std::uint64_t target) {
    code_.Bytes(opcode);
    fixups_.push_back({code_.size(), target});
    code_.Value(std::int32_t{0});
  }

  void EmitInstruction(const Instruction& in, const std::uint8_t* bytes) {
    switch (in.flow) {
      case Flow::kCall:
      case Flow::kIndirectCall:
        // The call stays where it is, so that the return address and the unwinding of it do.
        code_.Jump(in.address);
        return;
      case Flow::kJump:
        Branch({0xe9}, in.target);
        return;
      case Flow::kConditional:
        // The condition is in the low four bits of the last opcode byte, short (7x) or near (0f
        // 8x).
        Branch({0x0f, static_cast<std::uint8_t>(0x80 | (Condition(in, bytes) & 0x0f))}, in.target);
        return;
      case Flow::kCounted:
        // Only an 8-bit distance: step over the jump for "not taken".
        code_.Append(bytes, in.length - 1U);
        code_.Bytes({0x02, 0xeb, 0x05});
        Branch({0xe9}, in.target);
        return;
      default:
        break;
    }
    std::size_t start = code_.size();
    code_.Append(bytes, in.length);
    if (in.displacement_offset != 0) {
      std::uint64_t end = code_.here();
      code_.Overwrite(start + in.displacement_offset,
                      static_cast<std::int32_t>(static_cast<std::int64_t>(in.target - end)));
    }
  }

  // A near branch ends with opcode and four bytes of distance, a short one with opcode and one.
  static std::uint8_t Condition(const Instruction& in, const std::uint8_t* bytes) {
    bool near = in.length >= 6 && bytes[in.length - 6U] == 0x0f;
    return near ? bytes[in.length - 5U] : bytes[in.length - 2U];
  }

  std::uint8_t Since(std::uint64_t start) const {
    return static_cast<std::uint8_t>(code_.here() - start);
  }

  void EmitHook(const Site& site, std::uint32_t number) {
    InlineShape& shape = shapes_[number];
    std::uint64_t start = code_.here();
    if (site.complex()) {
      EmitComplexHook(site, number);
      return;
    }
    code_.Lea(kRsp, kRsp, -kRedZone);
    shape.lowered_by = kRedZone;
    shape.lowered_at = Since(start);
    code_.Push(kRdi);
    shape.rdi_pushed_at = Since(start);
    code_.LeaOperand(kRdi, site.operand, kRedZone + 8);
    code_.Push(kRsi);
    shape.rsi_pushed_at = Since(start);
    if (site.bit_register != hook::kNoRegister) {
      EmitBitOffset(site);
    } else if (site.adds_al) {
      code_.Bytes({0x0f, 0xb6, 0xf0});        // movzx esi, al
      code_.Bytes({0x48, 0x8d, 0x3c, 0x37});  // lea rdi, [rdi + rsi]
    }
    CallStub(number, stubs_.access);
  }

  void CallStub(std::uint32_t number, std::uint64_t stub) {
    code_.Bytes({0xbe});  // mov esi, number
    code_.Value(number);
    code_.Call(stub);
  }

  // bt and relatives with a register offset: the word accessed is (offset >> log2 bits) words away.
  void EmitBitOffset(const Site& site) {
    code_.Bytes({0x9c});  // pushfq
    bool from_stack = site.bit_register == kRdi;
    std::uint8_t rex = static_cast<std::uint8_t>(0x48 | (from_stack ? 0 : site.bit_register >> 3));
    std::uint8_t shift = site.size == 8 ? 6 : site.size == 4 ? 5 : 4;
    if (site.size == 8) {
      code_.Bytes({rex, 0x8b});  // mov rsi, …
    } else if (site.size == 4) {
      code_.Bytes({rex, 0x63});  // movsxd rsi, …
    } else {
      code_.Bytes({rex, 0x0f, 0xbf});  // movsx rsi, …
    }
    if (from_stack) {
      code_.Bytes({0x74, 0x24, 0x10});  // [rsp + 16]: rdi as pushed
    } else {
      code_.Bytes({static_cast<std::uint8_t>(0xc0 | (kRsi << 3) | (site.bit_register & 7))});
    }
    code_.Bytes({0x48, 0xc1, 0xfe, shift});  // sar rsi, shift
    std::uint8_t scale = site.size == 8 ? 3 : site.size == 4 ? 2 : 1;
    code_.Bytes({0x48, 0x8d, 0x3c, static_cast<std::uint8_t>((scale << 6) | (kRsi << 3) | kRdi)});
    code_.Bytes({0x9d});  // popfq
  }

  void EmitComplexHook(const Site& site, std::uint32_t number) {
    bool vector = site.kind == hook::SiteKind::kVector;
    InlineShape& shape = shapes_[number];
    std::uint64_t start = code_.here();
    shape.lowered_by = static_cast<std::uint16_t>(kRedZone + (vector ? kVectorArea : 0));
    code_.Lea(kRsp, kRsp, -std::int32_t{shape.lowered_by});
    shape.lowered_at = Since(start);
    if (vector) {
      if (site.vector_index != hook::kNoRegister) {
        StoreVector(site.vector_index, site.vector_index_bytes, 0);
      }
      if (site.detail.mask_is_kreg != 0) {
        // kmovw (F) or kmovq (BW) [rsp + 64], k
        if (site.vector_mask_bytes == 8) {
          code_.Bytes({0xc4, 0xe1, 0xf8});
        } else {
          code_.Bytes({0xc5, 0xf8});
        }
        code_.Bytes({0x91, static_cast<std::uint8_t>(0x44 | (site.vector_mask << 3)), 0x24, 0x40});
      } else if (site.vector_mask != hook::kNoRegister) {
        StoreVector(site.vector_mask, site.vector_mask_bytes, 64);
      }
    }
    code_.Push(kRdi);
    shape.rdi_pushed_at = Since(start);
    if (site.operand.rip_relative) {
      code_.LeaOperand(kRdi, site.operand, 0);
    } else {
      code_.Bytes({0xbf});  // mov edi, 0
      code_.Value(std::uint32_t{0});
    }
    code_.Push(kRsi);
    shape.rsi_pushed_at = Since(start);
    CallStub(number, vector ? stubs_.vector : stubs_.complex);
  }

  // Unaligned store of an xmm, ymm or zmm register to [rsp + offset]; offset is 0 or 64.
  void StoreVector(std::uint8_t reg, std::uint8_t bytes, std::uint8_t offset) {
    auto modrm = static_cast<std::uint8_t>(0x44 | ((reg & 7) << 3));
    if (bytes == 64 || reg >= 16) {
      // EVEX.vmovdqu32: the displacement counts whole registers.
      auto p0 = static_cast<std::uint8_t>(0x61 | ((reg & 8) != 0 ? 0 : 0x80) |
                                          ((reg & 16) != 0 ? 0 : 0x10));
      auto length = static_cast<std::uint8_t>(bytes == 64 ? 0x40 : bytes == 32 ? 0x20 : 0);
      code_.Bytes({0x62, p0, 0x7e, static_cast<std::uint8_t>(0x08 | length), 0x7f, modrm, 0x24,
                   static_cast<std::uint8_t>(offset / bytes)});
    } else if (bytes == 32) {
      code_.Bytes({0xc5, static_cast<std::uint8_t>((reg >= 8 ? 0 : 0x80) | 0x7e), 0x7f, modrm, 0x24,
                   offset});  // vmovdqu
    } else {
      code_.Bytes({0xf3});  // movdqu
      if (reg >= 8) {
        code_.Bytes({0x44});
      }
      code_.Bytes({0x0f, 0x7f, modrm, 0x24, offset});
    }
  }

  const Program& program_;
  const Redirects& redirects_;
  const Stubs& stubs_;
  PatchPlan& plan_;
  CodeBuffer& code_;
  std::vector<Placement>& placements_;
  std::vector<InlineShape>& shapes_;
  std::vector<Thunk>& thunks_;
  std::vector<std::uint64_t>& starts_;
  std::unordered_set<std::uint32_t> thunked_;
  std::vector<Fixup> fixups_;
};

}  // namespace

Copies EmitCopies(const Program& program, const Redirects& redirects, const Stubs& stubs,
                  PatchPlan& plan, CodeBuffer& code) {
  Copies copies;
  Copier(program, redirects, stubs, plan, code, copies).Run();
  return copies;
}

}  // namespace rff::instrument::builtin
