#include "fuzzer/debug/debug_info.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzzer/debug/readable_name.h"

namespace rff {
namespace {

std::string die_function(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    if (dwarf_attr_integrate(die, name, &attribute) != nullptr) {
      if (const char* text = dwarf_formstring(&attribute)) {
        return readable_name(text);
      }
    }
  }
  return "";
}

// Returns whether the code belongs to the compiler, the system or the language.
bool in_library_header(const std::string& file) {
  constexpr std::string_view kBegins[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/",
                                          "/rustc/"};
  constexpr std::string_view kParts[] = {"/include/c++/", "/c++/v1/", "/lib/gcc/", "/lib/clang/",
                                         "/lib/rustlib/"};
  auto begins = [&](std::string_view part) { return file.starts_with(part); };
  auto contains = [&](std::string_view part) { return file.find(part) != std::string::npos; };
  return std::any_of(std::begin(kBegins), std::end(kBegins), begins) ||
         std::any_of(std::begin(kParts), std::end(kParts), contains);
}

// Also recognizes Rust's "<alloc::vec::Vec<T> as ...>::push".
bool in_library_namespace(std::string_view function) {
  function.remove_prefix(std::min(function.find_first_not_of('<'), function.size()));
  constexpr std::string_view kNames[] = {
      "std::", "__gnu_cxx::", "__cxxabiv1::", "core::", "alloc::"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return function.starts_with(name); });
}

bool is_system_library(const std::string& path) {
  constexpr std::string_view kFolders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  return std::any_of(std::begin(kFolders), std::end(kFolders),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

std::string call_file(Units& units, std::uint64_t address, Dwarf_Die* inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  return dwarf_attr(inlined, DW_AT_call_file, &attribute) != nullptr &&
                 dwarf_formudata(&attribute, &number) == 0
             ? units.file(address, number)
             : "";
}

int call_line(Dwarf_Die* inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  return dwarf_attr(inlined, DW_AT_call_line, &attribute) != nullptr &&
                 dwarf_formudata(&attribute, &line) == 0
             ? static_cast<int>(line)
             : 0;
}

}  // namespace

std::string Place::file_name() const { return std::filesystem::path(file).filename().string(); }

std::string Place::where() const {
  if (!file.empty()) {
    return file_name() + (line > 0 ? ":" + std::to_string(line) : "");
  }
  return module.empty() ? "an unknown place" : module + "+" + hex(offset);
}

std::string Place::text() const {
  std::string at = where() + (library.empty() ? "" : ", in " + library);
  return function.empty() ? at : function + " (" + at + ")";
}

bool Place::in_library() const {
  if (outside || in_library_namespace(function)) {
    return true;
  }
  return file.empty() ? module.starts_with("lib") && module.find(".so") != std::string::npos
                      : in_library_header(file);
}

void DebugInfo::add_module(std::uint32_t hash, const std::string& path) {
  auto& slot = modules_[hash];
  if (slot == nullptr) {
    slot = std::make_unique<DebugModule>(path);
    places_.clear();
  }
}

DebugModule* DebugInfo::module(std::uint32_t hash) {
  auto it = modules_.find(hash);
  return it != modules_.end() ? it->second.get() : nullptr;
}

std::string DebugInfo::module_name(std::uint32_t hash) {
  if (DebugModule* m = module(hash)) {
    return m->name();
  }
  char text[16];
  std::snprintf(text, sizeof text, "%08x", hash);
  return text;
}

// Returns the program's own line if a header of a library was inlined into it.
Place DebugInfo::place(CodeName code, Code kind) {
  const std::vector<Place>& chain = inlined(code, kind);
  std::string library;
  for (const Place& p : chain) {
    if (!p.file.empty() && !p.in_library()) {
      Place own = p;
      own.library = library;
      return own;
    }
    library = p.function;
  }
  return chain.front();
}

Place DebugInfo::place(OpKind op, CodeName code) {
  bool called = (!op_accesses(op) && op != OpKind::kCall) || op == OpKind::kFree;
  return place(code, called ? Code::kReturnAddress : Code::kAuto);
}

Place DebugInfo::place(FindingKind kind, CodeName code) {
  return place(code, kind == FindingKind::kCrash                           ? Code::kInstruction
                     : kind == FindingKind::kHang || is_memory_error(kind) ? Code::kAuto
                                                                           : Code::kReturnAddress);
}

std::string DebugInfo::with_places(const std::string& text) {
  constexpr std::string_view kOffset = "+0x";
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find(kOffset, at)) != std::string::npos;) {
    std::size_t begin = text.find_last_of(" (", at) + 1;  // 0 if there is none
    std::size_t digits = at + kOffset.size();
    std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", digits), text.size());
    std::string name = text.substr(begin, at - begin);
    for (const auto& [hash, m] : modules_) {
      if (begin >= copied && std::filesystem::path(m->path()).filename() == name) {
        auto offset = static_cast<std::uint32_t>(
            std::strtoul(text.substr(digits, end - digits).c_str(), nullptr, 16));
        result += text.substr(copied, begin - copied) + place(CodeName{hash, offset}).text();
        copied = end;
        break;
      }
    }
    at = end;
  }
  return result + text.substr(copied);
}

