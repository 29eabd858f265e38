// Functions that execute a program in place of this one. Before its first thread a program may
// execute itself again, with other arguments or another environment: the runtime follows it. No
// other program that it executes would be under control.
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "libsched/interpose/interpose.h"
#include "libsched/support/instruction_traps.h"
#include "libsched/support/runtime_stack.h"

namespace rff {
namespace {

bool can_execute(const char* path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

// Returns the path that execvp would find; empty if there is none.
std::string found_on_path(const char* file) {
  if (std::strchr(file, '/') != nullptr) {
    return file;
  }
  const char* folders = std::getenv("PATH");
  for (const char* at = folders != nullptr ? folders : "/bin:/usr/bin"; *at != 0;) {
    std::size_t length = std::strcspn(at, ":");
    std::string path = std::string(at, length) + (length == 0 ? "./" : "/") + file;
    if (can_execute(path.c_str())) {
      return path;
    }
    at += length + (at[length] == ':' ? 1 : 0);
  }
  return {};
}

bool is_own_file(const char* path) {
  struct stat own;
  struct stat there;
  return stat("/proc/self/exe", &own) == 0 && stat(path, &there) == 0 &&
         own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

// Returns if the runtime has nothing to do: the call will fail, or a child makes it.
void before_exec(const char* path, char* const words[], char* const environment[]) {
  if (!controlled() || path == nullptr || !can_execute(path)) {
    return;
  }
  if (!runtime->run.before_first_thread()) {
    runtime->process.unmodelled("exec: a run ends where the program executes another");
    _exit(0);
  }
  if (!is_own_file(path)) {
    panic("it executes another program before its first thread; fuzz that one: ", path);
  }
  if (runtime->run.begun()) {
    panic("it makes processes or changes files before it executes itself; ",
          "fuzz it with the arguments that it gives itself");
  }
  on_runtime_stack([&] { runtime->process.execute_itself(words, environment); });
}

void before_search(const char* file, char* const words[], char* const environment[]) {
  if (controlled() && file != nullptr) {
    before_exec(found_on_path(file).c_str(), words, environment);
  }
}

// Returns the number of arguments in a list that ends with a null pointer, including that one.
std::size_t length(const char* first, va_list list) {
  std::size_t n = 1;
  for (const char* word = first; word != nullptr; ++n) {
    word = va_arg(list, const char*);
  }
  return n;
}

// `words`: the arguments, on the stack, since children of the program run this code too.
#define RFF_LISTED(first)                                                      \
  va_list rest;                                                                \
  va_start(rest, first);                                                       \
  std::size_t count = length(first, rest);                                     \
  va_end(rest);                                                                \
  auto** words = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
  va_start(rest, first);                                                       \
  words[0] = const_cast<char*>(first);                                         \
  for (std::size_t i = 1; i < count; ++i) {                                    \
    words[i] = va_arg(rest, char*);                                            \
  }

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int execve(const char* path, char* const words[], char* const environment[]) noexcept {
  before_exec(path, words, environment);
  instruction_traps::Suspended guard;
  return RFF_REAL(execve)(path, words, environment);
}

RFF_EXPORT int execv(const char* path, char* const words[]) noexcept {
  return execve(path, words, environ);
}

RFF_EXPORT int execvpe(const char* file, char* const words[], char* const environment[]) noexcept {
  before_search(file, words, environment);
  instruction_traps::Suspended guard;
  return RFF_REAL(execvpe)(file, words, environment);
}

RFF_EXPORT int execvp(const char* file, char* const words[]) noexcept {
  return execvpe(file, words, environ);
}

RFF_EXPORT int fexecve(int fd, char* const words[], char* const environment[]) noexcept {
  if (controlled()) {
    before_exec(("/proc/self/fd/" + std::to_string(fd)).c_str(), words, environment);
  }
  instruction_traps::Suspended guard;
  return RFF_REAL(fexecve)(fd, words, environment);
}

RFF_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  RFF_LISTED(first)
  va_end(rest);
  return execve(path, words, environ);
}

RFF_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  RFF_LISTED(first)
  va_end(rest);
  return execvpe(file, words, environ);
}

RFF_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  RFF_LISTED(first)
  char** environment = va_arg(rest, char**);
  va_end(rest);
  return execve(path, words, environment);
}
