#include "fuzzer/debug/variables.h"

#include <dwarf.h>

#include <algorithm>

#include "fuzzer/debug/readable_name.h"
#include "fuzzer/debug/types.h"

namespace rff {
namespace {

// A part of a variable, or all of it, that always has the same address.
struct Piece {
  std::uint64_t address = 0;
  std::uint64_t offset = 0;  // in the variable
  std::optional<std::uint64_t> size = {};
};

std::optional<std::uint64_t> fixed_address(Dwarf_Attribute* location, const Dwarf_Op& op) {
  if (op.atom == DW_OP_addr) {
    return op.number;
  }
  Dwarf_Attribute entry;
  Dwarf_Addr address = 0;
  bool in_table = op.atom == DW_OP_addrx || op.atom == DW_OP_GNU_addr_index;
  return in_table && dwarf_getlocation_attr(location, &op, &entry) == 0 &&
                 dwarf_formaddr(&entry, &address) == 0
             ? std::optional(address)
             : std::nullopt;
}

// Returns the parts of a variable. clang lists one by one the members that it has kept.
std::vector<Piece> fixed_pieces(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(die, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &ops, &count) != 0) {
    return {};
  }
  if (count == 1) {
    auto address = fixed_address(&attribute, ops[0]);
    return address ? std::vector<Piece>{{*address}} : std::vector<Piece>{};
  }
  std::vector<Piece> pieces;
  std::uint64_t offset = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (ops[i].atom != DW_OP_piece) {
      continue;
    }
    auto address = i == begin + 1 ? fixed_address(&attribute, ops[begin]) : std::nullopt;
    if (address) {
      pieces.push_back({*address, offset, ops[i].number});
    }
    offset += ops[i].number;
    begin = i + 1;
  }
  return pieces;
}

}  // namespace

Variables::Variables(const std::vector<Dwarf_Die>& units, Dwfl_Module* symbols,
                     std::uint64_t dwarf_bias, std::uint64_t symbol_bias)
    : dwarf_bias_(dwarf_bias), symbol_bias_(symbol_bias), symbols_(symbols) {
  for (Dwarf_Die unit : units) {
    collect(&unit, "");
  }
  collect_symbols();
}

void Variables::collect(Dwarf_Die* die, const std::string& scope) {
  Dwarf_Die child;
  for (int more = dwarf_child(die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    const char* name = dwarf_diename(&child);
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable: add(&child, scope); break;
      case DW_TAG_namespace:
      case DW_TAG_subprogram:
        collect(&child, scope + (name != nullptr ? std::string(name) + "::" : ""));
        break;
      case DW_TAG_lexical_block: collect(&child, scope); break;
      default: break;
    }
  }
}

void Variables::add(Dwarf_Die* die, const std::string& scope) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_diename(die);
  if (dwarf_attr_integrate(die, DW_AT_name, &attribute) != nullptr) {
    name = dwarf_formstring(&attribute);
  }
  if (name == nullptr) {
    return;
  }
  for (const Piece& piece : fixed_pieces(die)) {
    Variable v;
    v.name = scope + name;
    v.type = type_of(*die);
    v.size = piece.size ? *piece.size : v.type ? size_of(*v.type).value_or(0) : 0;
    v.offset = piece.offset;
    variables_[piece.address - dwarf_bias_] = v;
  }
}

void Variables::collect_symbols() {
  int count = symbols_ != nullptr ? dwfl_module_getsymtab(symbols_) : 0;
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr value = 0;
    const char* name =
        dwfl_module_getsym_info(symbols_, i, &symbol, &value, nullptr, nullptr, nullptr);
    if (name == nullptr || name[0] == 0 || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
        symbol.st_size == 0) {
      continue;
    }
    std::string plain = name;
    plain = plain.substr(0, plain.find('@'));  // without the version
    variables_.try_emplace(value - symbol_bias_,
                           Variable{readable_variable(plain.c_str()), symbol.st_size});
  }
}

std::string Variables::name(std::uint64_t address, std::uint64_t size) {
  std::optional<Found> v = containing(address);
  if (!v) {
    return "";
  }
  if (v->type) {
    return v->name + part_of(*v->type, v->offset, size);
  }
  return v->offset == 0 ? v->name : v->name + "+" + hex(v->offset);
}

std::optional<Variables::Found> Variables::containing(std::uint64_t address) {
  auto it = variables_.upper_bound(address);
  if (it == variables_.begin() ||
      address - (--it)->first >= (it->second.size > 0 ? it->second.size : 1)) {
    return std::nullopt;
  }
  return Found{it->second.name, address - it->first + it->second.offset, it->second.type};
}

std::vector<Variables::Range> Variables::all() const {
  std::vector<Range> ranges;
  for (const auto& [address, v] : variables_) {
    ranges.push_back({v.name, address, address + std::max<std::uint64_t>(v.size, 1)});
  }
  return ranges;
}

std::optional<std::uint64_t> Variables::find(const std::string& name, std::uint64_t offset) {
  for (const auto& [address, v] : variables_) {
    if (v.name == name && offset >= v.offset &&
        offset - v.offset < std::max<std::uint64_t>(v.size, 1)) {
      return address + offset - v.offset;
    }
  }
  return std::nullopt;
}

}  // namespace rff
