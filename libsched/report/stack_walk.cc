#include "libsched/report/stack_walk.h"

#include <unwind.h>

#include "libsched/support/known_thread.h"
#include "libsched/support/words.h"

extern "C" {
// Calls `walk` so that its caller appears to be the code that the registers belong to.
__attribute__((visibility("hidden"))) void rff_walk_from(const rff::StopContext* from,
                                                         void (*walk)());
}

// During the call, rbx holds the address of the registers: the unwind rules of this frame say that
// the caller's are stored there (the CFA is the caller's rsp). It is marked as a signal frame, so
// that the unwinder takes the address as the instruction itself and not as the one after a call.
asm(R"(
  .text
  .hidden rff_walk_from
  .globl rff_walk_from
  .type rff_walk_from, @function
rff_walk_from:
  .cfi_startproc
  .cfi_signal_frame
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_offset %rbx, -16
  movq %rdi, %rbx
  .cfi_remember_state
  .cfi_escape 0x0f, 0x03, 0x73, 0x08, 0x06
  .cfi_escape 0x10, 0x10, 0x02, 0x73, 0x00
  .cfi_escape 0x10, 0x06, 0x02, 0x73, 0x10
  .cfi_escape 0x10, 0x03, 0x02, 0x73, 0x18
  .cfi_escape 0x10, 0x0c, 0x02, 0x73, 0x20
  .cfi_escape 0x10, 0x0d, 0x02, 0x73, 0x28
  .cfi_escape 0x10, 0x0e, 0x02, 0x73, 0x30
  .cfi_escape 0x10, 0x0f, 0x02, 0x73, 0x38
  call *%rsi
  nop
  .cfi_restore_state
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  ret
  .cfi_endproc
  .size rff_walk_from, . - rff_walk_from
)");
static_assert(offsetof(rff::StopContext, rip) == 0 && offsetof(rff::StopContext, rsp) == 0x08 &&
              offsetof(rff::StopContext, rbp) == 0x10 && offsetof(rff::StopContext, rbx) == 0x18 &&
              offsetof(rff::StopContext, r12) == 0x20 && offsetof(rff::StopContext, r15) == 0x38);

namespace rff {
namespace {

// Static, since a fault abandons the walk in the middle.
struct Walk {
  const Modules* modules = nullptr;
  std::uint64_t* frames = nullptr;
  std::size_t most = 0;
  std::size_t count = 0;
  std::uint64_t in_program = 0;  // the first frame in the program
  bool going = false;
};
Walk now;
void* before_walk[5];

bool is_runtime_code(const Modules& modules, std::uint64_t address) {
  const Module* m = modules.find(address);
  if (m == nullptr) {
    return false;
  }
  return m->patched == nullptr ? m->path.ends_with("/libsched.so")
                               : !is_program_code(modules, address);
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void*) {
  int exact = 0;
  std::uint64_t address = _Unwind_GetIPInfo(context, &exact);
  if (address == 0) {
    return _URC_END_OF_STACK;
  }
  if (is_runtime_code(*now.modules, address)) {
    return _URC_NO_REASON;
  }
  std::uint64_t original = now.modules->original_code(address);
  bool called = exact == 0 && original == address;
  std::uint64_t frame = called ? address - 1 : original;
  if (now.in_program == 0 && is_program_code(*now.modules, frame)) {
    now.in_program = frame;
  }
  if (now.count < now.most) {
    now.frames[now.count++] = frame;
  }
  bool done = now.count == now.most && now.in_program != 0;
  return done ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void go_up() { _Unwind_Backtrace(visit, nullptr); }

struct Outside {
  const Modules* modules = nullptr;
  const Module* runtime = nullptr;
  StopContext registers;
};
Outside outside;

_Unwind_Reason_Code visit_outside(_Unwind_Context* context, void*) {
  std::uint64_t address = _Unwind_GetIP(context);
  if (address != 0 && outside.modules->find(address) == outside.runtime) {
    return _URC_NO_REASON;
  }
  auto get = [&](int number) { return _Unwind_GetGR(context, number); };
  outside.registers = {address, _Unwind_GetCFA(context), get(6), get(3), get(12), get(13), get(14),
                       get(15)};
  return _URC_END_OF_STACK;
}

void go_outside() { _Unwind_Backtrace(visit_outside, nullptr); }

// Finds a frame by the return address of the one below it.
struct FrameAbove {
  std::uint64_t below = 0;
  std::uint64_t found = 0;
  bool passed = false;
};
FrameAbove above;

_Unwind_Reason_Code visit_above(_Unwind_Context* context, void*) {
  std::uint64_t address = _Unwind_GetIP(context);
  if (above.passed) {
    above.found = address;
    return _URC_END_OF_STACK;
  }
  above.passed = address == above.below;
  return _URC_NO_REASON;
}

// Locks that the unwinder takes are not steps of the program. A fault ends the walk.
void walk(void (*up)()) {
  static bool known;
  known = known_thread;
  known_thread = false;
  if (__builtin_setjmp(before_walk) == 0) {
    now.going = true;
    up();
  }
  now.going = false;
  known_thread = known;
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
  // Code after the copies calls the runtime and corresponds to no code of the program.
  return address < m->patched->code_begin || modules.original_code(address) != address;
}

std::size_t walk_stack(const Modules& modules, const StopContext& from, std::uint64_t* frames,
                       std::size_t most) {
  static StopContext start;
  start = from;
  std::uint64_t caller = 0;
  if (modules.find(from.rip) == nullptr && probe_word(from.rsp, &caller)) {
    // Called through a bad pointer: the return address is on top of the stack.
    start.rip = caller - 1;
    start.rsp = from.rsp + 8;
  }
  now = {&modules, frames, most, 0, 0, false};
  walk([] { rff_walk_from(&start, go_up); });
  return now.count;
}

std::uint64_t program_frame(const Modules& modules, const StopContext& from) {
  walk_stack(modules, from, nullptr, 0);
  return now.in_program;
}

StopContext registers_outside(const Modules& modules, const StopContext& from) {
  static StopContext start;
  start = from;
  outside = {&modules, modules.find(from.rip), from};
  walk([] { rff_walk_from(&start, go_outside); });
  return outside.registers;
}

std::uint64_t frame_above(std::uint64_t return_address) {
  above = {.below = return_address};
  walk([] { _Unwind_Backtrace(visit_above, nullptr); });
  return above.found;
}

void end_walk_at_fault() {
  if (now.going) {
    now.going = false;
    __builtin_longjmp(before_walk, 1);
  }
}

}  // namespace rff
