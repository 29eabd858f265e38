// Kernel thread carrier: one kernel thread for each thread of the target, switched by one futex per
// thread.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libsched/carrier/stacks.h"
#include "libsched/carrier/thread_carrier.h"
#include "libsched/libc/thread_descriptor.h"
#include "libsched/support/check.h"
#include "libsched/support/real.h"
#include "libsched/support/watch_signal.h"

namespace rff {
namespace {

long futex(std::atomic<std::uint32_t>* word, int op, std::uint32_t value) {
  return real::syscall6(SYS_futex, reinterpret_cast<long>(word), op, value, 0, 0, 0);
}

// Blocks or unblocks the watchdog's signal. Only the running thread may take it: there is a single
// stack for handlers.
void watch_this_thread(bool on) {
  real::syscall6(SYS_rt_sigprocmask, on ? SIG_UNBLOCK : SIG_BLOCK,
                 reinterpret_cast<long>(&kWatchSignalBit), 0, sizeof kWatchSignalBit);
}

class KernelThreads : public ThreadCarrier {
 public:
  int create(Thread& thread, const pthread_attr_t* attributes, const ThreadCode& code) override {
    CarriedThread& t = *thread.carried;
    if (tid_ == 0) {
      panic("unknown C library: it does not say where a thread's number is");
    }
    pthread_attr_t own;
    if (attributes != nullptr) {
      own = *attributes;
    } else {
      pthread_attr_init(&own);
    }
    // Always joinable: the runtime must know when the kernel thread is gone.
    pthread_attr_setdetachstate(&own, PTHREAD_CREATE_JOINABLE);
    if (!stacks().take(attributes, &t.stack)) {
      return EAGAIN;
    }
    pthread_attr_setstack(&own, reinterpret_cast<void*>(t.stack.low), t.stack.high - t.stack.low);
    t.code = code;
    watch_this_thread(false);  // inherited by the new thread
    int error = RFF_REAL(pthread_create)(&t.handle, &own, &KernelThreads::start, &thread);
    watch_this_thread(true);
    if (error != 0) {
      stacks().give_back(t.stack);
      return error;
    }
    while (code.awaited && t.waits.load(std::memory_order_acquire) == 0) {
      futex(&t.waits, FUTEX_WAIT_PRIVATE, 0);
    }
    thread.stack_low = t.stack.low;
    thread.stack_high = t.stack_top = t.stack.high;
    t.first_frame = first_frame(t.handle);
    return 0;
  }

  void await_turn(Thread& t) override {
    if (t.carried->code.awaited) {
      t.carried->waits.store(1, std::memory_order_release);
      futex(&t.carried->waits, FUTEX_WAKE_PRIVATE, 1);
    }
    take(t);
  }

  void end(Thread& from, Thread* to) override {
    if (to != nullptr) {
      dying_ = &from;
      watch_this_thread(false);
      give(*to);
    }
  }

  void release(Thread& thread) override {
    CarriedThread& t = *thread.carried;
    RFF_REAL(pthread_join)(t.handle, nullptr);
    stacks().give_back(t.stack);
    t.stack = {};
  }

 protected:
  void hand_over(Thread& from, Thread& to) override {
    watch_this_thread(false);
    give(to);
    take(from);
  }

 private:
  static void* start(void* argument) {
    auto* t = static_cast<Thread*>(argument);
    if (t->carried->code.early != nullptr) {
      if (t->carried->code.awaited) {
        instance().await_turn(*t);
      }
      t->carried->code.early(*t);
      return nullptr;
    }
    instance().await_turn(*t);
    if (instance().named_) {
      name_for_debugger(*t);
    }
    t->carried->code.body(*t);
    return nullptr;
  }

  // Sets the kernel's thread name, which debuggers show.
  static void name_for_debugger(const Thread& t) {
    constexpr std::size_t kMostBytes = 15;
    std::string name = t.name.substr(0, kMostBytes);
    real::syscall6(SYS_prctl, PR_SET_NAME, reinterpret_cast<long>(name.c_str()));
  }

  static KernelThreads& instance() { return static_cast<KernelThreads&>(kernel_threads()); }

  void give(Thread& to) {
    to.carried->baton.store(1, std::memory_order_release);
    futex(&to.carried->baton, FUTEX_WAKE_PRIVATE, 1);
  }

  void take(Thread& self) {
    while (self.carried->baton.exchange(0, std::memory_order_acquire) == 0) {
      futex(&self.carried->baton, FUTEX_WAIT_PRIVATE, 0);
    }
    if (dying_ != nullptr) {
      await_kernel_exit(*dying_);
      dying_ = nullptr;
    }
    watch_this_thread(true);
  }

  // Waits until the kernel thread is gone: the C library still frees its caches and stack after it
  // has left the runtime.
  void await_kernel_exit(Thread& t) {
    auto* tid = reinterpret_cast<std::atomic<std::uint32_t>*>(
        reinterpret_cast<char*>(t.carried->handle) + tid_);
    for (std::uint32_t value = tid->load(); value != 0; value = tid->load()) {
      futex(tid, FUTEX_WAIT, value);
    }
  }

  const std::uint32_t tid_ = tid_offset();
  Thread* dying_ = nullptr;

 public:
  bool named_ = false;  // in the kernel
};

}  // namespace

ThreadCarrier& kernel_threads() {
  static KernelThreads* carrier = new KernelThreads;
  return *carrier;
}

void name_kernel_threads() { static_cast<KernelThreads&>(kernel_threads()).named_ = true; }

}  // namespace rff
