// Faults of the body. A handler of ours stands in front of whatever the process had: it lets the
// runtime look at memory that may not be there, and reports a crash of the body. Then the faulting
// instruction is executed once more under the old handler, as without RFF.
#include <signal.h>
#include <ucontext.h>

#include "libsched/embedded/door.h"
#include "libsched/interpose/interpose.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff::embedded {
namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[NSIG];

// Aligns its stack by itself: emulators do not always begin a handler as the processor's ABI says.
__attribute__((force_align_arg_pointer)) void on_fault(int signal, siginfo_t* info, void* context) {
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  std::uint64_t resume = 0;
  if (probe_fault(static_cast<std::uint64_t>(registers[REG_RIP]), &resume)) {
    registers[REG_RIP] = static_cast<greg_t>(resume);
    return;
  }
  RFF_REAL(sigaction)(signal, &before[signal], nullptr);
  if (known_thread && door().running()) {
    door().crashed(signal, reinterpret_cast<std::uint64_t>(info->si_addr), context);
  }
}

}  // namespace

void handle_faults() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int signal : kFaults) {
    struct sigaction old = {};
    RFF_REAL(sigaction)(signal, &action, &old);
    if (old.sa_sigaction != on_fault) {
      before[signal] = old;
    }
  }
}

void Door::crashed(int signal, std::uint64_t address, const void* context) {
  const auto* registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  auto word = [&](int number) { return static_cast<std::uint64_t>(registers[number]); };
  StopContext where{word(REG_RIP), word(REG_RSP), word(REG_RBP), word(REG_RBX),
                    word(REG_R12), word(REG_R13), word(REG_R14), word(REG_R15)};
  in_handler_ = true;
  if (__builtin_setjmp(to_handler_) == 0) {
    made_->run.findings.crashed(signal, where, address, false, false);
  }
}

}  // namespace rff::embedded
