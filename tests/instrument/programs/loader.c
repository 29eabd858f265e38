// Loads a library, tells the runtime (if there is one that wants to know), and calls into it.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) return 3;
  void (*loaded)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "test_runtime_fill_slots");
  if (loaded) loaded();
  long (*plugin)(long) = (long (*)(long))dlsym(library, "Plugin");
  printf("%ld\n", plugin(100));
  return 0;
}
