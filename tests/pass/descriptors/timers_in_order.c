// Timers with far apart deadlines expire in their order, whoever reads them and by whatever call,
// and never before the clock says so.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "program.h"

static long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int timer_in(long ms, long interval_ms) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  assert(fd >= 0);
  struct itimerspec when = {.it_interval = {interval_ms / 1000, interval_ms % 1000 * 1000000},
                            .it_value = {ms / 1000, ms % 1000 * 1000000}};
  assert(timerfd_settime(fd, 0, &when, NULL) == 0);
  return fd;
}

static uint64_t expiries(int fd) {
  uint64_t count = 0;
  return read(fd, &count, sizeof count) == sizeof count ? count : 0;
}

int main(void) {
  long begin = now_ms();
  int late = timer_in(3000, 0), early = timer_in(1000, 0), often = timer_in(5000, 500);
  assert(expiries(early) == 0);
  struct itimerspec left;
  assert(timerfd_gettime(late, &left) == 0 && left.it_value.tv_sec >= 2);
  struct pollfd polled[2] = {{.fd = late, .events = POLLIN}, {.fd = early, .events = POLLIN}};
  assert(poll(polled, 2, -1) == 1 && polled[1].revents == POLLIN && polled[0].revents == 0);
  assert(now_ms() - begin >= 1000 && now_ms() - begin < 3000);
  assert(expiries(early) == 1 && expiries(early) == 0);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(late, &set);
  assert(select(late + 1, &set, NULL, NULL, NULL) == 1 && expiries(late) == 1);
  assert(now_ms() - begin >= 3000);
  int loop = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  assert(epoll_ctl(loop, EPOLL_CTL_ADD, often, &event) == 0);
  assert(epoll_wait(loop, &event, 1, 100) == 0);
  uint64_t count = 0;
  while (count < 3) {
    assert(epoll_wait(loop, &event, 1, -1) == 1);
    count += expiries(often);
  }
  assert(now_ms() - begin >= 6000);
  struct itimerspec never = {{0, 0}, {0, 0}};
  assert(timerfd_settime(often, 0, &never, &left) == 0 && left.it_interval.tv_nsec == 500000000);
  assert(epoll_wait(loop, &event, 1, 10000) == 0);
  return 0;
}
