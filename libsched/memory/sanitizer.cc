#include "libsched/memory/sanitizer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libsched/memory/library_symbol.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

constexpr const char* kNames[hook::kSanitizerFunctions] = {
    "__sanitizer_set_report_fd", "__sanitizer_install_malloc_and_free_hooks",
    "__lsan_do_leak_check", "__asan_loadN", "__asan_storeN"};

std::uint64_t symbol(const char* name) {
  return reinterpret_cast<std::uint64_t>(real::lookup(RTLD_DEFAULT, name));
}

template <typename Function>
Function* as(std::uint64_t address) {
  return reinterpret_cast<Function*>(address);
}

// AddressSanitizer's shadow memory: one byte for every eight of the program.
constexpr std::uint64_t kShadowBegin = 0x7fff7000;
constexpr std::uint64_t kShadowEnd = 0x10007fff8000;

int report_memory() {
  constexpr unsigned kCloseOnExec = 1;
  long fd = real::syscall6(SYS_memfd_create, reinterpret_cast<long>("report"), kCloseOnExec);
  real::syscall6(SYS_fcntl, fd, F_SETFL, O_APPEND);
  return own_descriptors::keep(own_descriptors::kReport, static_cast<int>(fd));
}

int descriptor() { return own_descriptors::get(own_descriptors::kReport); }

bool is_library(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (std::string_view known : {"libasan.so", "liblsan.so", "libubsan.so", "libclang_rt."}) {
    if (name.starts_with(known)) {
      return true;
    }
  }
  return false;
}

// Removes process numbers: lines may begin with "==123==", which differs in every run.
std::string without_process_numbers(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    std::size_t digits = text.starts_with("==") ? text.find_first_not_of("0123456789", 2) : 0;
    if (digits != std::string_view::npos && digits > 2 && text.substr(digits).starts_with("==")) {
      text.remove_prefix(digits + 2);
    }
    std::size_t line = std::min(text.find('\n'), text.size() - 1) + 1;
    kept += text.substr(0, line);
    text.remove_prefix(line);
  }
  return kept;
}

