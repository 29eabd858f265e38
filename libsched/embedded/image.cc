#include "libsched/embedded/image.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdint>
#include <cstring>

#include "libsched/support/arena.h"
#include "libsched/support/check.h"
#include "libsched/support/real.h"

// The beginning of this library.
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

namespace rff {

void RuntimeImage::add(void* place, std::size_t bytes) {
  if (bytes > 0) {
    RFF_CHECK(count_ < kMostParts);
    parts_[count_++] = {static_cast<char*>(place), bytes};
  }
}

void RuntimeImage::save() {
  count_ = 0;
  auto own = reinterpret_cast<std::uint64_t>(&__ehdr_start);
  auto* headers = reinterpret_cast<const Elf64_Phdr*>(own + __ehdr_start.e_phoff);
  for (int i = 0; i < __ehdr_start.e_phnum; ++i) {
    if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_W) != 0) {
      add(reinterpret_cast<void*>(own + headers[i].p_vaddr), headers[i].p_memsz);
    }
  }
  for (const MemorySpan& span : memory_before_runs()) {
    add(span.begin, span.bytes);
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    bytes += parts_[i].bytes;
  }
  if (bytes > room_) {
    if (room_ > 0) {
      real::syscall6(SYS_munmap, reinterpret_cast<long>(copies_), static_cast<long>(room_));
    }
    long at = real::syscall6(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0) {
      panic("out of memory");
    }
    copies_ = reinterpret_cast<char*>(at);
    room_ = bytes;
  }
  char* copy = copies_;
  for (std::size_t i = 0; i < count_; ++i) {
    parts_[i].copy = copy;
    copy += parts_[i].bytes;
  }
  // This object is part of what is copied: it is complete now.
  for (std::size_t i = 0; i < count_; ++i) {
    std::memcpy(parts_[i].copy, parts_[i].place, parts_[i].bytes);
  }
}

void RuntimeImage::restore() const {
  for (std::size_t i = 0; i < count_; ++i) {
    std::memcpy(parts_[i].place, parts_[i].copy, parts_[i].bytes);
  }
}

}  // namespace rff
