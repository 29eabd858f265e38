#include "libsched/interpose/memory/checked_heap.h"

#include <malloc.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>

#include "libsched/interpose/interpose.h"

namespace rff::checked_heap {
namespace {

constexpr std::size_t kUnit = HeapBlocks::kUnit;  // alignment of the C library's blocks
constexpr std::size_t kLargestRedzone = 256;
constexpr std::size_t kLargestBlock = std::size_t{1} << 47;
// Only so much of a block is filled: large ones would need their pages.
constexpr std::size_t kFilledBytes = 4096;
constexpr int kNewFill = 0xbe;
constexpr int kFreedFill = 0xef;

constexpr std::size_t round_up(std::size_t n) { return (n + kUnit - 1) & ~(kUnit - 1); }

// Freed blocks, the oldest first.
struct Quarantine {
  HeapBlock* first = nullptr;
  HeapBlock* last = nullptr;
  std::size_t bytes = 0;
  std::size_t most = 0;

  void push(HeapBlock& b) {
    (last != nullptr ? last->freed_next : first) = &b;
    last = &b;
    bytes += b.chunk_size;
  }
  HeapBlock& pop() {
    HeapBlock& b = *first;
    first = b.freed_next;
    last = first != nullptr ? last : nullptr;
    bytes -= b.chunk_size;
    return b;
  }
};

alignas(kOnBusyPage) HeapBlocks* blocks = nullptr;
Quarantine quarantine;

std::uint64_t address_of(const void* block) { return reinterpret_cast<std::uint64_t>(block); }
void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

// Whether what the program does with its heap now is its own doing, under control.
bool noticed() { return controlled() && !InsideRuntime::active(); }

// Guards what nobody may use of a block that was given out.
void guard_around(const HeapBlock& b) {
  if (runtime->run.begun()) {
    Shadow& shadow = runtime->run.shadow;
    std::uint64_t part = word_of(b.end());
    shadow.guard(b.chunk, b.begin - b.chunk, Guard::kRedzone);
    shadow.guard(part, kWordBytes, HeapBlocks::guard_of(b, part));
    shadow.guard(part + kWordBytes, b.chunk_end() - part - kWordBytes, Guard::kRedzone);
  }
}

void guard_freed(const HeapBlock& b) {
  if (runtime->run.begun()) {
    std::uint64_t end = word_of(b.end() + kWordBytes - 1);
    runtime->run.shadow.guard(b.begin, end - b.begin, Guard::kFreed);
  }
}

std::uint32_t callers_here() {
  TraceWriter& trace = runtime->run.trace;
  std::uint32_t number = 0;
  if (trace.callers()) {
    capture(trace.here);
    on_runtime_stack([&] { number = trace.callers_of_here(); });
  }
  return number;
}

void give_back(HeapBlock& b) {
  std::uint64_t chunk = b.chunk, size = b.chunk_size;
  if (controlled()) {
    runtime->run.locations.unmapped(b.begin, 1);
  }
  blocks->remove(b);
  if (controlled() && runtime->run.begun()) {
    runtime->run.shadow.forget(chunk, size);
  }
  InsideRuntime guard;
  RFF_REAL(free)(pointer(chunk));
}

[[noreturn]] void report(FoundMemoryError error, std::uint64_t address, AllocatorFamily family,
                         const void* caller) {
  error.facts.op = OpKind::kFree;
  error.facts.freed_with = family;
  error.facts.thread = runtime->run.execution.current().index;
  error.facts.address = error.facts.wrong = address;
  error.facts.step = runtime->run.execution.steps;
  error.place = runtime->code(caller);
  runtime->run.findings.memory_error(error);
}

// Reports a release of what is certainly no block. Blocks that other allocators made are unknown
// here, so most memory is left to the C library.
void check_unknown(std::uint64_t address, AllocatorFamily family, const void* caller) {
  if (const HeapBlock* b = blocks->around(address)) {
    report(error_near(b->freed ? FindingKind::kUseAfterFree : FindingKind::kInvalidFree, *b),
           address, family, caller);
  }
  FoundMemoryError error;
  error.kind = FindingKind::kInvalidFree;
  for (const Thread* t : runtime->run.execution.threads()) {
    if (t->state != ThreadState::kEnded && !t->attendant && address >= t->stack_low &&
        address < t->stack_high) {
      error.facts.area = MemoryArea::kStack;
      error.facts.allocated_by = t->index;
      report(error, address, family, caller);
    }
  }
  const Module* m = runtime->process.modules.find(address);
  if (m != nullptr && !m->system) {
    error.facts.area = MemoryArea::kGlobal;
    report(error, address, family, caller);
  }
}

void check_known(const HeapBlock& b, AllocatorFamily family, const void* caller) {
  if (b.freed) {
    report(error_near(FindingKind::kDoubleFree, b), b.begin, family, caller);
  }
  if (b.family != family) {
    report(error_near(FindingKind::kMismatchedFree, b), b.begin, family, caller);
  }
}

void put_in_quarantine(HeapBlock& b, const void* caller) {
  b.freed = true;
  b.freed_by = runtime->run.execution.current().index;
  b.freed_at = runtime->code(caller);
  b.freed_step = runtime->run.execution.steps;
  b.freed_callers = callers_here();
  std::memset(pointer(b.begin), kFreedFill, std::min(b.size, kFilledBytes));
  guard_freed(b);
  quarantine.push(b);
  while (quarantine.bytes > quarantine.most) {
    give_back(quarantine.pop());
  }
}

}  // namespace

void start(HeapBlocks& table, std::size_t quarantine_bytes) {
  blocks = &table;
  quarantine.most = quarantine_bytes;
}

bool makes_blocks(const void* caller) {
  return blocks != nullptr && noticed() && !heap::called_by_loader(caller);
}

void* allocate(const Request& r, const heap::Caller& caller) {
  std::size_t before = std::max(kUnit, r.alignment);
  std::size_t behind = std::clamp(round_up(r.size / 8), kUnit, kLargestRedzone);
  if (r.size > kLargestBlock || before > kLargestBlock) {
    errno = ENOMEM;
    return nullptr;
  }
  HeapBlock b;
  b.size = r.size;
  b.chunk_size = before + round_up(r.size) + behind;
  b.family = r.family;
  {
    InsideRuntime guard;
    void* chunk = r.alignment > kUnit ? RFF_REAL(memalign)(r.alignment, b.chunk_size)
                  : r.zeroed          ? RFF_REAL(calloc)(1, b.chunk_size)
                                      : RFF_REAL(malloc)(b.chunk_size);
    if (chunk == nullptr) {
      return nullptr;
    }
    b.chunk = address_of(chunk);
  }
  b.begin = b.chunk + before;
  if (!r.zeroed) {
    std::memset(pointer(b.begin), kNewFill, std::min(r.size, kFilledBytes));
  }
  b.allocated_by = runtime->run.execution.current().index;
  b.allocated_at = runtime->code(caller.address);
  b.allocated_callers = callers_here();
  blocks->add(b);
  heap::allocated(pointer(b.begin), r.size, caller);
  guard_around(b);
  return pointer(b.begin);
}

bool release(void* block, AllocatorFamily family, const void* caller) {
  if (blocks == nullptr) {
    return false;
  }
  std::uint64_t address = address_of(block);
  HeapBlock* b = blocks->at(address);
  if (b == nullptr) {
    if (noticed() && !heap::called_by_loader(caller)) {
      check_unknown(address, family, caller);
    }
    return false;
  }
  if (!controlled()) {  // a process that the program has created
    if (!b->freed) {
      give_back(*b);
    }
    return true;
  }
  if (noticed()) {
    check_known(*b, family, caller);
    if (runtime->run.begun()) {
      heap::give_up(block, caller, OpKind::kFree);
      b = blocks->at(address);  // other threads may have run
    }
  }
  if (b != nullptr && !b->freed) {
    put_in_quarantine(*b, caller);
  }
  return true;
}

bool reallocate(void* old, std::size_t size, const heap::Caller& caller, void** result) {
  HeapBlock* b = blocks != nullptr ? blocks->at(address_of(old)) : nullptr;
  if (b == nullptr) {
    if (blocks != nullptr && old != nullptr && makes_blocks(caller.address)) {
      check_unknown(address_of(old), AllocatorFamily::kMalloc, caller.address);
    }
    return false;
  }
  *result = nullptr;
  if (noticed()) {
    check_known(*b, AllocatorFamily::kMalloc, caller.address);
  }
  // A block that has its size already stays, with the locks that are held in it.
  if (size == b->size && size > 0) {
    if (noticed()) {
      heap::renamed(old, size, caller);
    }
    *result = old;
    return true;
  }
  if (size > 0) {
    std::size_t kept = std::min<std::size_t>(size, b->size);
    bool checked = noticed();
    void* block = checked ? allocate({size}, caller) : RFF_REAL(malloc)(size);
    if (block == nullptr) {
      return true;
    }
    bool is_event = checked && runtime->run.begun() && kept > 0;
    if (is_event) {
      heap::range(OpKind::kRead, old, kept, caller.address);
    }
    std::memcpy(block, old, kept);
    if (is_event) {
      heap::range(OpKind::kWrite, block, kept, caller.address);
    }
    *result = block;
  }
  return release(old, AllocatorFamily::kMalloc, caller.address);
}

bool size_of(const void* block, std::size_t* size) {
  HeapBlock* b = blocks != nullptr ? blocks->at(address_of(block)) : nullptr;
  if (b != nullptr) {
    *size = b->size;
  }
  return b != nullptr;
}

}  // namespace rff::checked_heap
