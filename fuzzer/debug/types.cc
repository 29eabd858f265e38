#include "fuzzer/debug/types.h"

#include <dwarf.h>

#include "fuzzer/debug/readable_name.h"

namespace rff {
namespace {

constexpr int kMostDepth = 24;

template <typename Visit>
void for_each_child(Dwarf_Die die, Visit visit) {
  Dwarf_Die child;
  for (int more = dwarf_child(&die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (visit(child)) {
      return;
    }
  }
}

bool is_record(Dwarf_Die type) {
  int tag = dwarf_tag(&type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

// DWARF before version 5 lists static members among the others.
bool is_static(Dwarf_Die member) {
  Dwarf_Attribute attribute;
  return dwarf_attr(&member, DW_AT_external, &attribute) != nullptr ||
         dwarf_attr(&member, DW_AT_declaration, &attribute) != nullptr;
}

std::optional<std::uint64_t> member_offset(Dwarf_Die member) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(&member, DW_AT_data_member_location, &attribute) == nullptr) {
    return 0;  // the member of a union
  }
  return dwarf_formudata(&attribute, &value) == 0 ? std::optional(value) : std::nullopt;
}

bool has_parts(Dwarf_Die record) {
  bool found = false;
  for_each_child(record, [&](Dwarf_Die child) {
    int tag = dwarf_tag(&child);
    found = tag == DW_TAG_inheritance || (tag == DW_TAG_member && !is_static(child));
    return found;
  });
  return found;
}

struct Member {
  Dwarf_Die die{};
  Dwarf_Die type{};
  std::uint64_t offset = 0;
};

// Returns the first member or base that covers the offset.
std::optional<Member> member_at(Dwarf_Die record, std::uint64_t offset) {
  std::optional<Member> found;
  for_each_child(record, [&](Dwarf_Die child) {
    int tag = dwarf_tag(&child);
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || is_static(child)) {
      return false;
    }
    auto at = member_offset(child);
    auto type = type_of(child);
    auto bytes = type ? size_of(*type) : std::nullopt;
    auto bare = type ? bare_type(*type) : std::nullopt;
    bool empty = bare && is_record(*bare) && !has_parts(*bare);  // shares its address
    if (at && bytes && !empty && offset >= *at && offset - *at < *bytes) {
      found = Member{child, *type, *at};
    }
    return found.has_value();
  });
  return found;
}

// Synchronization objects are opaque to the user: their fields belong to the C library.
bool opaque(Dwarf_Die type) {
  const char* name = dwarf_diename(&type);
  if (name == nullptr) {
    return false;
  }
  std::string text = name;
  return text.starts_with("pthread_") || text.starts_with("__pthread_") ||
         text.starts_with("mtx_") || text.starts_with("cnd_") || text.starts_with("sem_t") ||
         text == "mutex" || text == "condition_variable";
}

std::string rest(std::uint64_t offset) { return offset == 0 ? "" : "+" + hex(offset); }

std::string inside(Dwarf_Die declared, std::uint64_t offset, std::uint64_t size, int depth = 0) {
  std::optional<Dwarf_Die> bare = bare_type(without_buffer(declared));
  if (depth > kMostDepth) {
    return rest(offset);
  }
  if (opaque(declared) || !bare || opaque(*bare)) {
    return "";
  }
  Dwarf_Die type = without_buffer(*bare);
  auto whole = size_of(type);
  if (whole && size >= *whole && offset == 0 && size > 0) {
    return "";
  }
  if (dwarf_tag(&type) == DW_TAG_array_type) {
    auto element = type_of(type);
    auto bytes = element ? size_of(*element) : std::nullopt;
    return bytes && *bytes > 0 ? "[" + std::to_string(offset / *bytes) + "]" +
                                     inside(*element, offset % *bytes, size, depth + 1)
                               : rest(offset);
  }
  std::optional<Member> member = is_record(type) ? member_at(type, offset) : std::nullopt;
  if (!member) {
    return rest(offset);
  }
  const char* name = dwarf_diename(&member->die);
  // For std::atomic and similar types the name of the only field carries no information.
  bool anonymous =
      dwarf_tag(&member->die) == DW_TAG_inheritance || name == nullptr || name[0] == '_';
  return (anonymous ? "" : "." + std::string(name)) +
         inside(member->type, offset - member->offset, size, depth + 1);
}

// Returns whether the type carries no information about the object there.
bool is_bytes(Dwarf_Die type) {
  Dwarf_Attribute attribute;
  return dwarf_tag(&type) == DW_TAG_unspecified_type ||
         (dwarf_tag(&type) == DW_TAG_base_type && size_of(type) == 1 &&
          dwarf_attr(&type, DW_AT_encoding, &attribute) != nullptr);
}

}  // namespace

std::optional<Dwarf_Die> type_of(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  Dwarf_Die result;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &result) == nullptr) {
    return std::nullopt;
  }
  return result;
}

