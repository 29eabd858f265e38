// rff-with-input FILE PROG [ARGS…]: becomes PROG with FILE as its standard input (and
// RFF_LIBRARY_PATH as its library path).
//
// afl-fuzz gives its target a standard input of its own. The programs we run are to see the user's,
// and the very same one in the fork server as in a single run. AFL++ looks for the string
// "__AFL_SHM_ID" in what it starts.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
[[gnu::used]] extern const char rff_afl_marker[] = "__AFL_SHM_ID";
}

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: rff-with-input FILE PROG [ARGS...]   (used by rff-fuzz)\n");
    return 2;
  }
  int fd = ::open(argv[1], O_RDONLY);
  if (fd < 0 || ::dup2(fd, 0) != 0) {
    std::fprintf(stderr, "rff-with-input: cannot open %s: %s\n", argv[1], std::strerror(errno));
    return 2;
  }
  if (fd > 0) {
    ::close(fd);
  }
  // Set only here, so that afl-fuzz does not load the program's libraries.
  if (const char* path = std::getenv("RFF_LIBRARY_PATH")) {
    ::setenv("LD_LIBRARY_PATH", path, 1);
    ::unsetenv("RFF_LIBRARY_PATH");
  }
  ::execv(argv[2], argv + 2);
  std::fprintf(stderr, "rff-with-input: cannot start %s: %s\n", argv[2], std::strerror(errno));
  return 2;
}
