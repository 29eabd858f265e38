#include "fuzzer/debug/dwarf_expression.h"

#include <dwarf.h>

#include <vector>

namespace rff {
namespace {

std::optional<std::uint64_t> binary(unsigned op, std::uint64_t a, std::uint64_t b) {
  auto sa = static_cast<std::int64_t>(a);
  auto sb = static_cast<std::int64_t>(b);
  switch (op) {
    case DW_OP_and: return a & b;
    case DW_OP_or: return a | b;
    case DW_OP_xor: return a ^ b;
    case DW_OP_plus: return a + b;
    case DW_OP_minus: return a - b;
    case DW_OP_mul: return a * b;
    case DW_OP_shl: return b < 64 ? a << b : 0;
    case DW_OP_shr: return b < 64 ? a >> b : 0;
    case DW_OP_shra: return static_cast<std::uint64_t>(sa >> (b < 63 ? b : 63));
    case DW_OP_eq: return sa == sb;
    case DW_OP_ne: return sa != sb;
    case DW_OP_ge: return sa >= sb;
    case DW_OP_gt: return sa > sb;
    case DW_OP_le: return sa <= sb;
    case DW_OP_lt: return sa < sb;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<std::uint64_t> evaluate(const Dwarf_Op* ops, std::size_t count,
                                      const ExpressionContext& context, bool* is_location) {
  std::vector<std::uint64_t> stack;
  *is_location = true;
  auto push = [&](std::optional<std::uint64_t> v) {
    stack.push_back(v.value_or(0));
    return v.has_value();
  };
  for (std::size_t i = 0; i < count; ++i) {
    unsigned op = ops[i].atom;
    std::uint64_t n = ops[i].number;
    bool fine = true;
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
      fine = push(op - DW_OP_lit0);
    } else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
      auto base = context.reg(op - DW_OP_breg0);
      fine = base && push(*base + n);
    } else if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
      fine = push(context.reg(op - DW_OP_reg0));
      *is_location = false;
    } else {
      switch (op) {
        case DW_OP_regx:
          fine = push(context.reg(static_cast<unsigned>(n)));
          *is_location = false;
          break;
        case DW_OP_bregx: {
          auto base = context.reg(static_cast<unsigned>(n));
          fine = base && push(*base + ops[i].number2);
          break;
        }
        case DW_OP_call_frame_cfa: fine = push(context.cfa); break;
        case DW_OP_const1u:
        case DW_OP_const2u:
        case DW_OP_const4u:
        case DW_OP_const8u:
        case DW_OP_constu:
        case DW_OP_const1s:
        case DW_OP_const2s:
        case DW_OP_const4s:
        case DW_OP_const8s:
        case DW_OP_consts:
        case DW_OP_addr: fine = push(n); break;
        case DW_OP_plus_uconst:
          fine = !stack.empty();
          if (fine) {
            stack.back() += n;
          }
          break;
        case DW_OP_deref:
        case DW_OP_deref_size: {
          auto value = stack.empty() ? std::nullopt : context.memory(stack.back());
          fine = value.has_value();
          if (fine) {
            bool whole = op == DW_OP_deref || n >= sizeof *value;
            stack.back() = whole ? *value : *value & ((std::uint64_t{1} << (8 * n)) - 1);
          }
          break;
        }
        case DW_OP_dup: fine = !stack.empty() && push(stack.back()); break;
        case DW_OP_drop:
          fine = !stack.empty();
          if (fine) {
            stack.pop_back();
          }
          break;
        case DW_OP_stack_value: *is_location = false; break;
        case DW_OP_nop: break;
        default: {
          if (stack.size() < 2) {
            return std::nullopt;
          }
          std::uint64_t b = stack.back();
          stack.pop_back();
          auto value = binary(op, stack.back(), b);
          stack.pop_back();
          fine = push(value);
        }
      }
    }
    if (!fine) {
      return std::nullopt;
    }
  }
  return stack.empty() ? std::nullopt : std::optional(stack.back());
}

}  // namespace rff
