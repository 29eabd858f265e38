#include "instrument/symbolizer.h"

#include <elfutils/libdwfl.h>

namespace rff::instrument {

namespace {

char* debug_path = nullptr;
const Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

}  // namespace

Symbolizer::Symbolizer(const std::string& path) {
  dwfl_ = dwfl_begin(&kCallbacks);
  if (dwfl_ == nullptr) {
    return;
  }
  module_ = dwfl_report_offline(dwfl_, "", path.c_str(), -1);
  dwfl_report_end(dwfl_, nullptr, nullptr);
  if (module_ != nullptr) {
    GElf_Addr bias = 0;
    dwfl_module_getelf(module_, &bias);
    bias_ = bias;
  }
}

Symbolizer::~Symbolizer() {
  if (dwfl_ != nullptr) {
    dwfl_end(dwfl_);
  }
}

std::string Symbolizer::function(std::uint64_t address) const {
  const char* name = module_ != nullptr ? dwfl_module_addrname(module_, address + bias_) : nullptr;
  return name != nullptr ? name : "";
}

std::string Symbolizer::source_line(std::uint64_t address) const {
  Dwfl_Line* line = module_ != nullptr ? dwfl_module_getsrc(module_, address + bias_) : nullptr;
  int number = 0;
  const char* file =
      line != nullptr ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
  return file != nullptr ? std::string(file) + ":" + std::to_string(number) : "";
}

}  // namespace rff::instrument