const std::vector<Place>& DebugInfo::inlined(CodeName code, Code kind) {
  auto [it, fresh] = places_.try_emplace({code.packed(), kind});
  if (fresh) {
    it->second = look_up(code, kind);
  }
  return it->second;
}

std::vector<Place> DebugInfo::look_up(CodeName code, Code kind) {
  Place place;
  place.offset = code.offset;
  if (code == CodeName{}) {
    return {place};
  }
  place.module = module_name(code.module);
  DebugModule* m = module(code.module);
  place.outside = m != nullptr && is_system_library(m->path());
  if (m == nullptr || m->dwfl() == nullptr) {
    return {place};
  }
  bool back =
      kind == Code::kReturnAddress || (kind == Code::kAuto && !m->patches().is_site(code.offset));
  std::uint64_t address = code.offset - (back ? 1 : 0);
  if (const char* symbol = dwfl_module_addrname(m->dwfl(), address + m->dwfl_bias())) {
    place.function = readable_name(symbol);
  }
  std::uint64_t in_dwarf = m->to_dwarf(address);
  if (std::optional<Units::Line> line = m->units().line(in_dwarf)) {
    place.file = line->file;
    place.line = line->number;
  }
  std::vector<Place> chain{place};
  for (Dwarf_Die& scope : m->units().scopes(in_dwarf)) {
    int tag = dwarf_tag(&scope);
    if (tag == DW_TAG_inlined_subroutine) {
      chain.back().function = die_function(&scope);
      Place caller = place;
      caller.file = call_file(m->units(), in_dwarf, &scope);
      caller.line = call_line(&scope);
      chain.push_back(caller);
    } else if (tag == DW_TAG_subprogram) {
      // A lambda's name is useless without the function around it, which the symbol contains.
      std::string function = die_function(&scope);
      bool full = function != "operator()" || place.function.empty();
      chain.back().function = function.empty() || !full ? place.function : function;
    }
  }
  return chain;
}

std::string DebugInfo::file_name(std::uint64_t name) const {
  if (trace_ == nullptr) {
    return "";
  }
  auto path = trace_->files.find(name);
  return path != trace_->files.end() ? path->second : "";
}

std::string DebugInfo::global_name(const AbstractEvent& e) {
  DebugModule* m = module(static_cast<std::uint32_t>(e.base));
  if (m != nullptr) {
    std::string name = m->variables().name(e.offset, e.size);
    if (!name.empty()) {
      return name;
    }
  }
  return module_name(static_cast<std::uint32_t>(e.base)) + "+" + hex(e.offset);
}

