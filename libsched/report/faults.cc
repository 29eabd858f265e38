// Fatal signals of the program.
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include <string>

#include "libsched/report/findings.h"
#include "libsched/report/program_frame.h"
#include "libsched/report/report.h"
#include "libsched/interpose/objects.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/process/runtime.h"
#include "libsched/support/panic.h"
#include "libsched/support/real.h"

namespace rff::findings {
namespace {

bool has_address(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

// The stack ends here: what faulted is near its top.
bool stack_overflow(int signal, std::uint64_t address, std::uint64_t rsp) {
  constexpr std::uint64_t kFrame = 1 << 16;
  return has_address(signal) && address + kFrame > rsp && address < rsp + kFrame;
}

// The C library's last words, "free(): double free detected in tcache 2" for one.
struct LastWords {
  unsigned size;
  char text[];
};
LastWords* const* last_words = nullptr;

std::string library_message() {
  std::string text = last_words != nullptr && *last_words != nullptr ? (*last_words)->text : "";
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

std::string signal_text(int signal) {
  const char* name = sigabbrev_np(signal);
  return std::string("SIG") + (name != nullptr ? name : "?");
}

// Some emulators enter handlers with a misaligned stack.
__attribute__((force_align_arg_pointer)) void on_signal(int signal, siginfo_t* info,
                                                        void* context) {
  auto* uc = static_cast<ucontext_t*>(context);
  auto* regs = uc->uc_mcontext.gregs;
  std::uint64_t resume = 0;
  if (has_address(signal)) {
    end_search_at_fault();
    if (probe_fault(static_cast<std::uint64_t>(regs[REG_RIP]), &resume)) {
      regs[REG_RIP] = static_cast<greg_t>(resume);
      return;
    }
  }
  if (runtime == nullptr) {  // in a process that the program made
    die(signal);
  }
  std::uint64_t rip = static_cast<std::uint64_t>(regs[REG_RIP]);
  std::uint64_t address = has_address(signal) ? reinterpret_cast<std::uint64_t>(info->si_addr) : 0;
  bool overflow = stack_overflow(signal, address, static_cast<std::uint64_t>(regs[REG_RSP]));
  // A fault of our own is no finding, but one at an object that the program gave us is the
  // program's.
  static bool failing = false;
  const Module* at = runtime->modules.find(rip);
  bool ours = at != nullptr && at->path.ends_with("/libsched.so");
  if (failing || (ours && !overflow && !(has_address(signal) && ObjectTable::in_use(address)))) {
    panic("the runtime itself failed at ", hex(rip - (at ? at->bias : 0)).c_str());
  }
  if (signals::deliver(signal, info, context)) {
    return;
  }
  failing = true;
  StopContext s;
  s.rip = rip;
  s.rsp = static_cast<std::uint64_t>(regs[REG_RSP]);
  s.rbp = static_cast<std::uint64_t>(regs[REG_RBP]);
  s.rbx = static_cast<std::uint64_t>(regs[REG_RBX]);
  s.r12 = static_cast<std::uint64_t>(regs[REG_R12]);
  s.r13 = static_cast<std::uint64_t>(regs[REG_R13]);
  s.r14 = static_cast<std::uint64_t>(regs[REG_R14]);
  s.r15 = static_cast<std::uint64_t>(regs[REG_R15]);
  std::uint64_t place = runtime->modules.original_code(rip);
  std::string message = signal_text(signal);
  if (overflow) {
    message += " (stack overflow)";
  }
  if (signal == SIGABRT && !library_message().empty()) {
    message += " (" + library_message() + ")";
  }
  if (rip == address && has_address(signal)) {
    std::uint64_t caller = 0;
    message += " by a call of " + hex(address);
    if (probe_word(s.rsp, &caller) && is_program_code(caller)) {
      place = caller - 1;
    }
  } else if (!is_program_code(rip)) {
    std::uint64_t frame = program_frame();
    if (frame != 0) {
      message += ours ? "" : " in " + code_text(runtime->modules.name(rip));
      place = frame;
    } else if (thread_at(s.rsp).state == ThreadState::kEnded) {
      // The C library frees what the thread had kept for itself: carriers do that in other ways.
      place = reinterpret_cast<std::uint64_t>(RFF_REAL(free));
    }
  }
  CodeName name = runtime->modules.name(place);
  if (has_address(signal) && rip != address) {
    message += ", address " + hex(address);
  }
  report(FindingKind::kCrash, name, message, signal, s, address);
}

}  // namespace

void use_own_stack() {
  // One is enough: one thread runs at a time.
  constexpr std::size_t kStack = 1 << 18;
  static char* memory = new char[kStack];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kStack;
  RFF_REAL(sigaltstack)(&stack, nullptr);
}

void install_signal_handlers() {
  use_own_stack();
  last_words = static_cast<LastWords* const*>(::dlsym(RTLD_DEFAULT, "__abort_msg"));
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signals::ours(signal)) {
      install_signal_handler(signal, nullptr);
    }
  }
}

void install_signal_handler(int signal, const struct sigaction* program) {
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

void remove_signal_handlers() {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signals::ours(signal) && !signals::program_handles(signal)) {
      struct sigaction action = {};
      RFF_REAL(sigaction)(signal, &action, nullptr);
    }
  }
}

}  // namespace rff::findings
