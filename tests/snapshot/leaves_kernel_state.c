// leaves_kernel_state CALL: looks at the state of the process that this system call changes, fails
// if an earlier run has left something there, and then changes it. Without an argument it prints
// the calls it knows.
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kPage = 4096 };

static char* old;        // three pages, mapped before the run begins
static char* old_break;  // the end of the heap then
static int old_file;     // open for reading then
static long shared_value;

static void* other(void* argument) {
  (void)argument;
  ++*(volatile long*)&shared_value;
  return NULL;
}

// A descriptor that a run has opened has the first free number in every run.
static void opened(int fd) { assert(fd == old_file + 1); }

static void calls_write(void) { assert(write(1, "a line\n", 7) == 7); }
static void calls_writev(void) {
  struct iovec part = {"a line\n", 7};
  assert(writev(1, &part, 1) == 7);
}
static void calls_fstat(void) {
  struct stat s;
  assert(fstat(0, &s) == 0 && fstat(old_file + 1, &s) != 0 && fstat(900, &s) != 0);
}
static void calls_newfstatat(void) {
  struct stat s;
  assert(stat("/", &s) == 0 && S_ISDIR(s.st_mode));
}
static void calls_mmap(void) {
  static void* const nowhere = NULL;
  char* first =
      mmap(nowhere, 64 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* second = mmap(nowhere, 64 * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(first != MAP_FAILED && second != MAP_FAILED && first[kPage] == 0);
  first[kPage] = 1;
  // The same addresses in every run: an address is a value that a comparison of traces sees.
  *(volatile long*)&shared_value = (long)first ^ (long)second;
}
static void calls_munmap(void) {
  char* mine = mmap(NULL, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mine[0] = 1;
  assert(munmap(mine + kPage, kPage) == 0);
  *(volatile long*)&shared_value = (long)mine;
}
// Asks the kernel alone: a page that is not accessible is none to a system call either.
static int writable_by_kernel(char* page) {
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"((long)SYS_getcwd), "D"(page), "S"((long)kPage)
               : "rcx", "r11", "memory");
  memset(page, 1, result > 0 ? (size_t)result : 0);
  return result > 0;
}
static void unmaps_old(void) {
  assert(old[kPage] == 1);
  assert(munmap(old + kPage, kPage) == 0);
  assert(!writable_by_kernel(old + kPage) && writable_by_kernel(old));
}
static void maps_where_old_was(void) {
  unmaps_old();
  char* mine = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(mine[0] == 0);
  mine[0] = 1;
  *(volatile long*)&shared_value = (long)mine;
}
static void calls_mprotect(void) {
  char* mine = mmap(NULL, 4 * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(mprotect(mine, kPage, PROT_READ | PROT_WRITE) == 0);
  mine[0] = 1;
}
static void protects_old(void) {
  old[kPage] = 2;
  assert(mprotect(old, 3 * kPage, PROT_READ) == 0);
}
static void calls_brk(void) {
  assert(sbrk(0) == old_break);
  char* more = sbrk(8 * kPage);
  assert(more == old_break && more[kPage] == 0);
  more[kPage] = 1;
}
static void calls_madvise(void) {
  assert(old[kPage] == 1);
  assert(madvise(old, 3 * kPage, MADV_DONTNEED) == 0);
  assert(old[kPage] == 0);
}
static void calls_futex(void) {
  static int word;
  assert(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0);
}
static void calls_ioctl(void) { assert(!isatty(1)); }
static void calls_prlimit64(void) {
  struct rlimit limit;
  assert(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur != 4096);
  limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
  assert(setrlimit(RLIMIT_CORE, &limit) == 0);
}
static void calls_rt_sigprocmask(void) {
  sigset_t all, before;
  sigfillset(&all);
  assert(sigprocmask(SIG_SETMASK, &all, &before) == 0);
  assert(!sigismember(&before, SIGUSR1) && !sigismember(&before, SIGTERM));
}
static void calls_rt_sigaction(void) {
  struct sigaction before;
  assert(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
  signal(SIGUSR1, SIG_IGN);
}
static void calls_sigaltstack(void) {
  static char place[1 << 16];
  stack_t stack = {.ss_sp = place, .ss_size = sizeof place}, before;
  assert(sigaltstack(&stack, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0);
}
static void calls_timer_create(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
}
static void calls_timer_settime(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  struct itimerspec soon = {{0, 0}, {1000, 0}};
  assert(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &soon, NULL) == 0);
}
static void calls_setitimer(void) {
  struct itimerval before;
  assert(getitimer(ITIMER_VIRTUAL, &before) == 0 && before.it_value.tv_sec == 0);
  struct itimerval later = {{0, 0}, {1000, 0}};
  setitimer(ITIMER_VIRTUAL, &later, NULL);
}
static void calls_openat(void) { opened(open("/dev/null", O_RDWR)); }
static void calls_close(void) {
  assert(fcntl(old_file, F_GETFD) >= 0);
  close(old_file);
}
static void calls_dup(void) { opened(dup(old_file)); }
static void calls_fcntl(void) {
  assert((fcntl(old_file, F_GETFL) & O_NONBLOCK) == 0);
  fcntl(old_file, F_SETFL, O_NONBLOCK);
}
static void calls_read(void) {
  char first = 0;
  assert(read(old_file, &first, 1) == 1 && first == 0x7f);
}
static void calls_lseek(void) { assert(lseek(old_file, 100, SEEK_CUR) == 100); }
static void calls_pipe2(void) {
  int ends[2];
  assert(pipe2(ends, O_CLOEXEC) == 0);
  opened(ends[0]);
}
static void calls_socketpair(void) {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  opened(ends[0]);
}
static void calls_eventfd2(void) { opened(eventfd(0, 0)); }
static void calls_epoll_create1(void) { opened(epoll_create1(0)); }
static void calls_timerfd_create(void) { opened(timerfd_create(CLOCK_MONOTONIC, 0)); }
static void calls_inotify_init1(void) { opened(inotify_init1(0)); }
static void calls_memfd_create(void) { opened(memfd_create("mine", 0)); }
static void calls_flock(void) { flock(old_file, LOCK_SH); }
static void calls_umask(void) { assert(umask(0) == 022); }
static void calls_chdir(void) {
  char before[4096];
  assert(getcwd(before, sizeof before) != NULL && strcmp(before, "/usr") != 0);
  assert(chdir("/usr") == 0);
}
static void calls_setpriority(void) {
  errno = 0;
  int before = getpriority(PRIO_PROCESS, 0);
  assert(before < 19);
  setpriority(PRIO_PROCESS, 0, 19);
}
static void calls_prctl(void) {
  char name[16];
  prctl(PR_GET_NAME, name);
  assert(strcmp(name, "left_over") != 0);
  prctl(PR_SET_NAME, "left_over");
}
static void calls_sched_setaffinity(void) {
  cpu_set_t all;
  assert(sched_getaffinity(0, sizeof all, &all) == 0);
  sched_setaffinity(0, sizeof all, &all);
}
static void calls_mremap(void) {
  char* mine = mmap(NULL, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* larger = mremap(mine, 4 * kPage, 16 * kPage, MREMAP_MAYMOVE);
  assert(larger != MAP_FAILED && larger[8 * kPage] == 0);
  larger[8 * kPage] = 1;
}
static void maps_shared(void) {
  long* mine = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(*mine == 0);
  *mine = 1;
}
static void calls_clone(void) {
  assert(waitpid(-1, NULL, WNOHANG) == -1);  // no child of an earlier run
  pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  waitpid(child, NULL, 0);
}
static void calls_kill(void) {
  sigset_t set, waiting;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  assert(sigpending(&waiting) == 0 && !sigismember(&waiting, SIGUSR2));
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR2);
}
static void calls_readv(void) {
  char first = 0;
  struct iovec part = {&first, 1};
  assert(readv(old_file, &part, 1) == 1 && first == 0x7f);
}
static void calls_dup2(void) { opened(dup2(old_file, old_file + 1)); }
static void calls_dup3(void) { opened(dup3(old_file, old_file + 1, O_CLOEXEC)); }

// Each kind of descriptor that a run may make: used in every way, and left open.
static void uses_pipes(void) {
  char bytes[8] = "abcdefg";
  struct iovec part = {bytes, 1};
  int ends[2], others[2];
  assert(pipe2(ends, O_NONBLOCK) == 0 && pipe(others) == 0);
  opened(ends[0]);
  assert(read(ends[0], bytes, 1) == -1 && errno == EAGAIN);
  assert(write(ends[1], bytes, 3) == 3 && read(ends[0], bytes, 1) == 1);
  assert(writev(others[1], &part, 1) == 1 && readv(others[0], &part, 1) == 1);
  int again = dup(ends[0]);
  assert(fcntl(again, F_GETFL) == (O_RDONLY | O_NONBLOCK) && fcntl(again, F_SETFL, 0) == 0);
  assert(dup2(others[0], again) == again && dup3(others[1], ends[1], 0) == ends[1]);
  assert(close(others[1]) == 0);
}
static void uses_sockets(void) {
  char bytes[8] = "abcdefg";
  struct iovec part = {bytes, 2};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  int pair[2], type = 0;
  socklen_t size = sizeof type;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  assert(getsockopt(pair[0], SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM);
  assert(send(pair[0], bytes, 2, 0) == 2 && sendmsg(pair[0], &message, 0) == 2);
  assert(recv(pair[1], bytes, 1, 0) == 1 && recvmsg(pair[1], &message, 0) == 2);
  assert(shutdown(pair[0], SHUT_WR) == 0 && recv(pair[1], bytes, 8, 0) == 1);
  assert(recv(pair[1], bytes, 8, 0) == 0);
}
static void uses_loops(void) {
  int counter = eventfd(0, 0), loop = epoll_create1(0);
  struct pollfd p = {counter, POLLIN, 0};
  struct timespec none = {0, 0};
  struct epoll_event event = {.events = EPOLLIN};
  assert(poll(&p, 1, 0) == 0 && eventfd_write(counter, 3) == 0 && ppoll(&p, 1, &none, NULL) == 1);
  assert(epoll_ctl(loop, EPOLL_CTL_ADD, counter, &event) == 0);
  assert(epoll_wait(loop, &event, 1, -1) == 1 && epoll_pwait(loop, &event, 1, 0, NULL) == 1);
}
static void uses_made(void) {
  uses_pipes();
  uses_sockets();
  uses_loops();
  char byte = 1;
  int file = memfd_create("mine", 0);
  assert(pread(file, &byte, 1, 0) == 0 && pwrite(file, &byte, 1, 4) == 1);
  assert(ftruncate(file, 5) == 0 && lseek(file, 0, SEEK_END) == 5);
  assert(futimens(file, NULL) == 0);
  DIR* folder = opendir("/");
  assert(folder != NULL && readdir(folder) != NULL);
}
static void calls_getpid(void) { assert(getpid() > 0 && syscall(SYS_gettid) > 0); }

static const struct {
  const char* call;
  void (*make)(void);
} kRows[] = {
#define ROW(call) \
  { #call, calls_##call }
    ROW(write),
    ROW(writev),
    ROW(fstat),
    ROW(newfstatat),
    ROW(mmap),
    ROW(munmap),
    ROW(mprotect),
    ROW(brk),
    ROW(madvise),
    ROW(futex),
    ROW(ioctl),
    ROW(prlimit64),
    ROW(rt_sigprocmask),
    ROW(rt_sigaction),
    ROW(sigaltstack),
    ROW(timer_create),
    ROW(timer_settime),
    ROW(setitimer),
    ROW(openat),
    ROW(close),
    ROW(dup),
    ROW(fcntl),
    ROW(read),
    ROW(lseek),
    ROW(pipe2),
    ROW(socketpair),
    ROW(eventfd2),
    ROW(epoll_create1),
    ROW(timerfd_create),
    ROW(inotify_init1),
    ROW(memfd_create),
    ROW(flock),
    ROW(umask),
    ROW(chdir),
    ROW(setpriority),
    ROW(prctl),
    ROW(sched_setaffinity),
    ROW(mremap),
    ROW(clone),
    ROW(kill),
    ROW(getpid),
    ROW(readv),
    ROW(dup2),
    ROW(dup3),
    {"descriptors-made", uses_made},
    {"munmap-old", unmaps_old},
    {"munmap-old-mmap", maps_where_old_was},
    {"mprotect-old", protects_old},
    {"mmap-shared", maps_shared},
};

int main(int argc, char** argv) {
  if (argc < 2) {
    for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; ++i) {
      puts(kRows[i].call);
    }
    return 0;
  }
  umask(022);
  old = mmap(NULL, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(old, 1, 3 * kPage);
  old_file = open("/proc/self/exe", O_RDONLY);
  old_break = sbrk(0);
  free(malloc(1));
  old_break = sbrk(0);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);  // the run has begun
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; ++i) {
    if (strcmp(kRows[i].call, argv[1]) == 0) {
      kRows[i].make();
    }
  }
  pthread_join(thread, NULL);
  return 0;
}
