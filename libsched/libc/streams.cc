#include "libsched/libc/streams.h"

#include <sys/mman.h>

#include "libsched/support/real.h"
#include "libsched/support/runtime_stack.h"
#include "libsched/support/words.h"

namespace rff::streams {

FILE** list = nullptr;

namespace {

// Indices in the C library's stream function tables of those functions through which every stream
// on a descriptor reads and writes. Unchanged since glibc 2.0.
constexpr std::size_t kReadEntry = 14;
constexpr std::size_t kWriteEntry = 15;

// An entry of both tables, for streams of bytes and of wide characters; null if there are none or
// they differ.
struct Entries {
  void** narrow = nullptr;
  void** wide = nullptr;
};

Entries find_entries(std::size_t index) {
  auto* narrow = static_cast<void**>(real::lookup(RTLD_DEFAULT, "_IO_file_jumps"));
  auto* wide = static_cast<void**>(real::lookup(RTLD_DEFAULT, "_IO_wfile_jumps"));
  if (narrow == nullptr || wide == nullptr || narrow[index] != wide[index] ||
      narrow[index] == nullptr) {
    return {};
  }
  return {narrow + index, wide + index};
}

// Makes the table writable for a moment: the loader has made it read-only.
bool replace(void** entry, void* function) {
  auto at = reinterpret_cast<std::uint64_t>(entry);
  auto page = static_cast<long>(at & ~(kPage - 1));
  if (real::syscall6(SYS_mprotect, page, kPage, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  *entry = function;
  real::syscall6(SYS_mprotect, page, kPage, PROT_READ);
  return true;
}

// Returns false if there is no such entry; `before` gets what it was.
bool replace(std::size_t index, void* function, void** before) {
  Entries entries = find_entries(index);
  if (entries.narrow == nullptr) {
    return false;
  }
  *before = *entries.narrow;
  return replace(entries.narrow, function) && replace(entries.wide, function);
}

void* real_read = nullptr;
void* real_write = nullptr;

Tap current_tap = nullptr;

}  // namespace

extern "C" {
// Used by the assembly below.
__attribute__((visibility("hidden"))) void* rff_real_stream_write = nullptr;
__attribute__((visibility("hidden"))) long rff_own_stack_end = places::kRuntimeStackEnd;
__attribute__((visibility("hidden"))) std::uint64_t rff_stream_write_registers[10];
__attribute__((visibility("hidden"), used)) void rff_call_tap(const FILE* f, const void* from,
                                                              std::size_t bytes) {
  current_tap(f, from, bytes);
}
__attribute__((visibility("hidden"))) void rff_tapped_stream_write();
}

// Preserves all registers and the program's stack. Other threads are stopped meanwhile.
asm(R"(
  .pushsection .text
  .globl rff_tapped_stream_write
  .hidden rff_tapped_stream_write
  .type rff_tapped_stream_write, @function
rff_tapped_stream_write:
  movq %rax, rff_stream_write_registers(%rip)
  movq %rcx, rff_stream_write_registers+8(%rip)
  movq %rdx, rff_stream_write_registers+16(%rip)
  movq %rsi, rff_stream_write_registers+24(%rip)
  movq %rdi, rff_stream_write_registers+32(%rip)
  movq %r8, rff_stream_write_registers+40(%rip)
  movq %r9, rff_stream_write_registers+48(%rip)
  movq %r10, rff_stream_write_registers+56(%rip)
  movq %r11, rff_stream_write_registers+64(%rip)
  movq %rsp, rff_stream_write_registers+72(%rip)
  movq rff_own_stack_end(%rip), %rsp
  call rff_call_tap
  movq rff_stream_write_registers(%rip), %rax
  movq rff_stream_write_registers+8(%rip), %rcx
  movq rff_stream_write_registers+16(%rip), %rdx
  movq rff_stream_write_registers+24(%rip), %rsi
  movq rff_stream_write_registers+32(%rip), %rdi
  movq rff_stream_write_registers+40(%rip), %r8
  movq rff_stream_write_registers+48(%rip), %r9
  movq rff_stream_write_registers+56(%rip), %r10
  movq rff_stream_write_registers+64(%rip), %r11
  movq rff_stream_write_registers+72(%rip), %rsp
  jmp *rff_real_stream_write(%rip)
  .size rff_tapped_stream_write, . - rff_tapped_stream_write
  .popsection
)");

bool tap_writes(Tap tap) {
  current_tap = tap;
  return replace(kWriteEntry, reinterpret_cast<void*>(&rff_tapped_stream_write),
                 &rff_real_stream_write);
}

bool route(Read read, Write write) {
  return replace(kReadEntry, reinterpret_cast<void*>(read), &real_read) &&
         replace(kWriteEntry, reinterpret_cast<void*>(write), &real_write);
}

ssize_t read_really(FILE* stream, void* to, ssize_t bytes) {
  return reinterpret_cast<Read>(real_read)(stream, to, bytes);
}

ssize_t write_really(FILE* stream, const void* from, ssize_t bytes) {
  return reinterpret_cast<Write>(real_write)(stream, from, bytes);
}

ssize_t wrote(FILE* stream, ssize_t bytes) {
  constexpr int kErrorSeen = 0x20;
  if (bytes < 0) {
    stream->_flags |= kErrorSeen;
    return 0;
  }
  if (stream->_offset >= 0) {
    stream->_offset += bytes;
  }
  return bytes;
}

void tell_unwritten(Tap tap) {
  for (const FILE* f = list != nullptr ? *list : nullptr; f != nullptr; f = f->_chain) {
    if (f->_mode <= 0 && has_output(f)) {
      tap(f, f->_IO_write_base, static_cast<std::size_t>(f->_IO_write_ptr - f->_IO_write_base));
    }
  }
}

void find_list() { list = static_cast<FILE**>(real::lookup(RTLD_DEFAULT, "_IO_list_all")); }

bool all_at_rest() {
  if (list == nullptr) {
    return false;
  }
  for (const FILE* f = *list; f != nullptr; f = f->_chain) {
    bool wide = f->_mode > 0;
    if (wide || has_output(f) || f->_IO_read_ptr != f->_IO_read_end ||
        f->_IO_save_base != nullptr) {
      return false;
    }
  }
  return true;
}

}  // namespace rff::streams
