#include "libsched/snapshot/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <cstring>
#include <new>

#include "libsched/report/findings.h"
#include "libsched/report/signal_stacks.h"
#include "libsched/snapshot/unwatched.h"
#include "libsched/support/panic.h"
#include "libsched/support/places.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

using unwatched::address;
using unwatched::call;

// Defined in <linux/prctl.h>, but not on older systems.
constexpr long kSetDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH
constexpr long kDispatchOff = 0, kDispatchOn = 1;
constexpr long kSystemCallBytes = 2;
constexpr int kDispatched = 2;  // SYS_USER_DISPATCH
constexpr long kHighDescriptor = 900;
constexpr long kCopies = 80 << 20;
constexpr long kOnePage = static_cast<long>(kPage);
constexpr long kEnd =
    places::kSnapshot + ((sizeof(Worker) + kOnePage - 1) & ~(kOnePage - 1)) + kCopies;
constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};
constexpr std::uint64_t kSignalOfWitness = std::uint64_t{1} << (SIGSYS - 1);

// As the kernel has it.
struct Action {
  void (*handler)(int, void*, void*);
  std::uint64_t flags;
  void (*restorer)();
  std::uint64_t mask;
};
constexpr std::uint64_t kRestorer = 0x04000000;

long set_action(int signal, const void* action, void* old) {
  return call(SYS_rt_sigaction, signal, address(action), address(old), sizeof(std::uint64_t));
}

// Out of the way of the program's descriptors.
int duplicate_high(long fd) {
  return static_cast<int>(call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kHighDescriptor));
}

bool is_limited(int resource) {
  rlimit limit = {};
  call(SYS_prlimit64, 0, resource, 0, address(&limit));
  return limit.rlim_cur != RLIM_INFINITY;
}

// Callable where all signals are blocked. `status`: as waitpid is to tell it.
[[noreturn]] void end_process(int status) {
  if (int signal = status & 0x7f; signal != 0) {
    Action action = {};
    set_action(signal, &action, nullptr);
    std::uint64_t others = ~(std::uint64_t{1} << (signal - 1));
    call(SYS_rt_sigprocmask, SIG_SETMASK, address(&others), 0, sizeof others);
    call(SYS_tgkill, call(SYS_getpid), call(SYS_gettid), signal);
  }
  for (;;) {
    call(SYS_exit_group, status >> 8);
  }
}

