// librff_place.so: starts the program a second time in its process, with every part of it at a
// fixed address. The kernel's own switch for that, personality(2), is forbidden in containers.
//
// rff-launch names it in LD_AUDIT, so the loader calls it before it maps any library. By then the
// kernel has created the process (its name, /proc/self/exe, its credentials), and nothing of the
// program has run. The vDSO is left out: the runtime emulates time itself, and some kernels do not
// allow moving it.
#include <asm/prctl.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "libsched/process/launcher/elf_image.h"
#include "libsched/process/launcher/first_stack.h"
#include "libsched/process/launcher/placement.h"
#include "libsched/process/launcher/raw.h"
#include "libsched/process/launcher/sealed.h"
#include "schedule/shared_memory.h"

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

namespace rff::placement {

void fail(long shared, const char* cause, const char* remedy) {
  char line[sizeof SharedMemory::panic];
  char* end = line;
  for (const char* part : {"its addresses cannot be fixed: ", cause, "; ", remedy}) {
    end = copy(end, part, length(part));
  }
  *end = 0;
  long memory = real::syscall6(SYS_mmap, 0, sizeof(SharedMemory), PROT_READ | PROT_WRITE,
                               MAP_SHARED, shared, 0);
  if (memory > 0) {
    copy(reinterpret_cast<SharedMemory*>(memory)->panic.text, line, sizeof line);
  }
  *end++ = '\n';
  constexpr char kSubject[] = "rff-launch: the program cannot be run: ";
  real::syscall6(SYS_write, 2, as_long(kSubject), sizeof kSubject - 1);
  real::syscall6(SYS_write, 2, as_long(line), end - line);
  for (;;) {
    real::syscall6(SYS_exit_group, 3);
  }
}

namespace {

// The remaining work once nothing of the first start is needed.
struct Rest {
  long shared;
  std::uint64_t program_begin, program_end, loader_begin, entry;
  prctl_mm_map process;
  rlimit stack;
  bool debugged;
};

// Reserves all other addresses, so that the kernel's search for room always begins right below the
// loader.
void reserve_all_else(const Rest& rest) {
  unmap(0, rest.program_begin);
  unmap(rest.program_end, rest.loader_begin);
  if (map(kWindowEnd, kAddressesEnd - kWindowEnd, PROT_NONE, kReserve | MAP_FIXED) < 0 &&
      !reserve_around_sealed(kWindowEnd, kAddressesEnd)) {
    fail(rest.shared, "no address space can be reserved", "lift limits of memory");
  }
  long probe = map(0, kPage, PROT_NONE, kReserve);
  if (probe != static_cast<long>(rest.loader_begin - kPage)) {
    fail(rest.shared, "the kernel maps memory upwards", "set the sysctl vm.legacy_va_layout to 0");
  }
  unmap(static_cast<std::uint64_t>(probe), static_cast<std::uint64_t>(probe) + kPage);
}

// If the kernel cannot set it, the heap would begin at a random address. Then there is none, and
// the C library maps memory instead.
void place_heap(const Rest& rest) {
  if (real::syscall6(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, as_long(&rest.process),
                     sizeof rest.process) == 0) {
    return;
  }
  if (rest.debugged) {
    fail(rest.shared, "gdb would look for it elsewhere, since prctl(PR_SET_MM) is refused",
         "allow that call");
  }
  auto end = static_cast<std::uint64_t>(real::syscall6(SYS_brk, 0));
  map(page_up(end), kPage, PROT_NONE, kReserve | MAP_FIXED_NOREPLACE);
}

// Jumps to the entry point with registers as in a new process.
[[noreturn]] void jump(std::uint64_t entry) {
  register long flags asm("r10") = kReserve | MAP_PRIVATE | MAP_FIXED;
  register long file asm("r8") = -1;
  register long offset asm("r9") = 0;
  register std::uint64_t to asm("r11") = 0;
  register std::uint64_t first asm("r12") = entry;
  asm volatile(
      "syscall\n\t"  // no stack is in use from here on
      "movq %%r12, %%r11\n\t"
      "movq %%rbx, %%rsp\n\t"
      "xorl %%eax, %%eax\n\t"
      "xorl %%ebx, %%ebx\n\t"
      "xorl %%ecx, %%ecx\n\t"
      "xorl %%edx, %%edx\n\t"
      "xorl %%esi, %%esi\n\t"
      "xorl %%edi, %%edi\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "xorl %%r8d, %%r8d\n\t"
      "xorl %%r9d, %%r9d\n\t"
      "xorl %%r10d, %%r10d\n\t"
      "xorl %%r12d, %%r12d\n\t"
      "xorl %%r13d, %%r13d\n\t"
      "xorl %%r14d, %%r14d\n\t"
      "xorl %%r15d, %%r15d\n\t"
      "jmp *%%r11"
      :
      : "a"(SYS_mmap), "D"(kScratch), "S"(kWindowEnd - kScratch), "d"(PROT_NONE), "r"(flags),
        "r"(file), "r"(offset), "r"(to), "r"(first), "b"(kStack)
      : "memory");
  __builtin_unreachable();
}

// Runs in the copy at kOwnCode, on its own stack: nothing that the loader had mapped is left.
[[noreturn]] void finish(const Rest* rest) {
  reserve_all_else(*rest);
  place_heap(*rest);
  real::syscall6(SYS_arch_prctl, ARCH_SET_FS, 0);
  real::syscall6(SYS_prlimit64, 0, RLIMIT_STACK, as_long(&rest->stack));
  real::syscall6(SYS_close, rest->shared);
  if (rest->debugged) {
    // The debugger, which counts starting programs, sees this one start here.
    const std::uint64_t none = 0;
    real::syscall6(SYS_rt_sigprocmask, SIG_SETMASK, as_long(&none), 0, sizeof none);
  }
  jump(rest->entry);
}

long open_file(const char* path, int mode = O_RDONLY) {
  return real::syscall6(SYS_openat, AT_FDCWD, as_long(path), mode | O_CLOEXEC);
}

std::uint64_t number(const char* digits) {
  std::uint64_t value = 0;
  for (; *digits >= '0' && *digits <= '9'; ++digits) {
    value = 10 * value + static_cast<std::uint64_t>(*digits - '0');
  }
  return value;
}

// Returns whether the loader has registered a word for the kernel to write to (rseq), which it does
// unless disabled.
bool kernel_writes_to_us() {
  alignas(32) static char area[32];
  constexpr long kSignature = 0x53053053;
  constexpr long kUnregister = 1;
  long result = real::syscall6(SYS_rseq, as_long(area), sizeof area, 0, kSignature);
  if (result == 0) {
    real::syscall6(SYS_rseq, as_long(area), sizeof area, kUnregister, kSignature);
  }
  return result == -EBUSY || result == -EINVAL;  // a filter may refuse it altogether
}

// All parts of the second start, in their places.
class Placement {
 public:
  Placement(int argc, char** argv, char** environment) : stack_(argc, argv, environment) {}

