// Decides whether an access goes to a frame of another thread that has returned, or to the stack of
// a thread that has ended.
#pragma once

#include "libsched/memory/memory_check.h"

namespace rff {

class Execution;

// What is known of the stacks of threads that do not run.
class OtherStacks {
 public:
  // Returns whether the stack is memory that the program did not give itself.
  virtual bool made_here(const Thread& t) = 0;
  // Returns the lowest address that the frames of the thread use, with the bytes below them that a
  // function may use without a frame; 0 if its frames are not on its stack, or not known.
  virtual std::uint64_t lowest_frame(const Thread& t) = 0;

 protected:
  ~OtherStacks() = default;
};

class StackCheck {
 public:
  // Begins to check. All must live as long as this.
  void start(const Checks& checks, const Execution& execution, OtherStacks& stacks,
             MemoryErrorListener& listener);

  // Returns if the access is good. Requires: it is one of the running thread.
  void access(const Thread& t, const MemoryCheck::Access& a) const;

 private:
  bool is_checked(const Thread& t) const;
  const Thread* owner(const Thread& t, std::uint64_t address) const;

  const Checks* checks_ = nullptr;
  const Execution* execution_ = nullptr;
  OtherStacks* stacks_ = nullptr;
  MemoryErrorListener* listener_ = nullptr;
};

}  // namespace rff
