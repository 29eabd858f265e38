#include "libsched/report/faults.h"

#include <dlfcn.h>
#include <ucontext.h>

#include "libsched/report/outside_watch.h"
#include "libsched/report/signal_stacks.h"
#include "libsched/report/stack_walk.h"
#include "libsched/support/check.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff::faults {
namespace {

// Globals, since a signal handler has no other way to reach them.
Findings* findings = nullptr;
const Modules* modules = nullptr;
SignalPolicy policy = {};

bool has_address(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

// The faulting address is near the stack pointer.
bool stack_overflow(int signal, std::uint64_t address, std::uint64_t rsp) {
  constexpr std::uint64_t kFrame = 1 << 16;
  return has_address(signal) && address + kFrame > rsp && address < rsp + kFrame;
}

StopContext context_of(const greg_t* regs) {
  auto reg = [&](int number) { return static_cast<std::uint64_t>(regs[number]); };
  StopContext s;
  s.rip = reg(REG_RIP);
  s.rsp = reg(REG_RSP);
  s.rbp = reg(REG_RBP);
  s.rbx = reg(REG_RBX);
  s.r12 = reg(REG_R12);
  s.r13 = reg(REG_R13);
  s.r14 = reg(REG_R14);
  s.r15 = reg(REG_R15);
  return s;
}

// The program's handlers see, and may go on with, registers as they are in code with hooks.
void show_as_with_hooks(greg_t* regs) {
  auto rip = static_cast<std::uint64_t>(regs[REG_RIP]);
  auto flags = static_cast<std::uint64_t>(regs[REG_EFL]);
  modules->leave_group(&rip, &flags);
  regs[REG_RIP] = static_cast<greg_t>(rip);
  regs[REG_EFL] = static_cast<greg_t>(flags);
}

// Some emulators enter handlers with a misaligned stack.
__attribute__((force_align_arg_pointer)) void on_signal(int signal, siginfo_t* info,
                                                        void* context) {
  auto* regs = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  std::uint64_t resume = static_cast<std::uint64_t>(regs[REG_RIP]);
  if (outside_watch::handle(signal, *info, &resume)) {
    regs[REG_RIP] = static_cast<greg_t>(resume);
    return;
  }
  if (signal == SIGSEGV && info->si_code == SI_KERNEL && policy.answers != nullptr &&
      policy.answers(context)) {
    return;
  }
  if (has_address(signal)) {
    end_walk_at_fault();
    if (probe_fault(static_cast<std::uint64_t>(regs[REG_RIP]), &resume)) {
      regs[REG_RIP] = static_cast<greg_t>(resume);
      return;
    }
    if (std::uint8_t loaded = 0; modules->commit_fault(&resume, &loaded)) {
      constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15};
      regs[kRegisters[loaded]] = 0;
      regs[REG_RIP] = static_cast<greg_t>(resume);
      return;
    }
  }
  if (!policy.from_within(*info) && !policy.program_handles(signal)) {
    die(signal);
  }
  StopContext s = context_of(regs);
  if (signal == SIGTRAP && info->si_code == SI_KERNEL) {
    --s.rip;  // rip points after the int3 instruction
  }
  std::uint64_t address = has_address(signal) ? reinterpret_cast<std::uint64_t>(info->si_addr) : 0;
  bool overflow = stack_overflow(signal, address, s.rsp);
  // A fault in the runtime is no finding, unless it accessed an object that the program passed in.
  static bool failing = false;
  const Module* at = modules->find(s.rip);
  bool ours = at != nullptr && at->path.ends_with("/libsched.so");
  if (failing || (ours && !overflow && !(has_address(signal) && policy.in_object(address)))) {
    panic("the runtime itself failed at ", hex(s.rip - (at ? at->bias : 0)).c_str());
  }
  if (policy.program_handles(signal)) {
    show_as_with_hooks(regs);
  }
  if (policy.deliver(signal, info, context)) {
    return;
  }
  failing = true;
  findings->crashed(signal, s, address, overflow, ours);
}

const greg_t* registers(const void* context) {
  return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
}

}  // namespace

void end_program(int signal, const void* context) {
  findings->crashed(signal, context_of(registers(context)), 0, false, true);
}

std::uint64_t interrupted_at(const void* context) {
  return static_cast<std::uint64_t>(registers(context)[REG_RSP]);
}

std::uint64_t interrupted_in(const void* context) {
  return static_cast<std::uint64_t>(registers(context)[REG_RIP]);
}

bool in_program(const void* context) { return is_program_code(*modules, interrupted_in(context)); }

void install(Findings& told, const Modules& known, const SignalPolicy& signals) {
  findings = &told;
  modules = &known;
  policy = signals;
  signal_stacks::use_own();
  for (int signal = 1; signal < NSIG; ++signal) {
    if (policy.ours(signal)) {
      install_handler(signal, nullptr);
    }
  }
}

void install_handler(int signal, const struct sigaction* program) {
  struct sigaction action = {};
  if (program != nullptr) {
    action = *program;
    action.sa_flags &= ~static_cast<int>(SA_RESETHAND);
  } else {
    action.sa_flags = SA_ONSTACK;
  }
  action.sa_sigaction = on_signal;
  action.sa_flags |= SA_SIGINFO | SA_NODEFER;  // probes fault inside handlers too
  RFF_REAL(sigaction)(signal, &action, nullptr);
}

void remove_handlers() {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (policy.ours(signal) && !policy.program_handles(signal)) {
      struct sigaction action = {};
      RFF_REAL(sigaction)(signal, &action, nullptr);
    }
  }
}

}  // namespace rff::faults
