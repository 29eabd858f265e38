// Functions that load and unload libraries. The loader holds its lock while constructors,
// destructors and callbacks of the program run. Here it is a lock like any other: a thread that
// needs it waits where other threads can continue.
#include <dlfcn.h>
#include <link.h>

#include "libsched/interpose/interpose.h"
#include "libsched/libc/thread_descriptor.h"
#include "libsched/process/destructors.h"

// Calls function(a, b, c) with the address `return_to` as its return address.
extern "C" long rff_call_for(const void* function, const void* return_to, long a, long b, long c);

asm(R"(
  .text
  .hidden rff_call_for
  .globl rff_call_for
  .type rff_call_for, @function
rff_call_for:
  pushq %rbp
  movq %rsp, %rbp
  subq $8, %rsp
  leaq 1f(%rip), %rax
  pushq %rax
  pushq %rsi
  movq %rdi, %rax
  movq %rdx, %rdi
  movq %rcx, %rsi
  movq %r8, %rdx
  jmpq *%rax
1:
  leave
  ret
  .size rff_call_for, . - rff_call_for
)");

namespace rff {
namespace {

struct LoaderLock {
  Thread* owner = nullptr;
  std::uint32_t count = 0;
  CodeName since;
};
LoaderLock loader;

constexpr WaitRule kLoaderFree = {[](const Operation&) { return loader.owner == nullptr; },
                                  [](const Operation&, CodeName* since) {
                                    *since = loader.since;
                                    return loader.owner;
                                  },
                                  WaitObject::kLoader};

void await_loader(const void* caller) {
  while (loader.owner != nullptr && loader.owner != &runtime->run.execution.current()) {
    Operation op = operation(OpKind::kWake, &loader, caller);
    op.place = {LocationKind::kThread, 0, 2};
    op.waits_for = &kLoaderFree;
    runtime->run.execution.perform(op);
  }
}

class HoldsLoader {
 public:
  explicit HoldsLoader(const void* caller) : active_(controlled()) {
    if (!active_) {
      return;
    }
    await_loader(caller);
    loader.owner = &runtime->run.execution.current();
    loader.since = runtime->code(caller);
    ++loader.count;
  }
  ~HoldsLoader() {
    if (active_ && --loader.count == 0) {
      loader.owner = nullptr;
    }
  }
  HoldsLoader(const HoldsLoader&) = delete;
  HoldsLoader& operator=(const HoldsLoader&) = delete;

 private:
  bool active_;
};

// Returns the address of a return instruction in the caller's module: the loader uses its return
// address to find the folder of libraries.
const void* return_instruction(const void* caller) {
  constexpr unsigned char kReturn = 0xc3;
  constexpr std::size_t kNear = 4096;  // bytes that are certainly code
  auto* at = static_cast<const unsigned char*>(caller);
  for (std::size_t i = 0; i < kNear; ++i) {
    std::uint64_t word = 0;
    if (!probe_word(reinterpret_cast<std::uint64_t>(at + i) & ~std::uint64_t{7}, &word)) {
      return nullptr;
    }
    if (at[i] == kReturn) {
      return at + i;
    }
  }
  return nullptr;
}

long word(const char* text) { return reinterpret_cast<long>(text); }
long word(long number) { return number; }

// Makes the loader load a library on behalf of the caller.
template <typename Result, typename... Arguments>
void* load(const void* caller, Result (*function)(Arguments...), Arguments... arguments) {
  void* result = nullptr;
  {
    HoldsLoader lock(caller);
    thread_descriptors().forget_variables();  // constructors may create threads
    const void* place = return_instruction(caller);
    long words[3] = {word(arguments)...};
    result = place != nullptr
                 ? reinterpret_cast<void*>(rff_call_for(reinterpret_cast<const void*>(function),
                                                        place, words[0], words[1], words[2]))
                 : function(arguments...);
  }
  runtime->modules_changed();
  return result;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT void* dlopen(const char* file, int mode) {
  if (!controlled()) {
    return RFF_REAL(dlopen)(file, mode);
  }
  return load(RFF_CALLER, RFF_REAL(dlopen), file, mode);
}

// Another namespace has its own C library, which the runtime does not interpose.
RFF_EXPORT void* dlmopen(Lmid_t space, const char* file, int mode) {
  if (!controlled()) {
    return RFF_REAL(dlmopen)(space, file, mode);
  }
  if (space != LM_ID_BASE) {
    runtime->process.unmodelled("dlmopen into another namespace");
    leave_destructors_to_loader();
  }
  return load(RFF_CALLER, RFF_REAL(dlmopen), space, file, mode);
}

RFF_EXPORT int dlclose(void* handle) noexcept {
  HoldsLoader lock(RFF_CALLER);
  return RFF_REAL(dlclose)(handle);
}

RFF_EXPORT int dl_iterate_phdr(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  HoldsLoader lock(RFF_CALLER);
  return RFF_REAL(dl_iterate_phdr)(visit, argument);
}

// dlsym uses its return address too, and nothing has to be done after it: it gets the caller's own
// return address.
extern "C" __attribute__((used)) void* rff_before_dlsym() {
  if (controlled()) {
    await_loader(RFF_CALLER);
  }
  return real::real_dlsym();
}

asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  callq rff_before_dlsym
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmpq *%rax
  .cfi_endproc
  .size dlsym, . - dlsym
)");