std::string DebugInfo::location(const AbstractEvent& e) {
  switch (e.place) {
    case LocationKind::kGlobal: return "`" + global_name(e) + "`";
    case LocationKind::kHeap:
      return (e.offset > 0 ? "offset " + std::to_string(e.offset) + " of " : "") +
             "the heap block from " + place(CodeName::unpack(e.base), Code::kReturnAddress).text();
    case LocationKind::kStack: return "a local variable";
    case LocationKind::kMapping: return "mapped memory +" + hex(e.offset);
    case LocationKind::kThread:
      if (e.base == 0) {
        return e.offset == 0   ? "the main thread"
               : e.offset == 1 ? "the signals of the process"
                               : "the loader";
      }
      return "the thread created in " +
             place(CodeName::unpack(e.base), Code::kReturnAddress).text();
    case LocationKind::kDescriptor:
      return "descriptor " + std::to_string(e.offset + 1) + " made in " +
             place(CodeName::unpack(e.base), Code::kReturnAddress).text();
    case LocationKind::kFile: {
      std::string path = file_name(e.base);
      return path.empty() ? "a file" : "`" + path + "`";
    }
    default: return "";
  }
}

std::string DebugInfo::heap_part(std::uint64_t step) {
  HeapTypes* types = heap_types();
  return types != nullptr && trace_->at_step(step) != nullptr ? types->part(step) : "";
}

std::string DebugInfo::location(const AbstractEvent& e, std::uint64_t address, std::uint64_t step) {
  if (e.place == LocationKind::kHeap) {
    HeapTypes* types = step != 0 ? heap_types() : nullptr;
    std::string part = types != nullptr ? types->part(step) : "";
    return (!part.empty()  ? "`" + part + "` of "
            : e.offset > 0 ? "offset " + std::to_string(e.offset) + " of "
                           : "") +
           "the heap block from " + allocation_place(e, address, step).text();
  }
  auto local = e.place == LocationKind::kStack ? local_at(address) : std::nullopt;
  return local ? "`" + local->first->name + part_of(local->first->type, local->second, e.size) + "`"
               : location(e);
}

std::string DebugInfo::short_location(const AbstractEvent& e) {
  switch (e.place) {
    case LocationKind::kGlobal: return global_name(e);
    case LocationKind::kHeap:
      return "heap[" + place(CodeName::unpack(e.base), Code::kReturnAddress).where() + "]" +
             (e.offset > 0 ? "+" + std::to_string(e.offset) : "");
    case LocationKind::kStack: return "stack-" + hex(e.offset);
    case LocationKind::kMapping: return "mapping+" + hex(e.offset);
    case LocationKind::kThread:
      if (e.base == 0) {
        return e.offset == 0 ? "thread[main]" : e.offset == 1 ? "signals" : "loader";
      }
      return "thread[" + place(CodeName::unpack(e.base), Code::kReturnAddress).where() + "]";
    case LocationKind::kDescriptor:
      return "descriptor[" + place(CodeName::unpack(e.base), Code::kReturnAddress).where() + "#" +
             std::to_string(e.offset + 1) + "]";
    case LocationKind::kFile: return "file[" + file_name(e.base) + "]";
    default: return "";
  }
}

std::string DebugInfo::source_line(const Place& place) {
  if (place.file.empty() || place.line <= 0) {
    return "";
  }
  auto [it, fresh] = sources_.try_emplace(place.file);
  if (fresh) {
    std::ifstream in(place.file);
    for (std::string line; it->second.size() < 200'000 && std::getline(in, line);) {
      it->second.push_back(line);
    }
  }
  auto index = static_cast<std::size_t>(place.line - 1);
  if (index >= it->second.size()) {
    return "";
  }
  const std::string& line = it->second[index];
  auto begin = line.find_first_not_of(" \t");
  auto end = line.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
}

}  // namespace rff
