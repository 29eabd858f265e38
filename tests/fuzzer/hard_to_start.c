// hard_to_start WAY: does to its process, before or after its first thread, what makes a program
// hard to run under a fuzzer. Its threads are correct.
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static const char* way;
static int is(const char* name) { return strcmp(way, name) == 0; }

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* work(void* unused) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void expect_few_files(void) {
  struct rlimit limit;
  assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 64);
  int last = open("/dev/null", O_RDONLY);
  for (int next = last; next >= 0; next = open("/dev/null", O_RDONLY)) {
    last = next;
  }
  assert(errno == EMFILE && last == 63);
}

// A child in a session of its own goes on.
static void detach(void) {
  if (fork() != 0) {
    _exit(0);
  }
  assert(setsid() == getpid());
}

// The child ends, and its child goes on; the first process waits until that one is ready.
static void detach_twice(void) {
  int ready[2];
  assert(pipe(ready) == 0);
  pid_t child = fork();
  if (child != 0) {
    char byte;
    assert(read(ready[0], &byte, 1) == 1);
    assert(waitpid(child, NULL, 0) == child);
    exit(0);
  }
  assert(setsid() == getpid());
  if (fork() != 0) {
    _exit(0);
  }
  assert(write(ready[1], "", 1) == 1);
}

// Executes itself once more. What it has put into its environment and left open is there again.
static void begin_again(char** words) {
  const char* left = getenv("LEFT_OPEN");
  if (left != NULL) {
    assert(fcntl(atoi(left), F_GETFD) == 0);
    assert(strcmp(words[2], "again") == 0);
    return;
  }
  int folder = open("/", O_RDONLY | O_DIRECTORY);
  char text[16];
  snprintf(text, sizeof text, "%d", folder);
  setenv("LEFT_OPEN", text, 1);
  const char* program = is("executes its name") ? words[0] : "/proc/self/exe";
  execl(program, words[0], words[1], "again", NULL);
  assert(!"executed");
}

// The standard descriptors are a file of its own when the runtime has something to say.
static void close_standard(const char* file) {
  for (int number = 0; number <= 2; ++number) {
    close(number);
  }
  for (int number = 0; number <= 2; ++number) {
    assert(open(file, O_WRONLY | O_CREAT | O_APPEND, 0600) == number);
  }
  assert(write(2, "data", 4) == 4);
  execlp("true", "true", NULL);
}

static void loop(void) {
  for (volatile int forever = 1; forever;) {
  }
}

// Any process could send something.
static void wait_for_nobody(void) {
  struct sockaddr_in anywhere = {.sin_family = AF_INET};
  char byte;
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  assert(bind(fd, (struct sockaddr*)&anywhere, sizeof anywhere) == 0 && read(fd, &byte, 1) == 1);
}

// The child is asleep when this one goes on, and never ends.
static void leave_child(void) {
  int ready[2];
  assert(pipe(ready) == 0);
  if (fork() == 0) {
    assert(setsid() == getpid());
    assert(write(ready[1], "", 1) == 1);
    for (;;) {
      pause();
    }
  }
  char byte;
  assert(read(ready[0], &byte, 1) == 1);
}

static void before_threads(char** words) {
  if (is("few files")) {
    expect_few_files();
  } else if (is("daemon with a file")) {
    char name[] = "/tmp/rff-test-XXXXXX";
    assert(mkstemp(name) >= 0 && unlink(name) == 0 && daemon(0, 0) == 0);
  } else if (is("daemon")) {
    assert(daemon(0, 0) == 0);
  } else if (is("detaches")) {
    detach();
  } else if (is("detaches twice")) {
    detach_twice();
  } else if (is("executes itself") || is("executes its name")) {
    begin_again(words);
  } else if (is("executes another")) {
    execlp("true", "true", NULL);
  } else if (is("closes standard descriptors")) {
    close_standard(words[2]);
  } else if (is("loops")) {
    loop();
  } else if (is("waits")) {
    wait_for_nobody();
  }
}

int main(int arguments, char** words) {
  way = arguments > 1 ? words[1] : "";
  before_threads(words);
  pthread_t other = start(work);
  work(NULL);
  finish(other);
  assert(count == 2);
  if (is("leaves a child")) {
    leave_child();
  } else if (is("executes another at the end")) {
    execl("/bin/false", "false", NULL);
  }
  return 0;
}
