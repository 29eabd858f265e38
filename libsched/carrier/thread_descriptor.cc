#include "libsched/carrier/thread_descriptor.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstring>

#include "libsched/support/panic.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

// Unusual numbers, so that the fields that hold them are found by value.
constexpr std::uint64_t kProbeStackSize = 0x4b000;

template <typename Function>
void look_up(Function& f, const char* name) {
  f = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void* ThreadDescriptors::inspect(void* self) {
  auto& d = *static_cast<ThreadDescriptors*>(self);
  d.pattern_at_ = static_cast<std::uint64_t>(pthread_self());
  std::memcpy(d.pattern_, reinterpret_cast<const void*>(d.pattern_at_), d.bytes_);
  auto tid = static_cast<std::uint32_t>(real::syscall6(SYS_gettid));
  auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  // Past the header that the processor's ABI fixes (tcb, dtv, self, guards).
  for (std::uint32_t at = 0x80; at + 8 <= d.bytes_; at += 4) {
    std::uint32_t small = 0;
    std::memcpy(&small, d.pattern_ + at, 4);
    if (d.tid_ == 0 && small == tid) {
      d.tid_ = at;
    }
    if (at % 8 != 0) {
      continue;
    }
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
  return nullptr;
}

const char* ThreadDescriptors::prepare() {
  const std::uint32_t* bytes = nullptr;
  void (*static_info)(std::size_t*, std::size_t*) = nullptr;
  look_up(bytes, "_thread_db_sizeof_pthread");
  look_up(static_info, "_dl_get_tls_static_info");
  look_up(allocate_tls_, "_dl_allocate_tls");
  look_up(deallocate_tls_, "_dl_deallocate_tls");
  look_up(ctype_init_, "__ctype_init");
  look_up(call_tls_dtors_, "__call_tls_dtors");
  if (bytes == nullptr || static_info == nullptr || allocate_tls_ == nullptr ||
      deallocate_tls_ == nullptr || ctype_init_ == nullptr || call_tls_dtors_ == nullptr ||
      *bytes > kMostBytes) {
    return "unknown C library";
  }
  bytes_ = *bytes;
  static_info(&static_tls_bytes_, &static_tls_align_);
  void* stack =
      mmap(nullptr, kProbeStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) {
    return "no memory";
  }
  inspected_stack_ = reinterpret_cast<std::uint64_t>(stack);
  inspected_stack_size_ = kProbeStackSize;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, kProbeStackSize);
  pthread_t thread;
  int error = RFF_REAL(pthread_create)(&thread, &attributes, inspect, this);
  pthread_attr_destroy(&attributes);
  if (error == 0) {
    RFF_REAL(pthread_join)(thread, nullptr);
  }
  munmap(stack, kProbeStackSize);
  if (error != 0 || tid_ == 0 || stack_ == 0 || stack_size_ == 0 || cleanup_buffer_ == 0) {
    return "unknown layout of the C library's thread descriptor";
  }
  return nullptr;
}

// Descriptors are what programs see as pthread_t: their addresses must not depend on what else the
// runtime allocates.
unsigned char* ThreadDescriptors::take_block(std::size_t bytes) {
  constexpr long kPlace = 0x0c0000000000;
  constexpr std::size_t kRegion = std::size_t{64} << 20;
  if (!free_blocks_.empty()) {
    unsigned char* block = free_blocks_.back();
    free_blocks_.pop_back();
    return block;
  }
  if (next_block_ == nullptr || next_block_ + bytes > end_of_blocks_) {
    long place = next_block_ == nullptr ? kPlace : reinterpret_cast<long>(end_of_blocks_);
    long region = real::syscall6(SYS_mmap, place, kRegion, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    RFF_CHECK(region > 0);
    next_block_ = reinterpret_cast<unsigned char*>(region);
    end_of_blocks_ = next_block_ + kRegion;
  }
  unsigned char* block = next_block_;
  next_block_ += bytes;
  return block;
}

ThreadDescriptors::Descriptor ThreadDescriptors::create(std::uint32_t tid, std::uint64_t stack,
                                                        std::uint64_t stack_size) {
  std::size_t whole = static_tls_bytes_ + bytes_ + 2 * static_tls_align_;
  unsigned char* block = take_block((whole + 63) & ~std::size_t{63});
  std::memset(block, 0, whole);
  auto end = reinterpret_cast<std::uint64_t>(block) + whole - bytes_;
  std::uint64_t at = end & ~static_cast<std::uint64_t>(static_tls_align_ - 1);
  auto* descriptor = reinterpret_cast<unsigned char*>(at);
  std::memcpy(descriptor, pattern_, bytes_);
  for (std::uint32_t i = 0; i + 8 <= bytes_; i += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, descriptor + i, 8);
    if (value >= pattern_at_ && value < pattern_at_ + bytes_) {
      value = value - pattern_at_ + at;
      std::memcpy(descriptor + i, &value, 8);
    }
  }
  std::memcpy(descriptor + tid_, &tid, 4);
  std::memcpy(descriptor + stack_, &stack, 8);
  std::memcpy(descriptor + stack_size_, &stack_size, 8);
  // Stack protector and pointer guard are the process's.
  auto* mine = reinterpret_cast<const unsigned char*>(pthread_self());
  std::memcpy(descriptor + 0x28, mine + 0x28, 16);
  RFF_CHECK(allocate_tls_(descriptor) == descriptor);
  return {block, at};
}

void ThreadDescriptors::destroy(const Descriptor& d) {
  deallocate_tls_(reinterpret_cast<void*>(d.fs_base), false);
  free_blocks_.push_back(d.block);
}

void ThreadDescriptors::set_cleanup_buffer(const Descriptor& d, void* buffer) {
  std::memcpy(reinterpret_cast<unsigned char*>(d.fs_base) + cleanup_buffer_, &buffer,
              sizeof buffer);
}

}  // namespace rff
