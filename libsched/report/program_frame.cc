#include "libsched/report/program_frame.h"

#include <unwind.h>

#include "libsched/support/known_thread.h"

namespace rff {
namespace {

bool searching = false;
void* before_search[5];

struct Search {
  const Modules* modules;
  std::uint64_t found;
  std::uint64_t below;  // the frame under the one that is looked for
  bool passed;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto* search = static_cast<Search*>(argument);
  int exact = 0;
  std::uint64_t address = _Unwind_GetIPInfo(context, &exact);
  if (!is_program_code(*search->modules, address)) {
    return _URC_NO_REASON;
  }
  std::uint64_t original = search->modules->original_code(address);
  bool called = exact == 0 && original == address;
  search->found = called ? address - 1 : original;
  return _URC_END_OF_STACK;
}

_Unwind_Reason_Code visit_above(_Unwind_Context* context, void* argument) {
  auto* search = static_cast<Search*>(argument);
  std::uint64_t address = _Unwind_GetIP(context);
  if (search->passed) {
    search->found = address;
    return _URC_END_OF_STACK;
  }
  search->passed = address == search->below;
  return _URC_NO_REASON;
}

std::uint64_t find_frame(const Search& wanted, _Unwind_Trace_Fn visitor) {
  static Search search;
  search = wanted;
  // The unwinder has locks of its own: they are no steps of the program.
  static bool known;
  known = known_thread;
  known_thread = false;
  if (__builtin_setjmp(before_search) == 0) {
    searching = true;
    _Unwind_Backtrace(visitor, &search);
  }
  searching = false;
  known_thread = known;
  return search.found;
}

}  // namespace

bool is_program_code(const Modules& modules, std::uint64_t address) {
  const Module* m = modules.find(address);
  if (m == nullptr || m->patched == nullptr) {
    return m != nullptr && m->main;
  }
  const hook::SanitizerNote& linked = m->patched->sanitizer;
  if (address - m->bias - linked.code_begin < linked.code_end - linked.code_begin) {
    return false;
  }
  // What lies behind the copies calls the runtime and stands for no code of the program's.
  return address < m->patched->code_begin || modules.original_code(address) != address;
}

std::uint64_t program_frame(const Modules& modules) {
  return find_frame({&modules, 0, 0, false}, visit);
}

std::uint64_t frame_above(std::uint64_t return_address) {
  return find_frame({nullptr, 0, return_address, false}, visit_above);
}

void end_search_at_fault() {
  if (searching) {
    searching = false;
    __builtin_longjmp(before_search, 1);
  }
}

}  // namespace rff
