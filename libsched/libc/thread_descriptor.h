// The C library's thread descriptor (struct pthread) for threads it did not make: fibers.
//
// Its layout is private and changes between versions. So nothing here assumes one: a real thread is
// made once, and a copy of its descriptor is the pattern for every fiber. What must differ is where
// the C library tells debuggers, or else found by an unusual value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libsched/libc/thread_cache.h"
#include "libsched/libc/thread_variables.h"
#include "libsched/support/stack.h"

namespace rff {

// Where in a descriptor the kernel's number of the thread is, which the kernel clears when the
// thread is gone; 0 if the C library does not say. Not found by value: any number may be in there
// twice, small ones in containers above all.
std::uint32_t tid_offset();

class ThreadDescriptors {
 public:
  // Null if this works here, else why not. Makes and joins one real thread, which also puts the C
  // library into multi-threaded mode everywhere.
  const char* prepare();
  // Of the fibers to come, before the first; not any more after modules were loaded.
  void remember_variables() {
    if (prepared_) {
      variables_.remember_pattern(bytes_);
    }
  }
  void forget_variables() { variables_.forget_pattern(); }

  // A descriptor with its static TLS block and dynamic thread vector.
  // At the upper end of the thread's stack, where the C library puts it too. Returns its address,
  // which is the fs base and the thread's pthread_t; 0 if the stack is too small.
  std::uint64_t create(std::uint32_t tid, const Stack& stack);
  void destroy(std::uint64_t descriptor) { variables_.take_back(descriptor); }
  // Where the stack begins below a descriptor and its TLS block.
  std::uint64_t stack_begin(std::uint64_t descriptor) const {
    return (descriptor + bytes_ - variables_.bytes()) & ~std::uint64_t{63};
  }
  bool prepared() const { return prepared_; }

  // Where pthread_exit jumps to: a buffer filled like the C library's own start routine does.
  void set_cleanup_buffer(std::uint64_t descriptor, void* buffer);

  // On the fiber itself: what the C library does at the start and at the end of a thread.
  void begin_thread() { ctype_init_(); }
  void run_tls_destructors() { call_tls_dtors_(); }
  // False, and what is wrong, if the program has damaged the cache.
  bool give_cache_back(std::uint64_t descriptor, HeapDamage* damage) {
    return cache_.give_back(descriptor, damage);
  }

 private:
  static void* inspect(void* self);

  static constexpr std::size_t kMostBytes = 8192;
  alignas(64) unsigned char pattern_[kMostBytes];
  std::uint64_t pattern_at_ = 0;  // address of the descriptor the pattern was copied from
  std::uint32_t bytes_ = 0;
  std::vector<std::uint32_t> own_addresses_;  // offsets of pointers into the descriptor itself
  // Offsets of fields, 0 if not found.
  std::uint32_t tid_ = 0;
  std::uint32_t stack_ = 0;
  std::uint32_t stack_size_ = 0;
  std::uint32_t cleanup_buffer_ = 0;
  std::uint64_t inspected_stack_ = 0;
  std::uint64_t inspected_stack_size_ = 0;

  bool prepared_ = false;
  ThreadCache cache_;
  ThreadVariables variables_;

  void (*ctype_init_)() = nullptr;
  void (*call_tls_dtors_)() = nullptr;
};

ThreadDescriptors& thread_descriptors();

}  // namespace rff
