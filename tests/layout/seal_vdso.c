// An audit module that seals the vDSO, as some kernels do by themselves. Ends the process with
// status 77 where the kernel cannot seal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned la_version(unsigned version) { return version; }

__attribute__((constructor)) static void seal(void) {
  const long kSeal = 462;  // mseal, from Linux 6.10 on
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin = 0, end = 0;
    if ((strstr(line, "[vvar") != NULL || strstr(line, "[vdso]") != NULL) &&
        sscanf(line, "%lx-%lx", &begin, &end) == 2 && syscall(kSeal, begin, end - begin, 0) != 0) {
      _exit(77);
    }
  }
  fclose(maps);
}
