#include "libsched/interpose/memory/heap_events.h"

#include <elf.h>
#include <malloc.h>
#include <sys/auxv.h>

#include <algorithm>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/memory/checked_heap.h"
#include "libsched/support/runtime_stack.h"

namespace rff {
namespace {

// Returns whether the instruction before `address` may be a direct call: five bytes, first 0xe8.
bool follows_call(std::uint64_t address) {
  std::uint64_t at = address - 5;
  std::uint64_t word = 0;
  return probe_word(at & ~std::uint64_t{7}, &word) && ((word >> ((at & 7) * 8)) & 0xff) == 0xe8;
}

// Returns the innermost caller outside system and allocator libraries: the allocator's caller
// itself, or, if that is operator new or another library function, the first return address into a
// patched module or into the executable further up the stack.
CodeName allocation_site(const void* return_address, const void* frame) {
  auto named = [](std::uint64_t address) {
    const Module* m = runtime->process.modules.find(address);
    return m != nullptr && (m->patched != nullptr || m->main);
  };
  auto caller = reinterpret_cast<std::uint64_t>(return_address);
  if (runtime->process.sanitizer.is_code(caller)) {
    return runtime->code(return_address);
  }
  if (named(caller)) {
    return runtime->process.modules.name(caller);
  }
  const auto* word = static_cast<const std::uint64_t*>(frame);
  std::uint64_t top = runtime->run.execution.current().stack_high;
  for (int i = 0; i < 64 && reinterpret_cast<std::uint64_t>(word + i) < top; ++i) {
    std::uint64_t value = word[i];
    if (named(value) && follows_call(value)) {
      return runtime->process.modules.name(value);
    }
  }
  return runtime->process.modules.name(caller);
}

// The code of the dynamic loader. It holds its lock while it frees, and threads wait for that lock
// unseen by the runtime: so its actions are no events, and no thread is switched in the middle of
// them.
struct LoaderCode {
  std::uint64_t begin = 0, end = 0;

  void find() {
    begin = end = getauxval(AT_BASE);
    if (begin == 0) {
      return;
    }
    const auto* file = reinterpret_cast<const Elf64_Ehdr*>(begin);
    const auto* segments = reinterpret_cast<const Elf64_Phdr*>(begin + file->e_phoff);
    for (int i = 0; i < file->e_phnum; ++i) {
      if (segments[i].p_type == PT_LOAD) {
        end = std::max(end, begin + segments[i].p_vaddr + segments[i].p_memsz);
      }
    }
  }
};
LoaderCode loader_code;

// Belongs to an allocator that is linked into the program, as that of a sanitizer may be. What
// comes here in spite of that is not from there.
std::size_t (*programs_size)(void*) = nullptr;

}  // namespace

void heap::find_loader() { loader_code.find(); }

void heap::find_allocator(void* all) {
  auto first = reinterpret_cast<decltype(programs_size)>(real::lookup(all, "malloc_usable_size"));
  programs_size = first != &malloc_usable_size ? first : nullptr;
}

bool heap::called_by_loader(const void* caller) {
  auto address = reinterpret_cast<std::uint64_t>(caller);
  return address >= loader_code.begin && address < loader_code.end;
}

std::uint64_t heap::usable_size(void* block) {
  std::size_t checked = 0;
  if (checked_heap::size_of(block, &checked)) {
    return checked;
  }
  return RFF_REAL(malloc_usable_size)(block);
}

std::uint64_t heap::size_by_sanitizer(void* block) {
  return programs_size != nullptr ? programs_size(block) : usable_size(block);
}

void* heap::allocated(void* block, std::size_t size, const Caller& caller,
                      std::uint64_t (*size_of)(void*)) {
  if (block != nullptr && controlled() && !InsideRuntime::active()) {
    InsideRuntime guard;
    auto address = reinterpret_cast<std::uint64_t>(block);
    Thread& t = runtime->run.execution.current();
    runtime->run.accesses.commit(t);
    CodeName site = allocation_site(caller.address, caller.frame);
    runtime->run.locations.allocated(address, size, site, t);
    if (TraceWriter& trace = runtime->run.trace; trace.callers()) {
      capture(trace.here);
      on_runtime_stack(
          [&] { trace.allocation(runtime->run.execution.steps, address, size, site); });
    }
    std::uint64_t usable = size_of(block);
    forget_objects(address, usable);
    if (runtime->run.begun()) {
      runtime->run.shadow.forget(address, usable);
    }
  }
  return block;
}

void heap::renamed(const void* block, std::size_t size, const Caller& caller) {
  runtime->run.locations.allocated(reinterpret_cast<std::uint64_t>(block), size,
                                   allocation_site(caller.address, caller.frame),
                                   runtime->run.execution.current());
}

// The C library may hold a lock of its own, which the runtime does not see: others that want it
// would stop the process.
void heap::range(OpKind op, const void* block, std::uint64_t size, const void* caller) {
  const Module* m = runtime->process.modules.find(reinterpret_cast<std::uint64_t>(caller));
  runtime->run.accesses.range(runtime->run.execution.current(), op,
                              reinterpret_cast<std::uint64_t>(block), size, runtime->code(caller),
                              m == nullptr || !m->system);
}

std::uint64_t heap::give_up(const void* block, const void* caller, OpKind op) {
  Thread& t = runtime->run.execution.current();
  runtime->run.accesses.commit(t);
  std::uint64_t size = runtime->run.locations.freed(reinterpret_cast<std::uint64_t>(block));
  // If uses of freed memory are detected, the code that accessed the block last becomes a
  // scheduling point, even if its threads have ended in this run.
  bool noticed = seen() || runtime->process.sanitizer.checks_addresses();
  if (size > 0 && noticed && !called_by_loader(caller)) {
    range(op, block, size, caller);
    t.memory->announced.address = 0;
  }
  return size;
}

}  // namespace rff