bool user_wants_no_leak_check() {
  for (const char* variable : {"ASAN_OPTIONS", "LSAN_OPTIONS"}) {
    const char* options = std::getenv(variable);
    if (options != nullptr && std::strstr(options, "leak_check_at_exit=0") != nullptr) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Sanitizer::find(const Modules& modules) {
  kinds_ = (symbol("__asan_init") != 0 ? hook::kAddressSanitizer : 0U) |
           (symbol("__lsan_init") != 0 ? hook::kLeakSanitizer : 0U);
  for (std::size_t i = 0; i < hook::kSanitizerFunctions; ++i) {
    functions_[i] = symbol(kNames[i]);
  }
  for (const Module& m : modules.all()) {
    if (is_library(m.path)) {
      libraries_.push_back({m.begin, m.end});
      if (std::uint64_t f = library_symbol(m.begin, m.bias, kNames[hook::kSetReportDescriptor]);
          f != 0) {
        descriptor_setters_.push_back(f);
      }
    }
  }
  for (const PatchedModule* m : modules.patched()) {
    const hook::SanitizerNote& note = m->sanitizer;
    if (note.code_end == 0) {
      continue;
    }
    code_begin_ = m->bias + note.code_begin;
    code_end_ = m->bias + note.code_end;
    kinds_ |= static_cast<std::uint32_t>(note.kinds);
    for (std::size_t i = 0; i < hook::kSanitizerFunctions; ++i) {
      if (functions_[i] == 0 && note.functions[i] != 0) {
        functions_[i] = m->bias + note.functions[i];
      }
    }
  }
  if (checks_addresses()) {
    shadow_begin_ = kShadowBegin;
    shadow_bytes_ = kShadowEnd - kShadowBegin;
  }
  if (user_wants_no_leak_check()) {
    functions_[hook::kCheckLeaks] = 0;
  }
  if (std::uint64_t f = functions_[hook::kSetReportDescriptor]; f != 0) {
    if (std::find(descriptor_setters_.begin(), descriptor_setters_.end(), f) ==
        descriptor_setters_.end()) {
      descriptor_setters_.push_back(f);
    }
    report_memory();
  }
}

void Sanitizer::set_descriptor(long descriptor) const {
  for (std::uint64_t function : descriptor_setters_) {
    as<void(void*)>(function)(reinterpret_cast<void*>(descriptor));
  }
}

bool Sanitizer::is_code(std::uint64_t address) const {
  return is_linked_code(address) ||
         std::any_of(libraries_.begin(), libraries_.end(),
                     [&](const Range& r) { return address - r.begin < r.end - r.begin; });
}

bool Sanitizer::watch_heap(void (*given)(const volatile void*, std::size_t),
                           void (*taken)(const volatile void*)) const {
  using Install = int(void (*)(const volatile void*, std::size_t), void (*)(const volatile void*));
  std::uint64_t install = functions_[hook::kInstallHeapHooks];
  return keeps_threads() && install != 0 && as<Install>(install)(given, taken) != 0;
}

bool Sanitizer::freed(std::uint64_t address) const {
  constexpr std::uint64_t kShadowOffset = 0x7fff8000;
  std::uint64_t at = (address >> 3) + kShadowOffset;
  std::uint64_t word = 0;
  if (!probe_word(word_of(at), &word)) {
    return false;
  }
  auto state = static_cast<std::uint8_t>(word >> ((at & 7) * 8));
  constexpr std::uint8_t kHeap = 0xfd, kScope = 0xf8, kFrame = 0xf5;
  return state == kHeap || state == kScope || state == kFrame;
}

void Sanitizer::check(std::uint64_t address, std::uint64_t size, bool writes) const {
  std::uint64_t check = functions_[writes ? hook::kCheckStore : hook::kCheckLoad];
  if (check != 0) {
    as<void(std::uint64_t, std::uint64_t)>(check)(address, size);
  }
}

void Sanitizer::check_leaks() const {
  if (functions_[hook::kCheckLeaks] != 0) {
    as<void()>(functions_[hook::kCheckLeaks])();
  }
}

bool Sanitizer::could_not_check_leaks() const {
  return report().find("LeakSanitizer has encountered a fatal error") != std::string::npos;
}

// The sanitizer stores the process that the descriptor belongs to, so every run has to set it.
void Sanitizer::begin_run() const {
  if (int fd = descriptor(); fd >= 0 && keeps_reports_) {
    real::syscall6(SYS_ftruncate, fd, 0);
    set_descriptor(fd);
  }
}

// The sanitizer's runtime closes the descriptor before its first report.
void Sanitizer::begin_report() const {
  int fd = descriptor();
  if (fd < 0 || !keeps_reports_) {
    return;
  }
  if (real::syscall6(SYS_fcntl, fd, F_GETFD) < 0) {
    fd = report_memory();
  }
  set_descriptor(fd);
}

void Sanitizer::in_child() const { set_descriptor(2); }

std::string Sanitizer::report() const {
  std::string text;
  char chunk[1024];
  int fd = descriptor();
  for (long n = 0;
       fd >= 0 && (n = real::syscall6(SYS_pread64, fd, reinterpret_cast<long>(chunk), sizeof chunk,
                                      static_cast<long>(text.size()))) > 0;) {
    text.append(chunk, static_cast<std::size_t>(n));
  }
  return without_process_numbers(text);
}

namespace {

// Returns the text after `begin`, up to the end of the line or to `end` if that comes first.
std::string_view part(std::string_view text, std::string_view begin, std::string_view end) {
  std::size_t at = text.find(begin);
  if (at == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(at + begin.size());
  text = text.substr(0, text.find('\n'));
  return end.empty() ? text : text.substr(0, text.find(end));
}

}  // namespace

std::string report_title(const std::string& report) {
  std::string_view text = report;
  if (text.find("detected memory leaks") != std::string_view::npos) {
    std::string_view lost =
        part(text.substr(std::min(text.find("SUMMARY: "), text.size())), "Sanitizer: ", ").");
    return "LeakSanitizer: " + (lost.empty() ? "memory leaked" : std::string(lost) + ")");
  }
  if (std::string_view what = part(text, "runtime error: ", ""); !what.empty()) {
    return "UndefinedBehaviorSanitizer: " + std::string(what);
  }
  std::string_view what = part(text, "ERROR: ", " on ");
  for (std::string_view end : {" (pc ", ": 0x", " 0x"}) {
    what = what.substr(0, what.find(end));
  }
  if (what.empty()) {
    return std::string(part(text, "", ""));
  }
  for (std::string_view access : {"READ of size ", "WRITE of size "}) {
    if (std::string_view size = part(text, access, " "); !size.empty()) {
      return std::string(what) + " (" + std::string(access) + std::string(size) + ")";
    }
  }
  return std::string(what);
}

}  // namespace rff