// A handler that runs while the signal of the witness is blocked would die of its first call.
bool handler_blocks_witness() {
  for (int signal = 1; signal < 65; ++signal) {
    Action action = {};
    if (set_action(signal, nullptr, &action) == 0 && action.handler != nullptr &&
        reinterpret_cast<long>(action.handler) != 1 && (action.mask & kSignalOfWitness) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

Worker& Worker::get() { return *reinterpret_cast<Worker*>(places::kSnapshot); }

const char* Worker::make(int control, int status, SharedMemory* shared, Turn* turn) {
  static_assert(kEnd + kOnePage < places::kOwn);
  long place = call(SYS_mmap, places::kSnapshot, kEnd - places::kSnapshot, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (place != places::kSnapshot) {
    return "there is no room for a snapshot";
  }
  auto* worker = new (reinterpret_cast<void*>(place)) Worker;
  worker->control_ = duplicate_high(control);
  worker->answer_ = duplicate_high(status);
  worker->answer_file_ = unwatched::moved_high(call(SYS_memfd_create, address("rff"), MFD_CLOEXEC));
  if (worker->control_ < 0 || worker->answer_ < 0 || worker->answer_file_ < 0) {
    return "there are too few descriptors";
  }
  call(SYS_ftruncate, worker->answer_file_, Turn::kAnswer);
  long words = call(SYS_mmap, kEnd, kOnePage, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED_NOREPLACE, worker->answer_file_);
  if (words < 0) {
    return "there is no room for a snapshot";
  }
  worker->answer_words_ = reinterpret_cast<std::int32_t*>(words);
  worker->status_ = -1;
  worker->shared_ = shared;
  worker->turn_ = turn;
  return nullptr;
}

const char* Worker::begin(Tracking tracking, bool checks) {
  checks_ = checks;
  if (const char* obstacle = arm()) {
    return obstacle;
  }
  kernel_.remember();
  if (const char* obstacle = pages_.save(tracking, kEnd)) {
    return obstacle;
  }
  rff_call_on_stack(end_run, reinterpret_cast<long>(stack_ + kStack));
}

const char* Worker::arm() {
  if (handler_blocks_witness()) {
    return "a signal handler of the program blocks SIGSYS";
  }
  stack_t stack = {};
  call(SYS_sigaltstack, 0, address(&stack));
  if (!signal_stacks::is_own(stack.ss_sp)) {
    return "the program has a stack for signals";  // system calls would write to it
  }
  if (is_limited(RLIMIT_CPU) || is_limited(RLIMIT_DATA)) {
    return "processor time or memory is limited, and runs in place add up";
  }
  set_action(SIGSYS, nullptr, old_action_);
  Action action = {on_system_call, SA_SIGINFO | SA_ONSTACK | kRestorer, rff_unwatched_return,
                   kAllSignals};
  set_action(SIGSYS, &action, nullptr);
  // The worker dies with the template.
  call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  selector_ = 0;
  long error = call(SYS_prctl, kSetDispatch, kDispatchOn, address(rff_unwatched_begin),
                    rff_unwatched_end - rff_unwatched_begin, address(&selector_));
  return error == 0 ? nullptr
                    : "this kernel has no Syscall User Dispatch (Linux 5.11 and newer do)";
}

// Some emulators enter handlers with a misaligned stack.
__attribute__((force_align_arg_pointer)) void Worker::on_system_call(int, void* about,
                                                                     void* context) {
  Worker& worker = get();
  auto* interrupted = static_cast<ucontext_t*>(context);
  greg_t* regs = interrupted->uc_mcontext.gregs;
  CallMade made = {
      regs[REG_RAX],
      {regs[REG_RDI], regs[REG_RSI], regs[REG_RDX], regs[REG_R10], regs[REG_R8], regs[REG_R9]}};
  auto* info = static_cast<const siginfo_t*>(about);
  if (info->si_code != kDispatched || info->si_arch != AUDIT_ARCH_X86_64) {
    worker.pass_on(*info, regs);
    return;
  }
  if (worker.ends_in_place(made, &worker.status_)) {
    rff_call_on_stack(end_run, reinterpret_cast<long>(worker.stack_ + kStack));
  }
  if (made.number == SYS_rt_sigreturn) {
    rff_return_from_signal(regs[REG_RSP]);  // of another handler: this one is over, too
  }
  auto* mask = reinterpret_cast<std::uint64_t*>(&interrupted->uc_sigmask);
  long result = 0;
  if (worker.kernel_.make(made, mask, &result)) {
    regs[REG_RAX] = result;
    return;
  }
  worker.retire(made.number);
  regs[REG_RIP] -= kSystemCallBytes;  // the call is made again
}

// A SIGSYS that is not the witness's, or a call by the rules of another processor.
void Worker::pass_on(const siginfo_t& info, long long* regs) {
  constexpr int kFiltered = 1;  // SYS_SECCOMP
  retire(-1);
  if (info.si_code == kDispatched || info.si_code == kFiltered) {
    regs[REG_RIP] -= kSystemCallBytes;
  } else {
    call(SYS_tgkill, call(SYS_getpid), call(SYS_gettid), SIGSYS);
  }
}

// A run that reported its end to the fuzzer. After a fault nothing is certain: the process ends.
bool Worker::ends_in_place(const CallMade& made, int* status) const {
  const RunRecord& run = shared_->run;
  bool failed = run.outcome.load() == RunOutcome::kFinding;
  if (run.state.load() != RunState::kEnded ||
      made.number != (failed ? SYS_tgkill : SYS_exit_group) ||
      (failed && (run.finding == FindingKind::kCrash || run.finding == FindingKind::kHang))) {
    return false;
  }
  *status = static_cast<int>(failed ? made.arguments[2] : (made.arguments[0] & 0xff) << 8);
  return true;
}

// Executes on the worker's own stack.
void Worker::end_run() {
  Worker& worker = get();
  worker.selector_ = 0;
  worker.kernel_.put_back();
  if (!worker.pages_.restore()) {
    end_process(worker.status_);  // the run ends as an ordinary child's
  }
  if (std::uint64_t place = worker.checks_ ? worker.pages_.first_difference() : 0; place != 0) {
    panic("after a run in place memory is not as it was: ", hex(place).c_str());
  }
  rff_go_back(&worker.registers);
}

bool Worker::take_request() {
  allow_signals();
  turn_->expect_request();
  long n = call(SYS_read, control_, address(&turn_->request), sizeof turn_->request);
  if (n == -EINTR) {
    call(SYS_exit_group, 0);  // a handler of the program has run: nothing is as it was
  }
  return n == sizeof turn_->request;
}

void Worker::send_process(int process) {
  answer_words_[0] = process;
  call(SYS_sendfile, answer_, answer_file_, address(&turn_->sent), sizeof(std::int32_t));
}

void Worker::send_status(int status) {
  answer_words_[1] = status;
  call(SYS_sendfile, answer_, answer_file_, address(&turn_->sent), sizeof(std::int32_t));
}

void Worker::remember_case(std::string_view bytes) {
  case_size_ = bytes.size() <= kMostCase ? bytes.size() : 0;
  std::memcpy(case_, bytes.data(), case_size_);
}

void Worker::retire(long system_call) {
  turn_->retired_by = static_cast<std::int32_t>(system_call);
  kernel_.retire();
  call(SYS_prctl, kSetDispatch, kDispatchOff, 0, 0, 0);
  call(SYS_prctl, PR_SET_PDEATHSIG, 0);
  set_action(SIGSYS, old_action_, nullptr);
  pages_.close();
  call(SYS_close, control_);
  call(SYS_close, answer_);
  call(SYS_close, answer_file_);
  call(SYS_munmap, places::kTurn, kEnd + kOnePage - places::kTurn);
}

}  // namespace rff
