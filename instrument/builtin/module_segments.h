// The segments a patched module gets: slots, and one with all that is only read. A process that
// runs the code mostly needs the tables beside it as well, and the kernel shows it both at once.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/builtin/code_buffer.h"
#include "instrument/builtin/unwind.h"
#include "instrument/output.h"
#include "instrument/patch_plan.h"

namespace rff::instrument::builtin {

inline constexpr std::uint32_t kBuiltinBackend = 0;
inline constexpr std::uint32_t kE9PatchBackend = 1;

// The slots, then tables whose size is known, then the code, then what depends on the code.
struct ModuleLayout {
  ModuleLayout(const OutputFile& output, const PatchPlan& plan);
  std::uint64_t map_address(const CodeBuffer& code) const;
  std::uint64_t unwind_address(const CodeBuffer& code, std::size_t map_entries) const;

  std::uint64_t slots;
  std::uint64_t note;
  std::uint64_t sites;
  std::uint64_t details;
  std::uint64_t code;
};

void add_module_segments(const ModuleLayout& layout, std::uint32_t backend, const PatchPlan& plan,
                         const CodeBuffer& code, const std::vector<hook::AddressMapEntry>& map,
                         const UnwindTables& unwind, const hook::SanitizerNote& sanitizer,
                         OutputFile& output);

}  // namespace rff::instrument::builtin
