#include "fuzzer/debug/debug_module.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace rff {

DebugModule::~DebugModule() {
  if (session_ != nullptr) {
    dwfl_end(session_);
  }
}

std::string DebugModule::name() const {
  std::string name = std::filesystem::path(path_).filename().string();
  constexpr std::string_view kSuffix = ".patched";
  if (name.ends_with(kSuffix)) {
    name.resize(name.size() - kSuffix.size());
  }
  return name;
}

void DebugModule::open() {
  if (opened_) {
    return;
  }
  opened_ = true;
  if (const char* path = std::getenv(kDebugPathVariable)) {
    search_path_ = std::string(":.debug:/usr/lib/debug:") + path;
    search_path_begin_ = search_path_.data();
  }
  callbacks_ = {.find_elf = dwfl_build_id_find_elf,
                .find_debuginfo = dwfl_standard_find_debuginfo,
                .section_address = dwfl_offline_section_address,
                .debuginfo_path = &search_path_begin_};
  session_ = dwfl_begin(&callbacks_);
  if (session_ == nullptr) {
    return;
  }
  module_ = dwfl_report_offline(session_, "", path_.c_str(), -1);
  dwfl_report_end(session_, nullptr, nullptr);
  GElf_Addr bias = 0;
  if (module_ == nullptr || dwfl_module_getelf(module_, &bias) == nullptr) {
    module_ = nullptr;
    return;
  }
  bias_ = bias;
  Dwarf_Addr dwarf_bias = 0;
  dwarf_ = dwfl_module_getdwarf(module_, &dwarf_bias);
  dwarf_bias_ = dwarf_bias;
}

Dwfl_Module* DebugModule::dwfl() {
  open();
  return module_;
}

Dwarf* DebugModule::dwarf() {
  open();
  return dwarf_;
}

const PatchedFile& DebugModule::patches() {
  if (patches_ == nullptr) {
    patches_ = std::make_unique<PatchedFile>(PatchedFile::read(path_));
  }
  return *patches_;
}

Units& DebugModule::units() {
  if (units_ == nullptr) {
    units_ = std::make_unique<Units>(dwarf());
  }
  return *units_;
}

CodeShapes& DebugModule::shapes() {
  if (shapes_ == nullptr) {
    shapes_ = std::make_unique<CodeShapes>(*this);
  }
  return *shapes_;
}

std::string DebugModule::code(std::uint64_t address, std::size_t bytes) {
  GElf_Addr bias = 0;
  Elf* elf = dwfl() != nullptr ? dwfl_module_getelf(dwfl(), &bias) : nullptr;
  std::size_t count = 0;
  if (elf == nullptr || elf_getphdrnum(elf, &count) != 0) {
    return "";
  }
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr p;
    if (gelf_getphdr(elf, static_cast<int>(i), &p) == nullptr || p.p_type != PT_LOAD ||
        address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz) {
      continue;
    }
    std::uint64_t offset = address - p.p_vaddr;
    bytes = std::min<std::size_t>(bytes, p.p_filesz - offset);
    Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(p.p_offset + offset),
                                          bytes, ELF_T_BYTE);
    return data != nullptr ? std::string(static_cast<const char*>(data->d_buf), bytes) : "";
  }
  return "";
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> DebugModule::function_at(
    std::uint64_t address) {
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  if (dwfl() == nullptr ||
      dwfl_module_addrinfo(dwfl(), address + bias_, &offset, &symbol, nullptr, nullptr, nullptr) ==
          nullptr ||
      offset >= symbol.st_size) {
    return std::nullopt;
  }
  return std::pair(address - offset, address - offset + symbol.st_size);
}

Variables& DebugModule::variables() {
  if (variables_ == nullptr) {
    variables_ = std::make_unique<Variables>(units().all(), dwfl(), to_dwarf(0), dwfl_bias());
  }
  return *variables_;
}

}  // namespace rff
