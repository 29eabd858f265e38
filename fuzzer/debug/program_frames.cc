#include "fuzzer/debug/program_frames.h"

namespace rff {
namespace {

// Returns whether the n-th function inlined there only forwards.
bool forwards(DebugModule& module, std::uint64_t address, std::size_t n) {
  std::vector<CodeRanges> functions = module.units().function_ranges(module.to_dwarf(address));
  if (n < functions.size()) {
    for (auto& [begin, end] : functions[n]) {
      begin = module.from_dwarf(begin);
      end = module.from_dwarf(end);
    }
    return module.shapes().forwards(functions[n], address, n + 1 == functions.size());
  }
  auto whole = module.function_at(address);
  return whole && module.shapes().forwards({*whole}, address, true);
}

}  // namespace

std::vector<Place> responsible_frames(const std::vector<CodeName>& frames, DebugInfo& debug,
                                      bool called) {
  constexpr std::size_t kMost = 6;
  std::vector<Place> places;
  for (CodeName code : frames) {
    CodeName inside{code.module, code.offset - (called ? 1 : 0)};
    DebugModule* module = debug.module(code.module);
    const std::vector<Place>& chain = debug.inlined(inside, DebugInfo::Code::kInstruction);
    for (std::size_t n = 0; n < chain.size() && places.size() < kMost; ++n) {
      if (chain[n].in_library()) {
        continue;
      }
      places.push_back(chain[n]);
      if (module == nullptr || !forwards(*module, inside.offset, n)) {
        return places;
      }
    }
  }
  return places;
}

}  // namespace rff
