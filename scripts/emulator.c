/* binfmt_misc interpreter (flag P) for x86_64 programs on other hosts: QEMU's user-mode emulator
 * with every CPU feature it has, and argv[0] as the caller gave it. Without this wrapper the choice
 * of CPU would have to travel in the environment of the program under test. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) return 127;
  char** args = calloc(argc + 4, sizeof *args);
  if (!args) return 127;
  int n = 0;
  args[n++] = "qemu-x86_64-static";
  args[n++] = "-cpu";
  args[n++] = "max";
  args[n++] = "-0";
  args[n++] = argv[2];
  args[n++] = argv[1];
  for (int i = 3; i < argc; i++) args[n++] = argv[i];
  execv("/usr/bin/qemu-x86_64-static", args);
  perror("rff-x86_64-emulator");
  return 127;
}
