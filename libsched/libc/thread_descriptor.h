// Creates the C library's thread descriptor (struct pthread) for fibers, which the C library does
// not create itself.
//
// Its layout is private and changes between versions. So none is assumed: one real thread is
// created, and a copy of its descriptor is the pattern for every fiber. Fields that must differ are
// at offsets published for debuggers, or are found by an unusual value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libsched/libc/thread_cache.h"
#include "libsched/libc/thread_variables.h"
#include "libsched/support/stack.h"

namespace rff {

// Returns the offset of the kernel's thread number, which the kernel clears when the thread is
// gone; 0 if the C library does not publish it. A search by value would be ambiguous: small
// numbers, as in containers, may occur more than once.
std::uint32_t tid_offset();

class ThreadDescriptors {
 public:
  // Returns null if this works here, otherwise the reason why not. Creates and joins one real
  // thread, which also puts the C library into multi-threaded mode.
  const char* prepare();
  // Caches the TLS template. Call before the first fiber; invalid after dlopen (forget_variables).
  void remember_variables() {
    if (prepared_) {
      variables_.remember_pattern(bytes_);
    }
  }
  void forget_variables() { variables_.forget_pattern(); }

  // Creates a descriptor with its static TLS block and dynamic thread vector at the upper end of
  // the thread's stack, like the C library. Returns its address, which is the fs base and the
  // thread's pthread_t; 0 if the stack is too small.
  std::uint64_t create(std::uint32_t tid, const Stack& stack);
  void destroy(std::uint64_t descriptor) { variables_.take_back(descriptor); }
  // Returns the address at which the stack begins, below a descriptor and its TLS block.
  std::uint64_t stack_begin(std::uint64_t descriptor) const {
    return (descriptor + bytes_ - variables_.bytes()) & ~std::uint64_t{63};
  }
  bool prepared() const { return prepared_; }

  // Sets the target of pthread_exit: a buffer filled as in the C library's start routine.
  void set_cleanup_buffer(std::uint64_t descriptor, void* buffer);

  // Do what the C library does at the start and at the end of a thread. Call these on the fiber
  // itself.
  void begin_thread() { ctype_init_(); }
  void run_tls_destructors() { call_tls_dtors_(); }
  // Returns false, and the damage, if the program has damaged the cache.
  bool give_cache_back(std::uint64_t descriptor, HeapDamage* damage) {
    return cache_.give_back(descriptor, damage);
  }

 private:
  static void* inspect(void* self);

  static constexpr std::size_t kMostBytes = 8192;
  alignas(64) unsigned char pattern_[kMostBytes];
  std::uint64_t pattern_at_ = 0;  // address of the descriptor from which the pattern was copied
  std::uint32_t bytes_ = 0;
  std::vector<std::uint32_t> own_addresses_;  // offsets of pointers into the descriptor itself
  // Offsets of fields; 0 if not found.
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
