// Commands that the program runs and waits for. The C library would wait by itself and stop every
// thread meanwhile.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <cstring>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/children.h"
#include "libsched/support/instruction_traps.h"

namespace rff {
namespace {

struct Command {
  pid_t process = -1;
};
using Commands = Objects<Command>;  // by the stream that is connected to the command

// Starts the shell with one of its descriptors connected, or none if `from` is negative. Returns -1
// with errno set if that fails.
pid_t run_shell(const char* command, int from, int to) {
  touched_outside("a command");
  descriptions::shared_with_others();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (from >= 0) {
    posix_spawn_file_actions_adddup2(&actions, from, to);
  }
  char shell[] = "sh";
  char option[] = "-c";
  char* words[] = {shell, option, const_cast<char*>(command), nullptr};
  pid_t process = -1;
  instruction_traps::Suspended guard;
  int error = RFF_REAL(posix_spawn)(&process, "/bin/sh", &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  children::note(process);
  errno = error;
  return error == 0 ? process : -1;
}

int await_command(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) {
      return -1;
    }
  }
  return status;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int system(const char* command) {
  if (!watched() || command == nullptr) {
    instruction_traps::Suspended guard;
    return RFF_REAL(system)(command);
  }
  pid_t process = run_shell(command, -1, -1);
  constexpr int kNoShell = 127 << 8;
  return process < 0 ? kNoShell : await_command(process);
}

RFF_EXPORT FILE* popen(const char* command, const char* mode) {
  if (!controlled()) {
    return RFF_REAL(popen)(command, mode);
  }
  runtime->start_run();
  bool reads = std::strchr(mode, 'r') != nullptr;
  int ends[2];
  if (reads == (std::strchr(mode, 'w') != nullptr)) {
    errno = EINVAL;
    return nullptr;
  }
  if (RFF_REAL(pipe2)(ends, O_CLOEXEC) != 0) {  // the other end is the command's
    return nullptr;
  }
  int mine = reads ? ends[0] : ends[1];
  int its = reads ? ends[1] : ends[0];
  pid_t process = run_shell(command, its, reads ? STDOUT_FILENO : STDIN_FILENO);
  close(its);
  FILE* f = process < 0 ? nullptr : fdopen(mine, reads ? "r" : "w");
  if (f == nullptr) {
    close(mine);
    return nullptr;
  }
  if (std::strchr(mode, 'e') == nullptr) {
    fcntl(mine, F_SETFD, 0);
  }
  Commands::instance().at(f).process = process;
  return f;
}

RFF_EXPORT int pclose(FILE* f) {
  Command* command = controlled() ? Commands::instance().find(f) : nullptr;
  if (command == nullptr) {
    return RFF_REAL(pclose)(f);
  }
  pid_t process = command->process;
  Commands::instance().forget(f);
  fclose(f);
  return await_command(process);
}

// It may execute a shell.
RFF_EXPORT int wordexp(const char* words, wordexp_t* result, int flags) {
  instruction_traps::Suspended guard;
  return RFF_REAL(wordexp)(words, result, flags);
}