  [[noreturn]] void run() {
    const char* shared = stack_.variable("RFF_SHARED=");
    rest_.shared = shared == nullptr ? -1 : open_file(shared, O_RDWR);
    if (kernel_writes_to_us()) {
      fail(rest_.shared, "the loader registers restartable sequences although asked not to",
           "use another C library");
    }
    if (map(kWindow, kWindowEnd - kWindow, PROT_NONE, kReserve | MAP_FIXED_NOREPLACE) !=
        static_cast<long>(kWindow)) {
      fail(rest_.shared, "there is no room for it at 0x6f00c0000000",
           "lift the limit of address space (ulimit -v unlimited)");
    }
    map_program();
    map_loader();
    map_stack();
    describe();
    leave();
  }

 private:
  void map_program() {
    long file = open_file("/proc/self/exe");
    if (!program_.read(file)) {
      fail(rest_.shared, "its file cannot be read", "make it readable and mount /proc");
    }
    std::uint64_t place = program_.bytes() <= kMostProgram
                              ? kWindow
                              : (kWindow - program_.bytes()) & ~(program_.alignment() - 1);
    const Elf64_Phdr* interpreter = program_.find(PT_INTERP);
    if (interpreter == nullptr || !program_.map_at(place)) {
      fail(rest_.shared, "it is no program that the loader starts",
           "give the program itself, linked dynamically");
    }
    char path[256] = {};
    real::syscall6(SYS_pread64, file, as_long(path), sizeof path - 1,
                   static_cast<long>(interpreter->p_offset));
    real::syscall6(SYS_close, file);
    loader_file_ = open_file(path);
  }

