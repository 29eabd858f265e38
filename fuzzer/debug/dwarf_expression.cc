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

class Evaluation {
 public:
  explicit Evaluation(const ExpressionContext& context) : context_(context) {}

  // Returns false if the operation is unknown or needs an unknown value.
  bool execute(const Dwarf_Op& operation) {
    unsigned op = operation.atom;
    std::uint64_t n = operation.number;
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
      return push(op - DW_OP_lit0);
    }
    if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
      return push_sum(op - DW_OP_breg0, n);
    }
    if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
      return take_register(op - DW_OP_reg0);
    }
    switch (op) {
      case DW_OP_regx: return take_register(static_cast<unsigned>(n));
      case DW_OP_bregx: return push_sum(static_cast<unsigned>(n), operation.number2);
      case DW_OP_call_frame_cfa: return push(context_.cfa);
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
      case DW_OP_addr: return push(n);
      case DW_OP_stack_value: is_location_ = false; return true;
      case DW_OP_nop: return true;
      default: return !stack_.empty() && execute_on_top(op, n);
    }
  }

  bool is_location() const { return is_location_; }
  std::optional<std::uint64_t> top() const {
    return stack_.empty() ? std::nullopt : std::optional(stack_.back());
  }

 private:
  bool push(std::optional<std::uint64_t> value) {
    stack_.push_back(value.value_or(0));
    return value.has_value();
  }

  bool push_sum(unsigned reg, std::uint64_t offset) {
    auto base = context_.reg(reg);
    return base && push(*base + offset);
  }

  bool take_register(unsigned reg) {
    is_location_ = false;
    return push(context_.reg(reg));
  }

  // Requires at least one value on the stack.
  bool execute_on_top(unsigned op, std::uint64_t n) {
    switch (op) {
      case DW_OP_plus_uconst: stack_.back() += n; return true;
      case DW_OP_deref: return load(sizeof(std::uint64_t));
      case DW_OP_deref_size: return load(n);
      case DW_OP_dup: return push(stack_.back());
      case DW_OP_drop: stack_.pop_back(); return true;
      default: return combine(op);
    }
  }

  bool load(std::uint64_t size) {
    auto value = context_.memory(stack_.back());
    if (!value) {
      return false;
    }
    bool whole = size >= sizeof *value;
    stack_.back() = whole ? *value : *value & ((std::uint64_t{1} << (8 * size)) - 1);
    return true;
  }

  bool combine(unsigned op) {
    if (stack_.size() < 2) {
      return false;
    }
    std::uint64_t b = stack_.back();
    stack_.pop_back();
    auto value = binary(op, stack_.back(), b);
    stack_.pop_back();
    return push(value);
  }

  const ExpressionContext& context_;
  std::vector<std::uint64_t> stack_;
  bool is_location_ = true;
};

}  // namespace

std::optional<std::uint64_t> evaluate(const Dwarf_Op* ops, std::size_t count,
                                      const ExpressionContext& context, bool* is_location) {
  Evaluation evaluation(context);
  for (std::size_t i = 0; i < count; ++i) {
    if (!evaluation.execute(ops[i])) {
      return std::nullopt;
    }
  }
  *is_location = evaluation.is_location();
  return evaluation.top();
}

}  // namespace rff
