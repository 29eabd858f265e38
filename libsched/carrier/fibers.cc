// Fiber carrier: runs all threads of the target on one kernel thread. Each has its own stack and
// its own thread descriptor with TLS; a switch exchanges the callee-saved registers, the
// floating-point control words, rsp and the fs base.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/auxv.h>

#include "libsched/carrier/stacks.h"
#include "libsched/carrier/thread_carrier.h"
#include "libsched/libc/thread_descriptor.h"
#include "libsched/support/check.h"
#include "libsched/support/real.h"
#include "libsched/support/vector_state.h"

extern "C" {
// Stores the current context's stack pointer in *from and continues at `to` with the fs base `fs`.
// `x87_control` is the current control word, in the upper half.
void rff_fiber_switch(std::uint64_t* from, std::uint64_t to, std::uint64_t fs,
                      std::uint64_t x87_control);
void rff_fiber_first();
}

asm(R"(
  .text
  .hidden rff_fiber_switch
  .hidden rff_fiber_first
  .globl rff_fiber_switch, rff_fiber_first
  .type rff_fiber_switch, @function
rff_fiber_switch:
  .cfi_startproc
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  stmxcsr (%rsp)
  movq (%rsp), %rax
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  wrfsbase %rdx
  xorq (%rsp), %rax
  je 2f
  ldmxcsr (%rsp)
  shrq $32, %rax
  je 2f
  fldcw 4(%rsp)
2:
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r15
  .cfi_adjust_cfa_offset -8
  popq %r14
  .cfi_adjust_cfa_offset -8
  popq %r13
  .cfi_adjust_cfa_offset -8
  popq %r12
  .cfi_adjust_cfa_offset -8
  popq %rbx
  .cfi_adjust_cfa_offset -8
  popq %rbp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size rff_fiber_switch, . - rff_fiber_switch

  .type rff_fiber_first, @function
rff_fiber_first:
  .cfi_startproc
  .cfi_undefined %rip
  movq %r12, %rdi
  callq *%rbx
  ud2
  .cfi_endproc
  .size rff_fiber_first, . - rff_fiber_first
)");

namespace rff {
namespace {

bool can_write_fs_base() {
  // Announced by the kernel, or available without that (emulators that run user code only).
  constexpr unsigned long kFsGsBase = 2;
  if ((getauxval(AT_HWCAP2) & kFsGsBase) != 0) {
    return true;
  }
  static sigjmp_buf illegal;
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = [](int) { siglongjmp(illegal, 1); };
  RFF_REAL(sigaction)(SIGILL, &action, &old);
  bool works = false;
  if (sigsetjmp(illegal, 1) == 0) {
    std::uint64_t base = 0;
    asm volatile("rdfsbase %0\n\twrfsbase %0" : "=r"(base));
    works = true;
  }
  RFF_REAL(sigaction)(SIGILL, &old, nullptr);
  return works;
}

std::uint64_t upper_half(std::uint64_t value) { return value << 32; }

class Fibers : public ThreadCarrier {
 public:
  const char* prepare(Thread& main, HeapListener& heap) {
    heap_ = &heap;
    if (!can_write_fs_base()) {
      return "this processor or kernel cannot switch the TLS base";
    }
    if (const char* why = descriptors_.prepare()) {
      return why;
    }
    std::uint64_t fs_base = 0;
    asm volatile("rdfsbase %0" : "=r"(fs_base));
    return fs_base == main.carried->handle ? nullptr : "unknown C library";
  }

  int create(Thread& thread, const pthread_attr_t* attributes, const ThreadCode& code) override {
    CarriedThread& t = *thread.carried;
    if (!stacks().take(attributes, &t.stack)) {
      return EAGAIN;
    }
    t.handle = descriptors_.create(t.tid, t.stack);
    if (t.handle == 0) {
      stacks().give_back(t.stack);
      return EINVAL;
    }
    thread.stack_low = t.stack.low;
    thread.stack_high = t.stack_top = t.stack.high;
    t.first_frame = first_frame(t.handle);
    t.code = code;
    // rff_fiber_switch pops these: control words, r15 r14 r13 r12 rbx rbp, return address.
    auto* top = reinterpret_cast<std::uint64_t*>(descriptors_.stack_begin(t.handle));
    *--top = 0;
    *--top = 0;
    *--top = reinterpret_cast<std::uint64_t>(&rff_fiber_first);
    *--top = 0;                                                // rbp
    *--top = reinterpret_cast<std::uint64_t>(&Fibers::start);  // rbx
    *--top = reinterpret_cast<std::uint64_t>(&thread);         // r12
    *--top = 0;
    *--top = 0;
    *--top = 0;
    std::uint32_t mxcsr = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr));
    *--top = mxcsr | upper_half(x87_control());
    t.stack_pointer = reinterpret_cast<std::uint64_t>(top);
    return 0;
  }

  void await_turn(Thread&) override { panic("a fiber cannot run beside another"); }

  void end(Thread& from, Thread* to) override {
    if (to == nullptr) {
      // The last thread of a process whose main thread has exited: ends the process like the C
      // library.
      exit(0);
    }
    HeapDamage damage;
    if (from.index != 0 &&  // the C library keeps the main thread's cache
        !descriptors_.give_cache_back(from.carried->handle, &damage)) {
      heap_->heap_damaged(damage.facts, damage.words, damage.function);
    }
    reset_x87();  // the x87 state belonged to this thread
    hand_over(from, *to);
    panic("an ended thread was switched to");
  }

  void release(Thread& thread) override {
    CarriedThread& t = *thread.carried;
    if (t.stack.high == 0) {
      return;
    }
    descriptors_.destroy(t.handle);
    stacks().give_back(t.stack);
    t.stack = {};
  }

  bool ends_threads_itself() const override { return true; }

 protected:
  void hand_over(Thread& from, Thread& to) override {
    rff_fiber_switch(&from.carried->stack_pointer, to.carried->stack_pointer, to.carried->handle,
                     upper_half(x87_control()));
  }

 private:
  // Bottom frame of every fiber.
  static void start(Thread* t) {
    Fibers& self = static_cast<Fibers&>(*fibers_instance());
    self.descriptors_.begin_thread();
    // Target of pthread_exit and cancellation, laid out like the C library's own.
    struct CleanupBuffer {
      __jmp_buf_tag jump[1];
      void* previous;
      void* cleanup;
      long reserved[4];
    };
    static_assert(offsetof(CleanupBuffer, previous) >= sizeof(__jmp_buf) + sizeof(int));
    CleanupBuffer buffer = {};
    if (_setjmp(buffer.jump) == 0) {
      self.descriptors_.set_cleanup_buffer(t->carried->handle, &buffer);
      t->carried->code.body(*t);
    }
    self.descriptors_.run_tls_destructors();
    t->carried->code.ended(*t);
    panic("a fiber went on after its end");
  }

  static ThreadCarrier* fibers_instance() { return &fibers(); }

  ThreadDescriptors& descriptors_ = thread_descriptors();
  HeapListener* heap_ = nullptr;
};

}  // namespace

ThreadCarrier& fibers() {
  static Fibers* carrier = new Fibers;
  return *carrier;
}

std::uint64_t first_frame(pthread_t handle) {
  // Upper bound of what the C library and the carriers put on a new stack first, which differs.
  constexpr std::uint64_t kBeginning = 896;
  return thread_descriptors().prepared() ? thread_descriptors().stack_begin(handle) - kBeginning
                                         : 0;
}

const char* prepare_fibers(Thread& main, HeapListener& heap) {
  return static_cast<Fibers&>(fibers()).prepare(main, heap);
}

}  // namespace rff
