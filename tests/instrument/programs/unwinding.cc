// Prints its own stacks, as offsets in the executable: one called normally, one from a handler for
// SIGSEGV.
#include <execinfo.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
int marker;  // the test's runtime takes a backtrace when this is written
}

static sigjmp_buf recovery;
static int* volatile nowhere = nullptr;

static int FindBias(dl_phdr_info* info, std::size_t, void* out) {
  *static_cast<std::uintptr_t*>(out) = info->dlpi_addr;
  return 1;
}

static void PrintStack(const char* title) {
  void* frames[64];
  int count = backtrace(frames, 64);
  std::uintptr_t bias = 0;
  dl_iterate_phdr(FindBias, &bias);
  std::printf("%s", title);
  for (int i = 0; i < count; ++i) {
    std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(frames[i]) - bias;
    if (offset < 0x1000000) std::printf(" %lx", static_cast<unsigned long>(offset));
  }
  std::printf("\n");
}

// Realigned: user-mode emulators enter handlers with any stack alignment.
__attribute__((force_align_arg_pointer)) static void OnFault(int) {
  PrintStack("fault");
  siglongjmp(recovery, 1);
}

__attribute__((noinline)) static int Inner(int depth, long* values) {
  marker = depth;
  PrintStack("inner");
  values[depth] += 2;
  if (depth == 3) values[0] += *nowhere;
  return static_cast<int>(values[depth]);
}

__attribute__((noinline)) static int Middle(int depth) {
  long values[8] = {1, 2, 3, 4};
  int result = depth < 3 ? Middle(depth + 1) : Inner(depth, values);
  return result + static_cast<int>(values[depth]);
}

int main() {
  signal(SIGSEGV, OnFault);
  if (sigsetjmp(recovery, 1) == 0) {
    std::printf("%d\n", Middle(1));
  }
  std::puts("recovered");
}
