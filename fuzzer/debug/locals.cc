#include "fuzzer/debug/locals.h"

#include <dwarf.h>

#include <cstdlib>

#include "fuzzer/debug/unwinder.h"

namespace rff {
namespace {

// Returns the operation of an expression that consists of only one.
std::optional<Dwarf_Op> only_operation(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) {
    return std::nullopt;
  }
  return operations[0];
}

constexpr unsigned kRbp = 6;  // numbers of registers in DWARF
constexpr unsigned kRsp = 7;

// A function's variables are relative to one of these, depending on the compiler.
struct Base {
  std::optional<std::uint64_t> frame;  // for DW_OP_fbreg
  std::optional<std::uint64_t> rbp, rsp;

  std::optional<std::uint64_t> address(const Dwarf_Op& op) const {
    const std::optional<std::uint64_t>& from = op.atom == DW_OP_fbreg          ? frame
                                               : op.atom == DW_OP_breg0 + kRbp ? rbp
                                               : op.atom == DW_OP_breg0 + kRsp ? rsp
                                                                               : kNone;
    return from ? std::optional(*from + op.number) : std::nullopt;
  }

 private:
  static constexpr std::optional<std::uint64_t> kNone{};
};

std::optional<std::uint64_t> frame_base(Dwarf_Die* function, const Frame& frame) {
  std::optional<Dwarf_Op> base = only_operation(function, DW_AT_frame_base);
  if (!base) {
    return std::nullopt;
  }
  switch (base->atom) {
    case DW_OP_call_frame_cfa: return frame.cfa;
    case DW_OP_reg0 + kRbp: return frame.rbp;
    case DW_OP_reg0 + kRsp: return frame.rsp;
    default: return std::nullopt;
  }
}

void collect(Dwarf_Die* scope, const std::string& function, const Base& base, DebugInfo& debug) {
  Dwarf_Die child;
  for (int more = dwarf_child(scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_lexical_block) {
      collect(&child, function, base, debug);
    }
    const char* name = dwarf_diename(&child);
    if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || name == nullptr) {
      continue;
    }
    std::optional<Dwarf_Op> at = only_operation(&child, DW_AT_location);
    DebugInfo::Local local;
    Dwarf_Attribute attribute;
    Dwarf_Word size = 0;
    std::optional<std::uint64_t> address = at ? base.address(*at) : std::nullopt;
    if (!address || dwarf_attr_integrate(&child, DW_AT_type, &attribute) == nullptr ||
        dwarf_formref_die(&attribute, &local.type) == nullptr ||
        dwarf_aggregate_size(&local.type, &size) != 0) {
      continue;
    }
    local.name = function + "::" + name;
    local.size = size;
    debug.add_local(*address, local);
  }
}

void add_locals_of(const Frame& frame, DebugInfo& debug) {
  DebugModule* module = debug.module(frame.code.module);
  if (module == nullptr || module->dwfl() == nullptr || frame.cfa == 0) {
    return;
  }
  std::uint64_t address = module->to_dwarf(frame.code.offset - (frame.exact ? 0 : 1));
  std::vector<Dwarf_Die> scopes = module->units().scopes(address);
  if (scopes.empty()) {
    return;
  }
  if (const char* function = dwarf_diename(&scopes.back())) {
    collect(&scopes.back(), function, {frame_base(&scopes.back(), frame), frame.rbp, frame.rsp},
            debug);
  }
}

}  // namespace

void add_locals(const Trace& trace, DebugInfo& debug) {
  Unwinder unwinder(trace, debug);
  for (const Trace::Stack& stack : trace.stacks) {
    for (const Frame& f : unwinder.unwind(stack)) {
      if (stack.registers.thread == 0 &&
          debug.inlined(f.code, DebugInfo::Code::kReturnAddress).back().function == "main") {
        add_locals_of(f, debug);
        return;
      }
    }
  }
}

}  // namespace rff
