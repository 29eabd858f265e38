#include "fuzzer/common/source_map.h"

#include <elfutils/libdwfl.h>

#include <cstdio>
#include <filesystem>

#include "fuzzer/common/readable_name.h"

namespace rff {

struct SourceMap::Module {
  std::string path;
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;
  GElf_Addr bias = 0;
  bool opened = false;

  ~Module() {
    if (dwfl != nullptr) {
      dwfl_end(dwfl);
    }
  }

  void open() {
    if (opened) {
      return;
    }
    opened = true;
    static char* no_path = nullptr;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &no_path};
    dwfl = dwfl_begin(&callbacks);
    if (dwfl == nullptr) {
      return;
    }
    module = dwfl_report_offline(dwfl, "", path.c_str(), -1);
    dwfl_report_end(dwfl, nullptr, nullptr);
    if (module != nullptr && dwfl_module_getelf(module, &bias) == nullptr) {
      module = nullptr;
    }
  }
};

SourceMap::SourceMap() = default;
SourceMap::~SourceMap() = default;

void SourceMap::add_module(std::uint32_t hash, const std::string& path) {
  auto& slot = modules_[hash];
  if (slot == nullptr) {
    slot = std::make_unique<Module>();
    slot->path = path;
  }
}

std::string SourceMap::module_name(std::uint32_t hash) const {
  auto it = modules_.find(hash);
  if (it == modules_.end()) {
    char text[16];
    std::snprintf(text, sizeof text, "%08x", hash);
    return text;
  }
  std::string name = std::filesystem::path(it->second->path).filename().string();
  constexpr std::string_view kSuffix = ".patched";
  if (name.ends_with(kSuffix)) {
    name.resize(name.size() - kSuffix.size());
  }
  return name;
}

SourceMap::Place SourceMap::find(CodeName code) {
  Place place;
  place.module = module_name(code.module);
  auto it = modules_.find(code.module);
  if (it == modules_.end()) {
    return place;
  }
  Module& m = *it->second;
  m.open();
  if (m.module == nullptr) {
    return place;
  }
  GElf_Addr address = code.offset + m.bias;
  if (const char* function = dwfl_module_addrname(m.module, address)) {
    place.function = readable_name(function);
  }
  if (Dwfl_Line* line = dwfl_module_getsrc(m.module, address)) {
    if (const char* file = dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr)) {
      place.file = file;
    }
  }
  return place;
}

std::string SourceMap::describe(CodeName code) {
  if (code == CodeName{}) {
    return "an unknown place";
  }
  Place place = find(code);
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%x", code.offset);
  if (place.file.empty()) {
    std::string raw = place.module + offset;
    return place.function.empty() ? raw : place.function + " (" + raw + ")";
  }
  std::string where =
      std::filesystem::path(place.file).filename().string() + ":" + std::to_string(place.line);
  return place.function.empty() ? where : place.function + " (" + where + ")";
}

std::string SourceMap::describe_call(CodeName code) {
  return describe(code.offset > 0 ? CodeName{code.module, code.offset - 1} : code);
}

std::string SourceMap::describe_site(const AbstractEvent& event) {
  return op_accesses(event.op) ? describe(event.site) : describe_call(event.site);
}

std::string SourceMap::describe_finding(FindingKind kind, CodeName place) {
  return kind == FindingKind::kCrash ? describe(place) : describe_call(place);
}

}  // namespace rff
