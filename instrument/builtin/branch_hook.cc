#include "instrument/builtin/branch_hook.h"

namespace rff::instrument::builtin {
namespace {

using Kind = ComparedOperand::Kind;

class BranchHook {
 public:
  explicit BranchHook(CodeBuffer& code) : code_(code), start_(code.here()) {}

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
  InlineShape call(std::uint32_t number, std::uint64_t stub) {
    code_.bytes({0xbe});  // mov esi, number
    code_.value(number);
    code_.call(stub);
    return shape_;
  }

 private:
  std::uint8_t since() const { return static_cast<std::uint8_t>(code_.here() - start_); }

  CodeBuffer& code_;
  std::uint64_t start_;
  InlineShape shape_;
};

// Emits the store of a register or an immediate to [rsp].
void store_operand(const ComparedOperand& operand, CodeBuffer& code) {
  switch (operand.kind) {
    case Kind::kImmediate:
      code.bytes({0x48, 0xc7, 0x04, 0x24});  // mov qword [rsp], immediate
      code.value(operand.immediate);
      break;
    case Kind::kHighByte:  // mov [rsp], ah (ch, dh, bh)
      code.bytes({0x88, static_cast<std::uint8_t>(0x04 | ((operand.reg + 4) << 3)), 0x24});
      break;
    default: code.store(kRsp, 0, static_cast<Reg>(operand.reg)); break;
  }
}

// Emits the load of an operand into rdi; rsp is `moved` bytes below its value at the site.
void load_operand(const ComparedOperand& operand, std::uint8_t width, std::int32_t moved,
                  CodeBuffer& code) {
  switch (operand.kind) {
    case Kind::kMemory:
      code.lea_operand(kRdi, operand.memory, moved);
      switch (width) {
        case 1: code.bytes({0x0f, 0xb6, 0x3f}); break;  // movzx edi, byte [rdi]
        case 2: code.bytes({0x0f, 0xb7, 0x3f}); break;  // movzx edi, word [rdi]
        case 4: code.bytes({0x8b, 0x3f}); break;        // mov edi, [rdi]
        default: code.bytes({0x48, 0x8b, 0x3f}); break;
      }
      break;
    case Kind::kHighByte:  // movzx edi, ah (ch, dh, bh)
      code.bytes({0x0f, 0xb6, static_cast<std::uint8_t>(0xf8 | (operand.reg + 4))});
      break;
    default: {  // mov rdi, register
      auto rex = static_cast<std::uint8_t>(0x48 | ((operand.reg >> 3) << 2));
      code.bytes({rex, 0x89, static_cast<std::uint8_t>(0xc7 | ((operand.reg & 7) << 3))});
      break;
    }
  }
}

}  // namespace

InlineShape emit_block_hook(bool flags_dead, std::uint32_t number, const Stubs& stubs,
                            CodeBuffer& code) {
  BranchHook hook(code);
  hook.lower(kRedZone);
  hook.push_rdi();
  hook.push_rsi();
  return hook.call(number, flags_dead ? stubs.block_flags_dead : stubs.block);
}

InlineShape emit_comparison_hook(const ComparedOperands& operands, std::uint32_t number,
                                 const Stubs& stubs, CodeBuffer& code) {
  // Memory needs a register on its way, so it is the one that goes through rdi.
  bool swapped = operands.second.kind == Kind::kMemory;
  BranchHook hook(code);
  hook.lower(kRedZone + kSecondOperand);
  store_operand(swapped ? operands.first : operands.second, code);
  hook.push_rdi();
  load_operand(swapped ? operands.second : operands.first, operands.width,
               kRedZone + kSecondOperand + 8, code);
  hook.push_rsi();
  return hook.call(number, stubs.comparison);
}

}  // namespace rff::instrument::builtin
