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

}  // namespace

bool is_program_code(const Modules& modules, std::uint64_t address) {
  const Module* m = modules.find(address);
  if (m == nullptr || m->patched == nullptr) {
    return m != nullptr && m->main;
  }
  // What lies behind the copies calls the runtime and stands for no code of the program's.
  return address < m->patched->code_begin || modules.original_code(address) != address;
}

std::uint64_t program_frame(const Modules& modules) {
  static Search search;
  search = {&modules, 0};
  // The unwinder has locks of its own: they are no steps of the program.
  static bool known;
  known = known_thread;
  known_thread = false;
  if (__builtin_setjmp(before_search) == 0) {
    searching = true;
    _Unwind_Backtrace(visit, &search);
  }
  searching = false;
  known_thread = known;
  return search.found;
}

void end_search_at_fault() {
  if (searching) {
    searching = false;
    __builtin_longjmp(before_search, 1);
  }
}

}  // namespace rff
