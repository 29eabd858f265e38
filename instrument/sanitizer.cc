#include "instrument/sanitizer.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "instrument/symbol_names.h"

namespace rff::instrument {

namespace {

struct Refused {
  std::string_view symbol;  // every file built with this sanitizer defines or imports it
  const char* name;
  const char* option;
};
constexpr Refused kRefused[] = {
    {"__tsan_init", "ThreadSanitizer", "thread"},
    {"__msan_init", "MemorySanitizer", "memory"},
    {"__hwasan_init", "HWAddressSanitizer", "hwaddress"},
    {"__dfsan_union_load", "DataFlowSanitizer", "dataflow"},
    {"__dfsan_load_label_and_origin", "DataFlowSanitizer", "dataflow"},
};

constexpr std::string_view kFunctionNames[hook::kSanitizerFunctions] = {
    "__sanitizer_set_report_fd", "__sanitizer_install_malloc_and_free_hooks",
    "__lsan_do_leak_check", "__asan_loadN", "__asan_storeN"};

bool has_any_of(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

// Returns whether a name is in the runtimes' own namespaces, mangled or not, except for names that
// programs may define: options and callbacks.
bool is_runtime_name(std::string_view name) {
  return has_any_of(name,
                    {"__asan_", "__sanitizer_", "__lsan_", "__ubsan_", "__interceptor_", "6__asan",
                     "6__lsan", "7__ubsan", "11__sanitizer", "14__interception"}) &&
         !has_any_of(name, {"_default_", "__sanitizer_cov_", "_hook", "_on_error", "_on_report",
                            "_is_turned_off"});
}

bool is_initialization(std::string_view name) {
  return name == "__asan_init" || name == "__lsan_init" || name == "__ubsan_handle_add_overflow";
}

// Finds the runtime's code: its object files lie side by side. Parts that the linker has placed
// elsewhere (code that is rarely executed) do no harm.
void find_linked_runtime(const ElfFile& file, hook::SanitizerNote& note) {
  std::vector<Symbol> symbols = file.symbols();
  bool linked = std::any_of(symbols.begin(), symbols.end(), [](const Symbol& s) {
    return s.is_function && is_initialization(s.name);
  });
  const Section* text = file.section_named(".text");
  if (!linked || text == nullptr) {
    return;
  }
  note.code_begin = ~std::uint64_t{0};
  for (const Symbol& s : symbols) {
    if (!s.is_function || !text->contains(s.address)) {
      continue;
    }
    if (is_runtime_name(s.name)) {
      note.code_begin = std::min(note.code_begin, s.address);
      note.code_end = std::max(note.code_end, s.address + std::max<std::uint64_t>(s.size, 1));
    }
    note.kinds |= s.name == "__asan_init"   ? hook::kAddressSanitizer
                  : s.name == "__lsan_init" ? hook::kLeakSanitizer
                                            : 0U;
    for (std::size_t i = 0; i < hook::kSanitizerFunctions; ++i) {
      if (s.name == kFunctionNames[i]) {
        note.functions[i] = s.address;
      }
    }
  }
}

// AddressSanitizer keeps one byte for every eight at address / 8 + kShadowOffset. Compilers make
// this offset the displacement of an access, plus a little where the shadow of a stack frame is
// written.
bool is_shadow_operand(const Operand& operand) {
  constexpr std::int64_t kShadowOffset = 0x7fff8000;
  constexpr std::int64_t kLargestFrame = 1 << 20;
  return !operand.rip_relative && operand.base != hook::kNoRegister &&
         operand.displacement >= kShadowOffset &&
         operand.displacement < kShadowOffset + kLargestFrame;
}

}  // namespace

Sanitizer find_sanitizer(const ElfFile& file) {
  Sanitizer found;
  for (std::string_view name : symbol_names(file)) {
    found.checks_shadow |= name == "__asan_init";
    for (const Refused& r : kRefused) {
      if (name == r.symbol) {
        found.refused = std::string("is built with ") + r.name +
                        ", which does not work under RFF: build it without -fsanitize=" + r.option +
                        " (address, undefined and leak work)";
      }
    }
  }
  find_linked_runtime(file, found.linked);
  return found;
}

void forget_sanitizer(const Sanitizer& sanitizer, Program& program) {
  const hook::SanitizerNote& linked = sanitizer.linked;
  program.sanitizer = linked;
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    const Instruction& in = program.instructions()[i];
    if (in.site == kNone32) {
      continue;
    }
    bool of_runtime = in.address - linked.code_begin < linked.code_end - linked.code_begin;
    if (of_runtime || is_runtime_name(program.functions()[in.function].name) ||
        (sanitizer.checks_shadow && is_shadow_operand(program.sites()[in.site].operand))) {
      program.forget_site(i);
    }
  }
}

}  // namespace rff::instrument
