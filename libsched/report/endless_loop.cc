#include "libsched/report/endless_loop.h"

#include <signal.h>

#include <algorithm>
#include <cstring>

#include "libsched/report/stack_walk.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

bool never(const Operation&) { return false; }

}  // namespace

const WaitRule kLoopsForEver = {never, nullptr, WaitObject::kNone, true};

namespace endless_loop {
namespace {

constexpr greg_t kTrapFlag = 0x100, kResumeFlag = 0x10000;
// Instructions before following the thread is given up.
constexpr std::uint64_t kMost = 20'000;
constexpr std::uint64_t kRedZone = 128;
constexpr std::uint64_t kMostStack = 1 << 16;  // bytes of the stack that are compared

// Everything that decides what a thread does next while it reads only its own stack.
struct LoopState {
  greg_t registers[17];  // up to and including rip
  greg_t flags;
  std::uint64_t stack, vectors;
  bool operator==(const LoopState&) const = default;
};
static_assert(REG_RIP == 16);

struct Following {
  Execution* execution = nullptr;
  const Modules* modules = nullptr;
  struct sigaction before = {};  // the program's action
  std::uint64_t instructions = 0, next_kept = 1;
  LoopState kept = {};
  greg_t lowest = 0;  // address in the loop, since the state was kept
  bool closed = false;
} following;

std::uint64_t hash_words(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t hash = 0;
  for (std::uint64_t at = word_of(begin); at < end; at += kWordBytes) {
    std::uint64_t word = 0;
    if (!probe_word(at, &word)) {
      break;
    }
    hash = (hash ^ word) * kWordFactor;
    hash ^= hash >> 29;
  }
  return hash;
}

LoopState state_of(const ucontext_t& c) {
  LoopState s = {};
  const greg_t* registers = c.uc_mcontext.gregs;
  std::copy_n(registers, 17, s.registers);
  s.flags = registers[REG_EFL] & ~(kTrapFlag | kResumeFlag);
  auto rsp = static_cast<std::uint64_t>(registers[REG_RSP]);
  std::uint64_t high = following.execution->current().stack_high;
  s.stack = hash_words(rsp - kRedZone, std::min(high, rsp + kMostStack));
  // The kernel's copy: 416 bytes on every processor, then an extended area of the size given there.
  constexpr std::uint64_t kLegacy = 416, kSizeAt = 464 + 16, kHeaderEnd = 576;
  auto vectors = reinterpret_cast<std::uint64_t>(c.uc_mcontext.fpregs);
  std::uint32_t size = 0;
  std::memcpy(&size, reinterpret_cast<const void*>(vectors + kSizeAt), sizeof size);
  s.vectors = hash_words(vectors, vectors + kLegacy);
  if (size > kHeaderEnd && size < kMostStack) {
    s.vectors ^= hash_words(vectors + kHeaderEnd, vectors + size) * 3;
  }
  return s;
}

bool in_patched_code(greg_t rip) {
  auto at = static_cast<std::uint64_t>(rip);
  const Module* m = following.modules->find(at);
  return m != nullptr && m->patched != nullptr && is_program_code(*following.modules, at);
}

// Runs on the thread's own stack, as if the loop had called it.
[[noreturn]] void stop_for_ever(std::uint64_t place) {
  Execution& execution = *following.execution;
  Operation op;
  op.op = OpKind::kYield;
  op.site = following.modules->name(following.modules->original_code(place));
  op.waits_for = &kLoopsForEver;
  op.state = &following;
  execution.perform(op);
  __builtin_trap();  // never enabled
}

void leave(ucontext_t& c) {
  c.uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
  RFF_REAL(sigaction)(SIGTRAP, &following.before, nullptr);
}

void call_stop(ucontext_t& c) {
  greg_t* r = c.uc_mcontext.gregs;
  auto rsp = (static_cast<std::uint64_t>(r[REG_RSP]) - kRedZone) & ~std::uint64_t{15};
  rsp -= kWordBytes;
  *reinterpret_cast<std::uint64_t*>(rsp) = static_cast<std::uint64_t>(r[REG_RIP]);
  r[REG_RDI] = r[REG_RIP];
  r[REG_RSP] = static_cast<greg_t>(rsp);
  r[REG_RIP] = reinterpret_cast<greg_t>(&stop_for_ever);
}

__attribute__((force_align_arg_pointer)) void on_instruction(int, siginfo_t*, void* context) {
  auto& c = *static_cast<ucontext_t*>(context);
  Following& f = following;
  greg_t rip = c.uc_mcontext.gregs[REG_RIP];
  if (!in_patched_code(rip) || ++f.instructions > kMost) {
    leave(c);
    return;
  }
  if (f.closed) {
    // Stops at a fixed address, independent of when the watchdog looked at the thread.
    if (rip == f.lowest) {
      leave(c);
      call_stop(c);
    }
    return;
  }
  LoopState now = state_of(c);
  if (now == f.kept) {
    f.closed = true;
    return;
  }
  f.lowest = std::min(f.lowest, rip);
  if (f.instructions == f.next_kept) {
    f.kept = now;
    f.lowest = rip;
    f.next_kept *= 2;
  }
}

}  // namespace

void follow(Execution& execution, const Modules& modules, ucontext_t& registers) {
  following = {};
  following.execution = &execution;
  following.modules = &modules;
  if (!in_patched_code(registers.uc_mcontext.gregs[REG_RIP])) {
    return;
  }
  struct sigaction action = {};
  action.sa_sigaction = on_instruction;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  RFF_REAL(sigaction)(SIGTRAP, &action, &following.before);
  registers.uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
}

}  // namespace endless_loop
}  // namespace rff
