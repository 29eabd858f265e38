#include "libsched/libc/thread_descriptor.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstring>

#include "libsched/libc/debugger_info.h"
#include "libsched/support/check.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

// An unusual number, so that the field with the stack's size is found by value.
constexpr std::uint64_t kProbeStackSize = 0x4b000;

}  // namespace

std::uint32_t tid_offset() {
  std::uint32_t offset = 0;
  return debugger_offset("_thread_db_pthread_tid", 32, &offset) ? offset : 0;
}

void* ThreadDescriptors::inspect(void* self) {
  auto& d = *static_cast<ThreadDescriptors*>(self);
  d.pattern_at_ = static_cast<std::uint64_t>(pthread_self());
  std::memcpy(d.pattern_, reinterpret_cast<const void*>(d.pattern_at_), d.bytes_);
  auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  // Starts after the header that the processor's ABI fixes (tcb, dtv, self, guards).
  for (std::uint32_t at = 0x80; at + 8 <= d.bytes_; at += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, d.pattern_ + at, 8);
    if (d.stack_ == 0 && value == d.inspected_stack_) {
      d.stack_ = at;
    } else if (d.stack_size_ == 0 && value == d.inspected_stack_size_) {
      d.stack_size_ = at;
    } else if (d.cleanup_buffer_ == 0 && value > here && value < d.pattern_at_) {
      d.cleanup_buffer_ = at;  // points into the start routine's frame
    }
  }
  d.cache_.inspect(d.pattern_at_, d.variables_.bytes() - d.bytes_);
  return nullptr;
}

const char* ThreadDescriptors::prepare() {
  const std::uint32_t* bytes = nullptr;
  if (!look_up(bytes, "_thread_db_sizeof_pthread") || *bytes > kMostBytes ||
      !look_up(ctype_init_, "__ctype_init") || !look_up(call_tls_dtors_, "__call_tls_dtors") ||
      !variables_.prepare()) {
    return "unknown C library";
  }
  bytes_ = *bytes;
  tid_ = tid_offset();
  std::uint64_t size = kProbeStackSize + ((variables_.bytes() + 4095) & ~std::uint64_t{4095});
  void* stack = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) {
    return "no memory";
  }
  inspected_stack_ = reinterpret_cast<std::uint64_t>(stack);
  inspected_stack_size_ = size;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, size);
  pthread_t thread;
  int error = RFF_REAL(pthread_create)(&thread, &attributes, inspect, this);
  pthread_attr_destroy(&attributes);
  if (error == 0) {
    RFF_REAL(pthread_join)(thread, nullptr);
  }
  munmap(stack, size);
  if (error != 0 || tid_ == 0 || stack_ == 0 || stack_size_ == 0 || cleanup_buffer_ == 0) {
    return "unknown layout of the C library's thread descriptor";
  }
  for (std::uint32_t i = 0; i + 8 <= bytes_; i += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, pattern_ + i, 8);
    if (value >= pattern_at_ && value < pattern_at_ + bytes_) {
      own_addresses_.push_back(i);
    }
  }
  prepared_ = true;
  return nullptr;
}

std::uint64_t ThreadDescriptors::create(std::uint32_t tid, const Stack& stack) {
  constexpr std::uint64_t kLeast = 4096;
  std::uint64_t at = (stack.high - bytes_) & ~static_cast<std::uint64_t>(variables_.align() - 1);
  std::uint64_t begin = stack_begin(at);
  if (begin < stack.low + kLeast || begin > at) {
    return 0;
  }
  if (!stack.fresh) {
    std::memset(reinterpret_cast<void*>(begin), 0, at + bytes_ - begin);
  }
  auto* descriptor = reinterpret_cast<unsigned char*>(at);
  std::memcpy(descriptor, pattern_, bytes_);
  for (std::uint32_t offset : own_addresses_) {
    std::uint64_t value = 0;
    std::memcpy(&value, descriptor + offset, 8);
    value = value - pattern_at_ + at;
    std::memcpy(descriptor + offset, &value, 8);
  }
  std::memcpy(descriptor + tid_, &tid, 4);
  std::uint64_t stack_size = stack.high - stack.low;
  std::memcpy(descriptor + stack_, &stack.low, 8);
  std::memcpy(descriptor + stack_size_, &stack_size, 8);
  // Stack protector and pointer guard are the same for all threads of the process.
  std::uint64_t guards[2];
  asm("movq %%fs:0x28, %0\n\tmovq %%fs:0x30, %1" : "=r"(guards[0]), "=r"(guards[1]));
  std::memcpy(descriptor + 0x28, guards, sizeof guards);
  variables_.give(at);
  return at;
}

void ThreadDescriptors::set_cleanup_buffer(std::uint64_t descriptor, void* buffer) {
  std::memcpy(reinterpret_cast<unsigned char*>(descriptor) + cleanup_buffer_, &buffer,
              sizeof buffer);
}

ThreadDescriptors& thread_descriptors() {
  static auto* all = new ThreadDescriptors;
  return *all;
}

}  // namespace rff
