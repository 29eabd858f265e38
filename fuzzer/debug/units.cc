#include "fuzzer/debug/units.h"

#include <dwarf.h>

#include <filesystem>

namespace rff {
namespace {

std::string tidy(const char* file) { return std::filesystem::path(file).lexically_normal(); }

template <typename Visit>
void for_each_range(Dwarf_Die* die, Visit visit) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
    // Debug information places functions that the linker removed at 0.
    if (begin < end && begin != 0) {
      visit(begin, end);
    }
  }
}

bool may_hold_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
         tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
         tag == DW_TAG_lexical_block;
}

// Finds the child scope that contains the code.
bool inner_scope(Dwarf_Die* scope, std::uint64_t address, Dwarf_Die* inner) {
  for (int more = dwarf_child(scope, inner); more == 0; more = dwarf_siblingof(inner, inner)) {
    int tag = dwarf_tag(inner);
    if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
        dwarf_haspc(inner, address) > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

Units::Units(Dwarf* dwarf) {
  Dwarf_CU* cu = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die die{};
  Dwarf_Die split{};
  while (dwarf != nullptr && dwarf_get_units(dwarf, cu, &cu, &version, &type, &die, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_partial && type != DW_UT_skeleton) {
      continue;
    }
    bool has_split = type == DW_UT_skeleton && split.addr != nullptr;
    Unit& unit = units_.emplace_back();
    unit.lines = die;
    unit.scopes = has_split ? split : die;
    for_each_range(&die, [&](std::uint64_t begin, std::uint64_t end) {
      ranges_[begin] = {end, units_.size() - 1};
    });
  }
}

Units::Unit* Units::find(std::uint64_t address) {
  auto it = ranges_.upper_bound(address);
  if (it == ranges_.begin() || address >= (--it)->second.end) {
    return nullptr;
  }
  return &units_[it->second.unit];
}

std::optional<Units::Line> Units::line(std::uint64_t address) {
  Unit* unit = find(address);
  Dwarf_Line* found = unit != nullptr ? dwarf_getsrc_die(&unit->lines, address) : nullptr;
  Line line;
  const char* file = found != nullptr ? dwarf_linesrc(found, nullptr, nullptr) : nullptr;
  if (file == nullptr || dwarf_lineno(found, &line.number) != 0) {
    return std::nullopt;
  }
  line.file = tidy(file);
  return line;
}

void Units::list_functions(Unit& unit, Dwarf_Die* parent) {
  Dwarf_Die child;
  for (int more = dwarf_child(parent, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram) {
      for_each_range(&child, [&](std::uint64_t begin, std::uint64_t end) {
        unit.functions[begin] = {end, child};
      });
    }
    if (may_hold_functions(tag)) {
      list_functions(unit, &child);
    }
  }
}

std::vector<Dwarf_Die> Units::scopes(std::uint64_t address) {
  Unit* unit = find(address);
  if (unit == nullptr) {
    return {};
  }
  if (!unit->listed) {
    unit->listed = true;
    list_functions(*unit, &unit->scopes);
  }
  auto it = unit->functions.upper_bound(address);
  if (it == unit->functions.begin() || address >= (--it)->second.end) {
    return {};
  }
  std::vector<Dwarf_Die> path{it->second.die};
  for (Dwarf_Die inner; inner_scope(&path.back(), address, &inner);) {
    path.push_back(inner);
  }
  return {path.rbegin(), path.rend()};
}

std::vector<CodeRanges> Units::function_ranges(std::uint64_t address) {
  std::vector<CodeRanges> all;
  for (Dwarf_Die& scope : scopes(address)) {
    if (dwarf_tag(&scope) != DW_TAG_lexical_block) {
      CodeRanges& ranges = all.emplace_back();
      for_each_range(
          &scope, [&](std::uint64_t begin, std::uint64_t end) { ranges.emplace_back(begin, end); });
    }
  }
  return all;
}

std::string Units::file(std::uint64_t address, std::size_t number) {
  Unit* unit = find(address);
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (unit == nullptr || dwarf_getsrcfiles(&unit->lines, &files, &count) != 0 || number >= count) {
    return "";
  }
  const char* name = dwarf_filesrc(files, number, nullptr, nullptr);
  return name != nullptr ? tidy(name) : "";
}

std::vector<Dwarf_Die> Units::all() {
  std::vector<Dwarf_Die> dies;
  for (const Unit& unit : units_) {
    dies.push_back(unit.scopes);
  }
  return dies;
}

}  // namespace rff
