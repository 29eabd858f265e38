// The C library's thread descriptor (struct pthread) for threads it did not make: fibers.
//
// Its layout is private and changes between versions. So nothing here assumes one: a real thread is
// made once, and a copy of its descriptor, with what must differ found by value, is the pattern for
// every fiber.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rff {

class ThreadDescriptors {
 public:
  // Null if this works here, else why not. Makes and joins one real thread, which also puts the C
  // library into multi-threaded mode everywhere.
  const char* prepare();

  // A descriptor with its static TLS block and dynamic thread vector.
  struct Descriptor {
    unsigned char* block = nullptr;
    std::uint64_t fs_base = 0;  // its address, which is also the thread's pthread_t
  };
  Descriptor create(std::uint32_t tid, std::uint64_t stack, std::uint64_t stack_size);
  void destroy(const Descriptor& d);

  // Where pthread_exit jumps to: a buffer filled like the C library's own start routine does.
  void set_cleanup_buffer(const Descriptor& d, void* buffer);

  // On the fiber itself: what the C library does at the start and at the end of a thread.
  void begin_thread() { ctype_init_(); }
  void run_tls_destructors() { call_tls_dtors_(); }

 private:
  static void* inspect(void* self);
  unsigned char* take_block(std::size_t bytes);

  static constexpr std::size_t kMostBytes = 8192;
  alignas(64) unsigned char pattern_[kMostBytes];
  std::uint64_t pattern_at_ = 0;  // address of the descriptor the pattern was copied from
  std::uint32_t bytes_ = 0;
  std::size_t static_tls_bytes_ = 0;
  std::size_t static_tls_align_ = 0;
  // Offsets of fields, 0 if not found.
  std::uint32_t tid_ = 0;
  std::uint32_t stack_ = 0;
  std::uint32_t stack_size_ = 0;
  std::uint32_t cleanup_buffer_ = 0;
  std::uint64_t inspected_stack_ = 0;
  std::uint64_t inspected_stack_size_ = 0;

  std::vector<unsigned char*> free_blocks_;
  unsigned char* next_block_ = nullptr;
  unsigned char* end_of_blocks_ = nullptr;

  void* (*allocate_tls_)(void*) = nullptr;
  void (*deallocate_tls_)(void*, bool) = nullptr;
  void (*ctype_init_)() = nullptr;
  void (*call_tls_dtors_)() = nullptr;
};

}  // namespace rff
