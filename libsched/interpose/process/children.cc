// Functions with which the program creates processes: fork, clone, posix_spawn and others. Children
// run uncontrolled.
#include "libsched/interpose/process/children.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/sync/child_locks.h"
#include "libsched/report/faults.h"
#include "libsched/support/arena.h"
#include "libsched/support/instruction_traps.h"

namespace rff {
namespace {

// Registered first, so it runs last of all handlers before a fork: the child must not see later
// runs.
void before_fork() {
  if (runtime != nullptr && !runtime->process.serving()) {
    unshare_generation();
  }
}

// In a child: memory of the parent that the child may still use, and the parent's run.
SharedMemory* parents_memory = nullptr;
std::uint64_t parents_run = 0;

// Registered first, so it runs first of all handlers in a child. Children of the fork server stay
// under control.
void in_child() {
  if (runtime == nullptr || runtime->process.serving()) {
    return;
  }
  for (PatchedModule* m : runtime->process.modules.patched()) {
    m->disconnect();
  }
  runtime->process.sanitizer.in_child();
  instruction_traps::end();
  hold_mutexes_in_child();
  hold_rwlocks_in_child();
  hold_spin_locks_in_child();
  faults::remove_handlers();
  signals::in_child();
  parents_memory = runtime->process.shared;
  parents_run = parents_memory != nullptr ? parents_memory->run.sequence : 0;
  runtime = nullptr;
}

// A child is asleep if nothing has changed for kAsleep checks at intervals of kLook.
constexpr long kLook = 200'000;  // ns
constexpr int kAsleep = 20;      // checks
// A child that is busy for more checks runs concurrently with the program.
constexpr int kPatience = 20'000;

struct Child {
  pid_t process;
  std::string asleep_as = {};  // the kernel's description when it last slept
  bool slow = false;
};
std::vector<Child> noted;

constexpr char kBackground[] =
    "it puts itself into the background (daemon); start it in the foreground, e.g. with its "
    "option for that";

std::string read_text(const std::string& path) {
  std::string text;
  long fd = real::syscall6(SYS_open, reinterpret_cast<long>(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    text.resize(4096);
    long n = real::syscall6(SYS_read, fd, reinterpret_cast<long>(text.data()), 4096);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    real::syscall6(SYS_close, fd);
  }
  return text;
}

// Returns the kernel's description of a process and its descendants, including counts of context
// switches. Empty if one of them runs.
std::string tell(pid_t process) {
  std::string id = std::to_string(process);
  std::string text = read_text("/proc/" + id + "/status");
  for (const char* busy : {"State:\tR", "State:\tD"}) {
    if (text.find(busy) != std::string::npos) {
      return {};
    }
  }
  std::string below = read_text("/proc/" + id + "/task/" + id + "/children");
  const char* end = below.data() + below.size();
  for (const char* at = below.data(); at < end;) {
    pid_t child = 0;
    auto [rest, error] = std::from_chars(at, end, child);
    if (error != std::errc()) {
      break;
    }
    std::string more = tell(child);
    if (more.empty()) {
      return {};
    }
    text += more;
    at = rest + 1;
  }
  return text;
}

// Returns whether there was anything to wait for.
bool settle(Child& child) {
  std::string before;
  int same = 0;
  for (int look = 0; look < kPatience; ++look) {
    if (children::ended(P_PID, child.process, WEXITED)) {
      return look > 0;
    }
    std::string now = tell(child.process);
    if (!now.empty() && now == child.asleep_as) {
      return look > 0;
    }
    same = !now.empty() && now == before ? same + 1 : 0;
    if (same == kAsleep) {
      child.asleep_as = std::move(now);
      return true;
    }
    before = std::move(now);
    timespec moment = {0, kLook};
    real::syscall6(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
  }
  child.slow = true;
  return true;
}

}  // namespace

void children::note(pid_t child) {
  if (child > 0 && controlled()) {
    noted.push_back({child});
  }
}

void children::settle() {
  // Actions of one child may wake another.
  for (bool waited = true; waited;) {
    waited = false;
    for (Child& c : noted) {
      waited |= !c.slow && rff::settle(c);
    }
  }
  std::erase_if(noted, [](const Child& c) { return ended(P_PID, c.process, WEXITED); });
}

void children::send_signal(int signal) {
  for (const Child& c : noted) {
    real::syscall6(SYS_kill, c.process, signal);
  }
}

bool children::ended(idtype_t which, long who, int options) {
  siginfo_t info = {};
  long result = real::syscall6(SYS_waitid, which, who, reinterpret_cast<long>(&info),
                               options | WNOHANG | WNOWAIT);
  return result != 0 || info.si_pid != 0;
}

void children::note_end() {
  SharedMemory* shared = runtime->process.shared;
  if (shared == nullptr || !runtime->process.shares_memory ||
      runtime->run.execution.threads().size() > 1) {
    return;
  }
  bool left = std::any_of(noted.begin(), noted.end(),
                          [](const Child& c) { return !ended(P_PID, c.process, WEXITED); });
  if (left || shared->detached.load() == shared->run.sequence) {
    shared->panic.set(kBackground);
  }
}

void children::watch() { pthread_atfork(before_fork, nullptr, in_child); }

}  // namespace rff

using namespace rff;

namespace {

void before_child(const char* name, const void* caller) {
  if (controlled()) {
    runtime->start_run();
    touched_outside(name);  // its number is the system's
    runtime->process.shares_memory = true;
    descriptions::shared_with_others();
    identity::before_child();
    if (SharedMemory* shared = runtime->process.shared; shared != nullptr) {
      shared->made_processes.store(shared->run.sequence);
    }
    yield(caller);
  }
}

pid_t after_child(pid_t child) {
  children::note(child);
  return child;
}

template <typename Spawn>
int spawn(Spawn real_spawn, pid_t* child, const char* file,
          const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
          char* const arguments[], char* const environment[], const void* caller) {
  before_child("posix_spawn", caller);
  pid_t process = 0;
  instruction_traps::Suspended guard;
  int error = real_spawn(&process, file, actions, attributes, arguments, environment);
  after_child(process);
  if (error == 0 && child != nullptr) {
    *child = process;
  }
  return error;
}

}  // namespace

long rff::children::make(long number, const long (&arguments)[6], const void* caller) {
  before_child("a system call that makes a process", caller);
  before_fork();
  const auto& a = arguments;
  long child = real::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (child == 0) {
    in_child();
  }
  note(static_cast<pid_t>(child));
  return child;
}

RFF_EXPORT pid_t fork() noexcept {
  before_child("fork", RFF_CALLER);
  return after_child(RFF_REAL(fork)());
}

RFF_EXPORT pid_t _Fork() noexcept {
  before_child("fork", RFF_CALLER);
  before_fork();
  pid_t child = RFF_REAL(_Fork)();
  if (child == 0) {
    in_child();
  }
  return after_child(child);
}

// A child that shares the parent's memory would run the parent's hooks, so this is a fork. As in
// the C library, the program's fork handlers do not run.
RFF_EXPORT pid_t vfork() noexcept { return _Fork(); }

// The process that continues is a child, which is not under control.
RFF_EXPORT int daemon(int keep_folder, int keep_output) noexcept {
  if (controlled() && runtime->run.before_first_thread()) {
    panic(kBackground);
  }
  if (controlled() && fork() != 0) {
    _exit(0);
  }
  return RFF_REAL(daemon)(keep_folder, keep_output);
}

RFF_EXPORT pid_t setsid() noexcept {
  if (runtime == nullptr && parents_memory != nullptr) {
    parents_memory->detached.store(parents_run);
  }
  return RFF_REAL(setsid)();
}

namespace {

struct ClonesWork {
  int (*function)(void*);
  void* argument;
};

// Runs in a child that has its own memory.
int work_in_child(void* work) {
  in_child();
  auto& w = *static_cast<ClonesWork*>(work);
  return w.function(w.argument);
}

}  // namespace

RFF_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  va_list more;
  va_start(more, argument);
  pid_t* parents = va_arg(more, pid_t*);
  void* variables = va_arg(more, void*);
  pid_t* childs = va_arg(more, pid_t*);
  va_end(more);
  bool shares_all = (flags & CLONE_VM) != 0;
  ClonesWork work = {function, argument};
  if (controlled() && shares_all) {
    runtime->process.unmodelled("clone");
    runtime->stop_joining();
  } else if (controlled()) {
    before_child("clone", RFF_CALLER);
    before_fork();
    function = work_in_child;
    argument = &work;
  }
  int child = RFF_REAL(clone)(function, stack, flags, argument, parents, variables, childs);
  return shares_all ? child : after_child(child);
}

RFF_EXPORT int __clone(int (*)(void*), void*, int, void*, ...) noexcept
    __attribute__((alias("clone")));

RFF_EXPORT int posix_spawn(pid_t* child, const char* path,
                           const posix_spawn_file_actions_t* actions,
                           const posix_spawnattr_t* attributes, char* const arguments[],
                           char* const environment[]) {
  return spawn(RFF_REAL(posix_spawn), child, path, actions, attributes, arguments, environment,
               RFF_CALLER);
}

RFF_EXPORT int posix_spawnp(pid_t* child, const char* file,
                            const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const arguments[],
                            char* const environment[]) {
  return spawn(RFF_REAL(posix_spawnp), child, file, actions, attributes, arguments, environment,
               RFF_CALLER);
}
