// Decides whether an access to guarded memory is an error, and reports it before the instruction
// executes. The guards in the shadow only say where to look; the table of blocks decides.
#pragma once

#include <cstdint>

#include "libsched/engine/thread.h"
#include "libsched/memory/heap_blocks.h"
#include "schedule/checks.h"

namespace rff {

struct FoundMemoryError {
  FindingKind kind = FindingKind::kUseAfterFree;
  MemoryErrorFacts facts;
  CodeName place;
  std::uint32_t allocated_callers = 0;  // trace::CallersInfo::number
  std::uint32_t freed_callers = 0;
};

class MemoryErrorListener {
 public:
  [[noreturn]] virtual void memory_error(const FoundMemoryError& error) = 0;

 protected:
  ~MemoryErrorListener() = default;
};

// Whether the user wants no check of what this code does.
bool ignores(const Checks& checks, CodeName site);

// Returns what is known of the block, for an error that concerns it.
FoundMemoryError error_near(FindingKind kind, const HeapBlock& block);

class MemoryCheck {
 public:
  struct Access {
    OpKind op;
    std::uint64_t address, size;
    CodeName site;
    std::uint64_t step;
    bool one_load;  // by one instruction; otherwise by several, or by a function
  };

  // Begins to check. All must live as long as this.
  void start(const Checks& checks, const HeapBlocks& blocks, MemoryErrorListener& listener) {
    checks_ = &checks;
    blocks_ = &blocks;
    listener_ = &listener;
  }
  bool active() const { return blocks_ != nullptr; }

  // Returns if the access is good. Requires: active().
  void access(const Thread& t, const Access& a) const;

 private:
  bool allows(const Access& a, const HeapBlocks::Wrong& wrong) const;

  const Checks* checks_ = nullptr;
  const HeapBlocks* blocks_ = nullptr;
  MemoryErrorListener* listener_ = nullptr;
};

}  // namespace rff
