#include "instrument/call_sites.h"

#include <algorithm>
#include <string_view>

namespace rff::instrument {
namespace {

// Code that the compiler adds to every program. It runs before and after all threads.
constexpr std::string_view kStartup[] = {"_start",
                                         "_init",
                                         "_fini",
                                         "_dl_relocate_static_pie",
                                         "deregister_tm_clones",
                                         "register_tm_clones",
                                         "__do_global_dtors_aux",
                                         "frame_dummy"};

// A part that the compiler has split off is jumped to, not called.
bool is_called(const Program& program, const Function& function) {
  return is_program_code(program, function) && function.name.find(".cold") == std::string::npos;
}

Site entry_site(const Instruction& in) {
  Site site;
  site.address = in.address;
  site.kind = hook::SiteKind::kEntry;
  site.flags = hook::kComplex | hook::kFirst;
  site.length = in.length;
  site.detail.base_register = hook::kNoRegister;
  site.detail.index_register = hook::kNoRegister;
  site.detail.address_bits = 64;
  return site;
}

}  // namespace

bool is_program_code(const Program& program, const Function& function) {
  const hook::SanitizerNote& sanitizer = program.sanitizer;
  bool of_sanitizer =
      function.begin - sanitizer.code_begin < sanitizer.code_end - sanitizer.code_begin;
  return !function.unclaimed && function.left_alone.empty() && function.count > 0 &&
         !of_sanitizer &&
         std::find(std::begin(kStartup), std::end(kStartup), function.name) == std::end(kStartup);
}

void add_call_sites(Program& program) {
  for (const Function& function : program.functions()) {
    if (!is_called(program, function)) {
      continue;
    }
    std::uint32_t first = function.first;
    if (program.instructions()[first].has(kIsEndbr) && function.count > 1) {
      ++first;
    }
    const Instruction& in = program.instructions()[first];
    const Site* access = in.site != kNone32 ? &program.sites()[in.site] : nullptr;
    if (access != nullptr && access->to_be_hooked()) {
      Site both = *access;
      both.flags |= hook::kFirst;
      program.set_site(first, both);
    } else {
      program.set_site(first, entry_site(in));
    }
  }
  program.sort_sites();
}

}  // namespace rff::instrument
