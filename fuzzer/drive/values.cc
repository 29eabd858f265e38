#include "fuzzer/drive/values.h"

#include <dwarf.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

#include "fuzzer/debug/types.h"
#include "fuzzer/explain/story.h"

namespace rff {
namespace {

constexpr std::size_t kMostElements = 16;
constexpr std::size_t kMostBytes = 1 << 16;
constexpr int kMostDepth = 4;

std::string words(Dwarf_Die type, std::string_view bytes, int depth);

std::uint64_t number(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

std::string hex(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string base_words(Dwarf_Die type, std::string_view bytes) {
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding);
  std::uint64_t value = number(bytes);
  if (encoding == DW_ATE_float && (bytes.size() == 4 || bytes.size() == 8)) {
    double real = 0;
    float narrow = 0;
    std::memcpy(&real, bytes.data(), std::min(bytes.size(), sizeof real));
    std::memcpy(&narrow, bytes.data(), sizeof narrow);
    char text[64];
    std::snprintf(text, sizeof text, "%g", bytes.size() == 4 ? static_cast<double>(narrow) : real);
    return text;
  }
  if (encoding == DW_ATE_boolean) {
    return value != 0 ? "true" : "false";
  }
  if (bytes.size() > 8) {
    return "(" + std::to_string(bytes.size()) + " bytes)";
  }
  bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  std::string text = is_signed ? value_text(value, bytes.size()) : std::to_string(value);
  bool character = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char;
  if (character && value >= ' ' && value < 127) {
    text += std::string(" '") + static_cast<char>(value) + "'";
  }
  return text;
}

template <typename Visit>
void for_each_child(Dwarf_Die die, Visit visit) {
  Dwarf_Die child;
  for (int more = dwarf_child(&die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    visit(child);
  }
}

std::string record_words(Dwarf_Die type, std::string_view bytes, int depth) {
  std::string text;
  for_each_child(type, [&](Dwarf_Die member) {
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    if (dwarf_tag(&member) != DW_TAG_member ||
        dwarf_attr(&member, DW_AT_external, &attribute) != nullptr) {
      return;
    }
    dwarf_formudata(dwarf_attr(&member, DW_AT_data_member_location, &attribute), &offset);
    std::optional<Dwarf_Die> part = type_of(member);
    std::optional<std::uint64_t> size = part ? size_of(*part) : std::nullopt;
    if (!size || offset + *size > bytes.size()) {
      return;
    }
    const char* name = dwarf_diename(&member);
    text += (text.empty() ? "" : ", ") + (name != nullptr ? name + std::string(" = ") : "") +
            words(*part, bytes.substr(offset, *size), depth + 1);
  });
  return "{" + text + "}";
}

std::string array_words(Dwarf_Die type, std::string_view bytes, int depth) {
  std::optional<Dwarf_Die> element = type_of(type);
  std::optional<std::uint64_t> size = element ? size_of(*element) : std::nullopt;
  if (!size || *size == 0) {
    return "(" + std::to_string(bytes.size()) + " bytes)";
  }
  std::string text;
  for (std::size_t i = 0; (i + 1) * *size <= bytes.size(); ++i) {
    if (i == kMostElements) {
      text += ", ...";
      break;
    }
    text += (i == 0 ? "" : ", ") + words(*element, bytes.substr(i * *size, *size), depth + 1);
  }
  return "{" + text + "}";
}

std::string words(Dwarf_Die type, std::string_view bytes, int depth) {
  std::optional<Dwarf_Die> bare = bare_type(type);
  if (!bare || depth > kMostDepth) {
    return "...";
  }
  switch (dwarf_tag(&*bare)) {
    case DW_TAG_base_type: return base_words(*bare, bytes);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type: return hex(number(bytes));
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type: return record_words(*bare, bytes, depth);
    case DW_TAG_array_type: return array_words(*bare, bytes, depth);
    default: return bytes.size() <= 8 ? value_text(number(bytes), bytes.size()) : "...";
  }
}

struct Part {
  Dwarf_Die type{};
  std::uint64_t offset = 0;  // in the variable
};

std::optional<Part> member_named(const Part& record, std::string_view name) {
  std::optional<Dwarf_Die> bare = bare_type(record.type);
  std::optional<Part> found;
  if (bare) {
    for_each_child(*bare, [&](Dwarf_Die member) {
      Dwarf_Attribute attribute;
      Dwarf_Word offset = 0;
      const char* own = dwarf_diename(&member);
      std::optional<Dwarf_Die> type = type_of(member);
      if (dwarf_tag(&member) == DW_TAG_member && own != nullptr && name == own && type) {
        dwarf_formudata(dwarf_attr(&member, DW_AT_data_member_location, &attribute), &offset);
        found = Part{*type, record.offset + offset};
      }
    });
  }
  return found;
}

std::optional<Part> element(const Part& array, std::uint64_t index) {
  std::optional<Dwarf_Die> bare = bare_type(array.type);
  if (!bare || dwarf_tag(&*bare) != DW_TAG_array_type) {
    return std::nullopt;
  }
  std::optional<Dwarf_Die> type = type_of(*bare);
  std::uint64_t size = type ? size_of(*type).value_or(0) : 0;
  if (size == 0 || index >= size_of(*bare).value_or(0) / size) {
    return std::nullopt;
  }
  return Part{*type, array.offset + index * size};
}

// Returns the part of a variable that ".slots[3].next" names; all of it if the path is empty.
std::optional<Part> part_named(Dwarf_Die type, std::string_view path) {
  std::optional<Part> part = Part{type, 0};
  while (part && !path.empty()) {
    std::size_t end = std::min(path.find_first_of(".[", 1), path.size());
    std::string_view word = path.substr(1, end - 1);
    path.remove_prefix(end);
    std::uint64_t index = 0;
    auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    bool is_index = error == std::errc() && std::string_view(stop, word.end()) == "]";
    part = is_index ? element(*part, index) : member_named(*part, word);
  }
  return part;
}

struct Found {
  std::uint64_t address = 0;
  std::size_t bytes = 8;
  std::optional<Dwarf_Die> type;
};

// `wanted`: the name of a variable, and perhaps a path to a part of it.
std::optional<Found> find_variable(const std::string& wanted, const SharedMemory& shared,
                                   DebugInfo& debug) {
  std::size_t end = std::min(wanted.find_first_of(".["), wanted.size());
  std::string name = wanted.substr(0, end);
  std::string_view path = std::string_view(wanted).substr(end);
  for (const ModuleRecord& m : shared.modules) {
    DebugModule* module = (m.flags & kModuleSystem) == 0 ? debug.module(m.hash) : nullptr;
    auto at = module != nullptr ? module->variables().find(name, 0) : std::nullopt;
    if (!at) {
      continue;
    }
    auto variable = module->variables().containing(*at);
    if (!variable || !variable->type) {
      return path.empty() ? std::optional(Found{.address = m.base + *at}) : std::nullopt;
    }
    std::optional<Part> part = part_named(*variable->type, path);
    if (!part) {
      return std::nullopt;
    }
    return Found{m.base + *at + part->offset, size_of(part->type).value_or(8), part->type};
  }
  return std::nullopt;
}

}  // namespace

std::string read_memory(pid_t process, std::uint64_t address, std::size_t bytes) {
  std::string result(bytes, 0);
  iovec here = {result.data(), bytes};
  iovec there = {reinterpret_cast<void*>(address), bytes};
  ssize_t n = ::process_vm_readv(process, &here, 1, &there, 1, 0);
  if (n < 0) {  // forbidden in some containers
    int file = ::open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    n = file < 0 ? -1 : ::pread(file, result.data(), bytes, static_cast<off_t>(address));
    ::close(file);
  }
  result.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return result;
}

std::string value_words(Dwarf_Die type, std::string_view bytes) { return words(type, bytes, 0); }

std::string print_variable(const std::string& name, LiveRun& run, DebugInfo& debug) {
  std::optional<Found> found = find_variable(name, run.shared(), debug);
  if (!found) {
    return "no global variable is called " + name + ", or it has no such part" +
           " (locals: d starts gdb; without debug information only symbols are known)";
  }
  if (!run.alive()) {
    return "the program has ended, and its memory with it: b goes one step back";
  }
  if (found->bytes > kMostBytes) {
    return name + " has " + std::to_string(found->bytes) + " bytes: d starts gdb";
  }
  std::string bytes = read_memory(run.process(), found->address, found->bytes);
  if (bytes.size() != found->bytes) {
    return "the memory of " + name + " cannot be read";
  }
  return name + " = " +
         (found->type
              ? value_words(*found->type, bytes)
              : value_text(number(bytes), bytes.size()) + " (eight bytes, of unknown type)");
}

}  // namespace rff
