// The event sequence that the stepping oracle and the recording runtime both write, in one format.
// The first line describes the alignment of the stack. Each other line is one access, with
// addresses that do not depend on where module, stack and heap lie; but a function that aligns its
// frame to vectors leaves a gap that depends on the stack's alignment.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_stack_end;

namespace rff::test {

struct Access {
  std::uint64_t site;  // module offset
  std::uint64_t address;
  std::uint64_t size;
  // r read, w write, m read-modify-write, S system call, T time stamp, D random number, P processor;
  // x (only when stepping): a return, after which the stack begins at `address`
  char kind;
};

// It is async-signal-safe: memory is reserved in advance.
class AccessLog {
 public:
  static constexpr std::size_t kMost = 4U << 20;
  static constexpr std::uint64_t kLargestAlignment = 64;

  void open() {
    events_ = static_cast<Access*>(mmap(nullptr, kMost * sizeof(Access), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    heap_ = reinterpret_cast<std::uint64_t>(sbrk(0));
    stack_ = reinterpret_cast<std::uint64_t>(__libc_stack_end);
    dl_iterate_phdr(&AccessLog::find_executable, this);
  }
  __attribute__((target("general-regs-only"))) void add(std::uint64_t site, char kind,
                                                        std::uint64_t address, std::uint64_t size) {
    if (count_ < kMost) {
      events_[count_++] = {site, address, size, kind};
    }
  }
  // Return the range [begin, end) of the executable's code, at run time.
  std::uint64_t code_begin() const { return code_begin_; }
  std::uint64_t code_end() const { return code_end_; }
  std::uint64_t bias() const { return bias_; }

  void write(const char* path) {
    FILE* out = std::fopen(path, "we");
    if (out == nullptr) {
      return;
    }
    std::fprintf(out, "stack %llu\n", static_cast<unsigned long long>(stack_ % kLargestAlignment));
    char place[40];
    for (std::size_t i = 0; i < count_; ++i) {
      const Access& event = events_[i];
      name(event.address, place);
      std::fprintf(out, "%llx %c %s %llu\n", static_cast<unsigned long long>(event.site),
                   event.kind, place, static_cast<unsigned long long>(event.size));
    }
    std::fclose(out);
  }

 private:
  static int find_executable(dl_phdr_info* info, std::size_t, void* self) {
    auto* log = static_cast<AccessLog*>(self);
    log->bias_ = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info->dlpi_phdr[i];
      if (header.p_type == PT_LOAD && log->module_begin_ == 0) {
        log->module_begin_ = info->dlpi_addr + header.p_vaddr;
      }
      if (header.p_type == PT_LOAD) {
        log->module_end_ = info->dlpi_addr + header.p_vaddr + header.p_memsz;
      }
      if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0 && log->code_begin_ == 0) {
        log->code_begin_ = info->dlpi_addr + header.p_vaddr;
        log->code_end_ = log->code_begin_ + header.p_memsz;
      }
    }
    return 1;  // the executable comes first
  }

  void name(std::uint64_t address, char* out) const {
    constexpr std::uint64_t kHeap = 1U << 20;
    constexpr std::uint64_t kStack = 8U << 20;
    const char* where = "@";
    std::uint64_t base = 0;
    if (address - module_begin_ < module_end_ - module_begin_) {
      where = "module+";
      base = bias_;
    } else if (address - (stack_ - kStack) < kStack + 4096) {
      where = "stack+";
      base = stack_ - kStack;
    } else if (address - heap_ < kHeap) {
      where = "heap+";
      base = heap_;
    } else if (address > 0xffff) {
      where = "elsewhere";  // libraries and mappings, which a larger executable may move
      address = 0;
    }
    std::snprintf(out, 40, "%s%llx", where, static_cast<unsigned long long>(address - base));
  }

  Access* events_ = nullptr;
  std::size_t count_ = 0;
  std::uint64_t bias_ = 0, module_begin_ = 0, module_end_ = 0, code_begin_ = 0, code_end_ = 0;
  std::uint64_t heap_ = 0, stack_ = 0;
};

}  // namespace rff::test
