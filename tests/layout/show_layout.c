// Prints every mapping of the process, where its own things lie, and those variables that the
// loader reads. With an argument "long": a summary of the arguments in place of the mappings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int data = 1;

static void print_maps(void) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    fputs(line, stdout);
  }
  fclose(maps);
}

static void print_addresses(char** argv) {
  void* mapping = mmap(NULL, 3 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* low = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  const unsigned char* random = (const unsigned char*)getauxval(AT_RANDOM);
  printf(
      "code %p data %p heap %p large %p mapping %p low %p printf %p stack %p argument %p random %p "
      "%d\n",
      (void*)print_addresses, (void*)&data, malloc(1), malloc(1 << 20), mapping, low, (void*)printf,
      (void*)&mapping, (void*)argv[0], (const void*)random, random[0] + random[15]);
}

static void print_surroundings(int argc, char** argv) {
  unsigned long bytes = 0;
  for (int i = 1; i < argc; ++i) {
    bytes += strlen(argv[i]);
  }
  struct rlimit stack;
  getrlimit(RLIMIT_STACK, &stack);
  printf("%d arguments of %lu bytes, stack limit %ld, stack below argv %d\n", argc, bytes,
         (long)stack.rlim_cur, (void*)&stack < (void*)argv);
  for (const char* const* name = (const char* const[]){"LD_AUDIT", "GLIBC_TUNABLES", "LD_PRELOAD",
                                                       "RFF_PLACED", "RFF_LAUNCHER", NULL};
       *name != NULL; ++name) {
    printf("%s=%s\n", *name, getenv(*name) != NULL ? getenv(*name) : "");
  }
  char command[64] = "";
  FILE* file = fopen("/proc/self/cmdline", "r");
  printf("first word %s\n", fgets(command, sizeof command, file) != NULL ? command : "none");
  fclose(file);
  char path[4096] = "";
  printf("executable %s\n", readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? path : "none");
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "surroundings") == 0) {
    print_surroundings(argc, argv);
  } else {
    print_addresses(argv);
    print_maps();
  }
  return 0;
}
