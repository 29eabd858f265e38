// The child process that runs a property. Parent and child share the input and the log of the run;
// one byte over a socket starts a run, one byte back ends it.
#include "property/executor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct rff_shared_run {
  struct rff_run_log log;
  size_t size;
  unsigned char input[RFF_MOST_INPUT];
};

int rff_executor_open(struct rff_executor* executor, const struct rff_property_entry* entry,
                      int seconds) {
  void* shared = mmap(NULL, sizeof(struct rff_shared_run), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    return errno;
  }
  *executor = (struct rff_executor){entry, seconds, 0, 0, -1, shared};
  return 0;
}

// Returns the status of the child that has ended or is made to end.
static int end_child(struct rff_executor* executor, int kill_it) {
  int status = 0;
  if (kill_it) {
    kill(executor->child, SIGKILL);
  }
  close(executor->channel);
  while (waitpid(executor->child, &status, 0) < 0 && errno == EINTR) {
  }
  executor->child = 0;
  return status;
}

void rff_executor_restart(struct rff_executor* executor, int silent) {
  if (executor->child != 0) {
    end_child(executor, 1);
  }
  executor->silent = silent;
}

void rff_executor_close(struct rff_executor* executor) {
  rff_executor_restart(executor, 0);
  munmap(executor->shared, sizeof(struct rff_shared_run));
}

static void fail_in_child(void) {
  fflush(NULL);
  _exit(1);
}

static void silence(void) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
}

__attribute__((noreturn)) static void serve(struct rff_executor* executor, int channel) {
  struct rff_shared_run* shared = executor->shared;
  char byte;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (executor->silent) {
    silence();
  }
  while (recv(channel, &byte, 1, 0) == 1) {
    byte = (char)rff_run_here(executor->entry, shared->input, shared->size, &shared->log,
                              fail_in_child);
    fflush(NULL);
    send(channel, &byte, 1, MSG_NOSIGNAL);
  }
  _exit(0);
}

static void start_child(struct rff_executor* executor) {
  int ends[2];
  fflush(NULL);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
    executor->child = fork();
    if (executor->child == 0) {
      close(ends[0]);
      serve(executor, ends[1]);
    }
    executor->channel = ends[0];
    close(ends[1]);
  }
  if (executor->child <= 0) {
    fprintf(stderr, "cannot start a process for the property %s: %s\n", executor->entry->name,
            strerror(errno));
    exit(2);
  }
}

// Returns 1 with the child's answer, 0 if the child ended, -1 if it took too long.
static int wait_for_answer(struct rff_executor* executor, char* answer) {
  struct pollfd channel = {executor->channel, POLLIN, 0};
  int ready;
  do {
    ready = poll(&channel, 1, executor->seconds > 0 ? executor->seconds * 1000 : -1);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    // A process that the property started may hold the channel of a child that ended.
    siginfo_t ended = {0};
    waitid(P_PID, (id_t)executor->child, &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid == 0 ? -1 : 0;
  }
  return recv(executor->channel, answer, 1, 0) == 1;
}

static void judge_end(struct rff_executor* executor, int in_time, struct rff_verdict* verdict) {
  const struct rff_run_log* log = &executor->shared->log;
  int status = end_child(executor, !in_time);
  if (log->discarded) {
    verdict->kind = RFF_RUN_DISCARDED;  // whatever came after the assumption that failed
  } else if (log->failed) {
    verdict->kind = RFF_RUN_CHECK_FAILED;
    verdict->line = log->line;
    memcpy(verdict->file, log->file, sizeof verdict->file);
    memcpy(verdict->message, log->message, sizeof verdict->message);
  } else if (!in_time) {
    verdict->kind = RFF_RUN_HANGS;
    verdict->code = executor->seconds;
  } else if (WIFSIGNALED(status)) {
    verdict->kind = RFF_RUN_CRASHED;
    verdict->code = WTERMSIG(status);
  } else {
    verdict->kind = RFF_RUN_EXITED;
    verdict->code = WEXITSTATUS(status);
  }
}

void rff_executor_run(struct rff_executor* executor, const unsigned char* data, size_t size,
                      struct rff_verdict* verdict) {
  struct rff_shared_run* shared = executor->shared;
  char byte = 0;
  if (executor->child == 0) {
    start_child(executor);
  }
  if (size > 0) {
    memcpy(shared->input, data, size);
  }
  shared->size = size;
  memset(&shared->log, 0, offsetof(struct rff_run_log, values) + 1);
  verdict->code = verdict->line = 0;
  verdict->file[0] = verdict->message[0] = 0;
  // A child that a thread of an earlier run has ended meanwhile takes no byte and is judged so.
  send(executor->channel, &byte, 1, MSG_NOSIGNAL);
  int answered = wait_for_answer(executor, &byte);
  if (answered == 1) {
    verdict->kind = byte == RFF_DISCARDED ? RFF_RUN_DISCARDED : RFF_RUN_PASSED;
  } else {
    judge_end(executor, answered == 0, verdict);
  }
  shared->log.values[RFF_MOST_VALUES - 1] = 0;
  memcpy(verdict->values, shared->log.values, strlen(shared->log.values) + 1);
}

int rff_same_failure(const struct rff_verdict* a, const struct rff_verdict* b) {
  return a->kind == b->kind && a->code == b->code && a->line == b->line &&
         strcmp(a->file, b->file) == 0;
}
