#include "fuzzer/debug/variables.h"

#include <dwarf.h>

#include "fuzzer/debug/readable_name.h"

namespace rff {
namespace {

bool attribute_die(Dwarf_Die* die, unsigned name, Dwarf_Die* result) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, name, &attribute) != nullptr &&
         dwarf_formref_die(&attribute, result) != nullptr;
}

// Through typedefs and qualifiers to what the type is made of.
bool bare_type(Dwarf_Die* type) {
  for (;;) {
    switch (dwarf_tag(type)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_atomic_type:
      case DW_TAG_restrict_type: {
        Dwarf_Die next;
        if (!attribute_die(type, DW_AT_type, &next)) {
          return false;
        }
        *type = next;
        break;
      }
      default: return true;
    }
  }
}

bool member_offset(Dwarf_Die* member, std::uint64_t* offset) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  *offset = 0;
  if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == nullptr) {
    return true;  // the first of a union
  }
  if (dwarf_formudata(&attribute, &value) != 0) {
    return false;
  }
  *offset = value;
  return true;
}

// Synchronisation objects are opaque to the user: their fields are the C library's business.
bool opaque(Dwarf_Die* type) {
  const char* name = dwarf_diename(type);
  if (name == nullptr) {
    return false;
  }
  std::string text = name;
  return text.starts_with("pthread_") || text.starts_with("__pthread_") ||
         text.starts_with("mtx_") || text.starts_with("cnd_") || text.starts_with("sem_t") ||
         text == "mutex" || text == "condition_variable";
}

std::string inside(Dwarf_Die type, std::uint64_t offset, std::uint64_t size, int depth = 0) {
  Dwarf_Die named = type;
  if (depth > 8 || opaque(&named) || !bare_type(&type) || opaque(&type)) {
    return offset == 0 || depth <= 8 ? "" : "+" + hex(offset);
  }
  Dwarf_Word whole = 0;
  if (dwarf_aggregate_size(&type, &whole) == 0 && size >= whole && offset == 0 && size > 0) {
    return "";
  }
  int tag = dwarf_tag(&type);
  if (tag == DW_TAG_array_type) {
    Dwarf_Die element;
    Dwarf_Word element_size = 0;
    if (!attribute_die(&type, DW_AT_type, &element) ||
        dwarf_aggregate_size(&element, &element_size) != 0 || element_size == 0) {
      return offset == 0 ? "" : "+" + hex(offset);
    }
    return "[" + std::to_string(offset / element_size) + "]" +
           inside(element, offset % element_size, size, depth + 1);
  }
  if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
    Dwarf_Die child;
    for (int more = dwarf_child(&type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
      int child_tag = dwarf_tag(&child);
      Dwarf_Die member_type;
      std::uint64_t at = 0;
      Dwarf_Word bytes = 0;
      if ((child_tag != DW_TAG_member && child_tag != DW_TAG_inheritance) ||
          !member_offset(&child, &at) || !attribute_die(&child, DW_AT_type, &member_type) ||
          dwarf_aggregate_size(&member_type, &bytes) != 0 || offset < at || offset >= at + bytes) {
        continue;
      }
      const char* name = dwarf_diename(&child);
      std::string rest = inside(member_type, offset - at, size, depth + 1);
      // std::atomic and its like: the only field says nothing.
      bool anonymous = child_tag == DW_TAG_inheritance || name == nullptr || name[0] == '_';
      return (anonymous ? "" : "." + std::string(name)) + rest;
    }
  }
  return offset == 0 ? "" : "+" + hex(offset);
}

}  // namespace

std::string part_of(Dwarf_Die type, std::uint64_t offset, std::uint64_t size) {
  return inside(type, offset, size);
}

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
        collect(&child, scope + (name != nullptr ? std::string(name) + "::" : ""));
        break;
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
  Dwarf_Op* expression = nullptr;
  std::size_t length = 0;
  const char* name = dwarf_diename(die);
  if (dwarf_attr_integrate(die, DW_AT_name, &attribute) != nullptr) {
    name = dwarf_formstring(&attribute);
  }
  if (name == nullptr || dwarf_attr(die, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &expression, &length) != 0 || length != 1 ||
      expression[0].atom != DW_OP_addr) {
    return;
  }
  Variable v;
  v.name = scope + name;
  v.typed = attribute_die(die, DW_AT_type, &v.type);
  Dwarf_Word size = 0;
  if (v.typed && dwarf_aggregate_size(&v.type, &size) == 0) {
    v.size = size;
  }
  variables_[expression[0].number - dwarf_bias_] = v;
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
    variables_.try_emplace(value - symbol_bias_, Variable{plain, symbol.st_size, {}, false});
  }
}

std::string Variables::name(std::uint64_t address, std::uint64_t size) {
  auto it = variables_.upper_bound(address);
  if (it == variables_.begin()) {
    return "";
  }
  --it;
  const Variable& v = it->second;
  std::uint64_t offset = address - it->first;
  if (offset >= (v.size > 0 ? v.size : 1)) {
    return "";
  }
  if (v.typed) {
    return v.name + inside(v.type, offset, size);
  }
  return offset == 0 ? v.name : v.name + "+" + hex(offset);
}

std::optional<Variables::Found> Variables::containing(std::uint64_t address) {
  auto it = variables_.upper_bound(address);
  if (it == variables_.begin() ||
      address - (--it)->first >= (it->second.size > 0 ? it->second.size : 1)) {
    return std::nullopt;
  }
  return Found{it->second.name, address - it->first};
}

std::optional<std::uint64_t> Variables::find(const std::string& name) {
  for (const auto& [address, variable] : variables_) {
    if (variable.name == name) {
      return address;
    }
  }
  return std::nullopt;
}

}  // namespace rff