  void map_loader() {
    bool known = loader_.read(loader_file_);
    std::uint64_t place = (kOwnCode - loader_.bytes()) & ~(loader_.alignment() - 1);
    if (!known || loader_.fixed() || !loader_.map_at(place)) {
      fail(rest_.shared, "its loader cannot be read", "make it readable");
    }
    real::syscall6(SYS_close, loader_file_);
  }

  void map_stack() {
    real::syscall6(SYS_prlimit64, 0, RLIMIT_STACK, 0, as_long(&rest_.stack));
    if (const char* limit = stack_.variable(kStackLimit)) {
      rest_.stack.rlim_cur = number(limit);
    }
    constexpr std::uint64_t kLeast = 128 << 10;
    std::uint64_t bytes = rest_.stack.rlim_cur;
    bytes = bytes < kLeast ? kLeast : bytes < kStack - kStackRoom ? bytes : kStack - kStackRoom;
    const Elf64_Phdr* flags = program_.find(PT_GNU_STACK);
    if (!stack_.map_at_place(page_down(bytes), flags == nullptr || (flags->p_flags & PF_X) != 0)) {
      fail(rest_.shared, "there is no room for arguments and environment", "make them shorter");
    }
    const FirstStack::Entry changed[] = {{AT_PHDR, program_.program_headers()},
                                         {AT_PHNUM, program_.program_header_count()},
                                         {AT_BASE, loader_.begin()},
                                         {AT_ENTRY, program_.entry()}};
    stack_.lay(changed, sizeof changed / sizeof changed[0]);
  }

  void describe() {
    ElfImage::Span code = program_.segments(PF_X);
    ElfImage::Span data = program_.segments(PF_W);
    std::uint64_t heap = program_.begin() == kWindow ? program_.end() : kWindow;
    rest_.process = {.start_code = code.begin,
                     .end_code = code.end,
                     .start_data = data.begin,
                     .end_data = data.end,
                     .start_brk = heap,
                     .brk = heap,
                     .start_stack = kStack,
                     .arg_start = stack_.arguments.begin,
                     .arg_end = stack_.arguments.end,
                     .env_start = stack_.variables.begin,
                     .env_end = stack_.variables.end,
                     .auxv = reinterpret_cast<__u64*>(stack_.vector),
                     .auxv_size = static_cast<__u32>(stack_.vector_bytes),
                     .exe_fd = ~0U};
    rest_.program_begin = program_.begin();
    rest_.program_end = program_.end();
    rest_.loader_begin = loader_.begin();
    rest_.entry = loader_.entry();
    rest_.debugged = stack_.variable("RFF_DEBUGGED=") != nullptr;
  }

  // Continues in the copy of this code that stays mapped.
  [[noreturn]] void leave() {
    auto own = reinterpret_cast<std::uint64_t>(&__ehdr_start);
    auto* code = reinterpret_cast<const Elf64_Phdr*>(own + __ehdr_start.e_phoff);
    long file = open_file(stack_.variable(kFirstStart));
    if (map(kOwnCode, page_up(code->p_filesz), PROT_READ | PROT_EXEC, MAP_FIXED, file) < 0 ||
        map(kScratch, kWindowEnd - kScratch, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_FIXED) <
            0) {
      fail(rest_.shared, "librff_place.so cannot be mapped", "reinstall RFF");
    }
    real::syscall6(SYS_close, file);
    auto* rest = reinterpret_cast<Rest*>(kScratch);
    copy(reinterpret_cast<char*>(rest), &rest_, sizeof rest_);
    std::uint64_t next = reinterpret_cast<std::uint64_t>(&finish) - own + kOwnCode;
    asm volatile(
        "movq %[stack], %%rsp\n\t"
        "xorl %%ebp, %%ebp\n\t"
        "call *%[next]"
        :
        : [stack] "r"(kWindowEnd), [next] "r"(next), "D"(rest)
        : "memory");
    __builtin_unreachable();
  }

  FirstStack stack_;
  ElfImage program_, loader_;
  long loader_file_ = -1;
  Rest rest_;
};

}  // namespace
}  // namespace rff::placement

// Called by the loader with the arguments of main.
extern "C" void rff_place(int argc, char** argv, char** environment) {
  using namespace rff::placement;
  Placement placement(argc, argv, environment);
  placement.run();
}