std::optional<Dwarf_Die> bare_type(Dwarf_Die type) {
  std::optional<Dwarf_Die> bare = type;
  while (bare) {
    switch (dwarf_tag(&*bare)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_atomic_type:
      case DW_TAG_restrict_type: bare = type_of(*bare); break;
      default: return bare;
    }
  }
  return bare;
}

std::optional<std::uint64_t> size_of(Dwarf_Die type) {
  Dwarf_Word bytes = 0;
  return dwarf_aggregate_size(&type, &bytes) == 0 ? std::optional(bytes) : std::nullopt;
}

std::string type_name(Dwarf_Die type) {
  for (std::optional<Dwarf_Die> t = type; t; t = type_of(*t)) {
    int tag = dwarf_tag(&*t);
    if (tag == DW_TAG_pointer_type) {
      auto to = type_of(*t);
      std::string name = to ? type_name(*to) : "void";
      return name.empty() ? "" : name + "*";
    }
    if (const char* name = dwarf_diename(&*t)) {
      return name;
    }
    if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_atomic_type &&
        tag != DW_TAG_restrict_type) {
      break;
    }
  }
  return "";
}

std::optional<Dwarf_Die> scalar_at(Dwarf_Die type, std::uint64_t offset) {
  for (int depth = 0; depth < kMostDepth; ++depth) {
    std::optional<Dwarf_Die> bare = bare_type(without_buffer(type));
    if (!bare) {
      return std::nullopt;
    }
    type = without_buffer(*bare);
    int tag = dwarf_tag(&type);
    if (tag == DW_TAG_array_type) {
      auto element = type_of(type);
      auto bytes = element ? size_of(*element) : std::nullopt;
      if (!bytes || *bytes == 0) {
        return std::nullopt;
      }
      type = *element;
      offset %= *bytes;
    } else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
      std::optional<Member> member = member_at(type, offset);
      if (!member) {
        return std::nullopt;
      }
      type = member->type;
      offset -= member->offset;
    } else {
      return offset == 0 && tag != DW_TAG_union_type ? std::optional(type) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<Dwarf_Die> pointee(Dwarf_Die type) {
  std::optional<Dwarf_Die> bare = bare_type(type);
  if (!bare ||
      (dwarf_tag(&*bare) != DW_TAG_pointer_type && dwarf_tag(&*bare) != DW_TAG_reference_type)) {
    return std::nullopt;
  }
  std::optional<Dwarf_Die> to = type_of(*bare);
  std::optional<Dwarf_Die> what = to ? bare_type(*to) : std::nullopt;
  return what && size_of(*what).value_or(0) > 0 && !is_bytes(*what) ? to : std::nullopt;
}

std::optional<Dwarf_Die> template_argument(Dwarf_Die type, const std::string& parameter) {
  std::optional<Dwarf_Die> found;
  for_each_child(type, [&](Dwarf_Die child) {
    const char* name = dwarf_diename(&child);
    if (dwarf_tag(&child) == DW_TAG_template_type_parameter && name != nullptr &&
        name == parameter) {
      found = type_of(child);
    }
    return found.has_value();
  });
  return found;
}

Dwarf_Die without_buffer(Dwarf_Die type) {
  const char* name = dwarf_diename(&type);
  if (name == nullptr || !std::string(name).starts_with("__aligned_")) {
    return type;
  }
  return template_argument(type, "_Tp").value_or(type);
}

std::optional<Dwarf_Die> first_part(Dwarf_Die type) {
  std::optional<Dwarf_Die> bare = bare_type(type);
  if (bare && dwarf_tag(&*bare) == DW_TAG_array_type) {
    return type_of(*bare);
  }
  std::optional<Member> first = bare && is_record(*bare) ? member_at(*bare, 0) : std::nullopt;
  return first ? std::optional(first->type) : std::nullopt;
}

std::string part_of(Dwarf_Die type, std::uint64_t offset, std::uint64_t size) {
  return inside(type, offset, size);
}

std::string named_part(Dwarf_Die type, const std::string& index, std::uint64_t offset,
                       std::uint64_t size) {
  for (int depth = 0; depth < kMostDepth; ++depth) {
    type = without_buffer(type);
    std::optional<Dwarf_Die> bare = bare_type(type);
    if (!type_name(type).starts_with('_') || !bare || !is_record(*bare)) {
      break;
    }
    std::optional<Member> member = member_at(*bare, offset);
    if (!member) {
      return "";
    }
    type = member->type;
    offset -= member->offset;
  }
  std::string name = type_name(type);
  std::string part = index + part_of(type, offset, size);
  return part.empty() || name.empty() || name.starts_with('_') ? "" : name + part;
}

}  // namespace rff
