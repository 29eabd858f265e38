// Findings for one thread that a signal ends: crashes, aborts, a damaged heap.
#include <dlfcn.h>
#include <signal.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "libsched/report/findings.h"
#include "libsched/report/stack_walk.h"
#include "libsched/support/inside_runtime.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

// Layout of the C library's last message, such as "free(): double free detected in tcache 2".
struct LastWords {
  unsigned size;
  char text[];
};

std::string library_message(const void* kept) {
  const auto* last_words = static_cast<const LastWords* const*>(kept);
  std::string text = last_words != nullptr && *last_words != nullptr ? (*last_words)->text : "";
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

bool has_address(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

}  // namespace

void Findings::crashed(int signal, const StopContext& where, std::uint64_t address,
                       bool stack_overflow, bool in_runtime) {
  std::uint64_t rip = where.rip;
  accesses_.leave_group(execution_.current_memory(), modules_, rip);
  std::uint64_t place = modules_.original_code(rip);
  FailureRecord failure;
  FailureFacts& facts = failure.facts;
  facts.signal = signal;
  facts.address = address;
  facts.flags = stack_overflow ? kStackOverflow : 0;
  if (signal == SIGABRT) {
    failure.words = library_message(last_words_);
  }
  if (rip == address && has_address(signal)) {
    std::uint64_t caller = 0;
    facts.flags |= kCalledAddress;
    if (probe_word(where.rsp, &caller) && is_program_code(modules_, caller)) {
      place = caller - 1;
    }
  } else if (!is_program_code(modules_, rip)) {
    std::uint64_t frame = program_frame(modules_, where);
    if (frame != 0) {
      if (!in_runtime) {
        facts.flags |= kInsideLibrary;
        facts.inside = modules_.name(rip);
      }
      place = frame;
    } else if (thread_at(where.rsp).state == ThreadState::kEnded) {
      // The C library is freeing the ended thread's caches. Each carrier gets there by a different
      // path, so the place is free() itself.
      place = reinterpret_cast<std::uint64_t>(RFF_REAL(free));
    }
  }
  CodeName name = modules_.name(place);
  if (has_address(signal) && rip != address) {
    facts.flags |= kAccessedAddress;
  }
  report(FindingKind::kCrash, name, failure, where);
}

void Findings::ended_by_signal(int signal, bool sent) {
  StopContext s;
  capture(s);
  std::uint64_t frame = sent ? program_frame(modules_, s) : 0;
  report(FindingKind::kCrash, frame != 0 ? modules_.name(frame) : CodeName{},
         {.facts = {.signal = signal}}, s);
}

namespace {

// Returns the mangled type name of the exception that caused std::terminate; null if there was
// none.
const char* uncaught_exception() {
  using CurrentType = const void* (*)();
  auto current =
      reinterpret_cast<CurrentType>(::dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"));
  const void* type = current != nullptr ? current() : nullptr;
  if (type == nullptr) {
    return nullptr;
  }
  const char* name = static_cast<const char* const*>(type)[1];
  return name + (*name == '*' ? 1 : 0);
}

}  // namespace

void Findings::aborted(const void* caller) {
  StopContext s;
  capture(s);
  if (std::string report = sanitizer_->report(); !report.empty()) {
    sanitizer_reported(report, s);
  }
  auto address = reinterpret_cast<std::uint64_t>(caller) - 1;
  FailureRecord failure;
  failure.facts.cause = CrashCause::kAbort;
  failure.facts.signal = SIGABRT;
  if (!is_program_code(modules_, address)) {
    InsideRuntime guard;
    if (const char* exception = uncaught_exception()) {
      failure.facts.cause = CrashCause::kException;
      failure.words = exception;
    } else {
      failure.facts.flags = kInsideLibrary;
      failure.facts.inside = modules_.name(address);
    }
    std::uint64_t frame = program_frame(modules_, s);
    address = frame != 0 ? frame : address;
  }
  report(FindingKind::kCrash, modules_.name(address), failure, s);
}

namespace {

// Returns the first address of the program's own code in a list of calls such as "    #1 0x5555
// (prog+0x5)"; 0 if there is none.
std::uint64_t first_program_address(const Modules& modules, const std::string& report) {
  constexpr std::string_view kFrame = " 0x";
  for (std::size_t at = report.find("    #"); at != std::string::npos;
       at = report.find("    #", at + 1)) {
    std::size_t number = report.find(kFrame, at);
    if (number == std::string::npos) {
      return 0;
    }
    std::uint64_t address = std::strtoull(report.c_str() + number + 1, nullptr, 16);
    if (is_program_code(modules, address)) {
      return address;
    }
  }
  return 0;
}

}  // namespace

void Findings::sanitizer_reported(const std::string& report, const StopContext& where) {
  FailureRecord failure;
  failure.facts.cause = CrashCause::kSanitizer;
  failure.facts.signal = SIGABRT;
  failure.words = report_title(report);
  failure.report = report;
  // A leak is reported where the memory was allocated, everything else where the program is.
  bool lost = failure.words.starts_with("LeakSanitizer: ");
  InsideRuntime guard;
  std::uint64_t place =
      lost ? first_program_address(modules_, report) : program_frame(modules_, where);
  this->report(FindingKind::kCrash, modules_.name(place), failure, where);
}

void Findings::heap_damaged(const FailureFacts& facts, const char* words, const void* function) {
  StopContext s;
  capture(s);
  CodeName place = modules_.name(reinterpret_cast<std::uint64_t>(function));
  report(FindingKind::kCrash, place, {.facts = facts, .words = words}, s);
}

}  // namespace rff
