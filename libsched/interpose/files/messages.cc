// Messages and semaphores of System V, message queues of POSIX.
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/file_turns.h"
#include "libsched/interpose/files/outside.h"

using namespace rff;

// Objects that a program creates in the system must not be shared by several runs.
#define RFF_MADE(result, function, parameters, arguments) \
  RFF_EXPORT result function parameters noexcept {        \
    will_change();                                        \
    return RFF_REAL(function) arguments;                  \
  }

RFF_MADE(int, msgget, (key_t key, int flags), (key, flags))
RFF_MADE(int, semget, (key_t key, int count, int flags), (key, count, flags))
RFF_MADE(int, shmget, (key_t key, std::size_t size, int flags), (key, size, flags))

RFF_EXPORT mqd_t mq_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  mq_attr* attributes = nullptr;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    attributes = va_arg(rest, mq_attr*);
    va_end(rest);
  }
  will_change();
  return RFF_REAL(mq_open)(name, flags, mode, attributes);
}

RFF_EXPORT int mq_unlink(const char* name) noexcept {
  will_change();
  return RFF_REAL(mq_unlink)(name);
}

RFF_EXPORT ssize_t msgrcv(int id, void* to, std::size_t n, long type, int flags) {
  if (!watched() || (flags & IPC_NOWAIT) != 0) {
    return RFF_REAL(msgrcv)(id, to, n, type, flags);
  }
  return outside::retry(
      "msgrcv", ENOMSG, ENOMSG,
      [&] { return RFF_REAL(msgrcv)(id, to, n, type, flags | IPC_NOWAIT); }, RFF_CALLER,
      Interruption::kAlways);
}

RFF_EXPORT int msgsnd(int id, const void* from, std::size_t n, int flags) {
  if (!watched() || (flags & IPC_NOWAIT) != 0) {
    return RFF_REAL(msgsnd)(id, from, n, flags);
  }
  return outside::retry(
      "msgsnd", EAGAIN, EAGAIN, [&] { return RFF_REAL(msgsnd)(id, from, n, flags | IPC_NOWAIT); },
      RFF_CALLER, Interruption::kAlways);
}

namespace {

int change_semaphores(int id, sembuf* operations, std::size_t count, std::uint64_t deadline,
                      const void* caller) {
  constexpr std::size_t kMost = 32;
  sembuf at_once[kMost];
  for (std::size_t i = 0; i < count; ++i) {
    // An operation may ask not to wait: then the C library's call handles all of them.
    if (count > kMost || (operations[i].sem_flg & IPC_NOWAIT) != 0) {
      return RFF_REAL(semop)(id, operations, count);
    }
    at_once[i] = operations[i];
    at_once[i].sem_flg = static_cast<short>(at_once[i].sem_flg | IPC_NOWAIT);
  }
  return outside::retry(
      "semop", EAGAIN, EAGAIN, [&] { return RFF_REAL(semop)(id, at_once, count); }, caller,
      Interruption::kAlways, deadline);
}

// Returns whether the call may wait: a nonblocking queue does not. The runtime keeps time limits
// even if no other thread could run meanwhile.
bool waits(mqd_t queue, const timespec* until) {
  mq_attr attributes = {};
  return (watched() || until != nullptr) && mq_getattr(queue, &attributes) == 0 &&
         (attributes.mq_flags & O_NONBLOCK) == 0;
}

timespec long_ago = {1, 0};  // emulators write to it

// Repeats a call whose time limit has passed, so that the call fails if it would wait.
template <typename Call>
auto exchange(const char* name, const timespec* until, Call call, const void* caller) {
  return outside::retry(name, ETIMEDOUT, ETIMEDOUT, call, caller, Interruption::kUnlessRestarted,
                        until == nullptr ? kNever : virtual_deadline(CLOCK_REALTIME, until));
}

ssize_t receive(mqd_t queue, char* to, std::size_t n, unsigned* priority, const timespec* until,
                const void* caller) {
  if (!waits(queue, until)) {
    return RFF_REAL(mq_receive)(queue, to, n, priority);
  }
  return exchange(
      "mq_receive", until,
      [&] { return RFF_REAL(mq_timedreceive)(queue, to, n, priority, &long_ago); }, caller);
}

int transmit(mqd_t queue, const char* from, std::size_t n, unsigned priority, const timespec* until,
             const void* caller) {
  if (!waits(queue, until)) {
    return RFF_REAL(mq_send)(queue, from, n, priority);
  }
  return exchange(
      "mq_send", until, [&] { return RFF_REAL(mq_timedsend)(queue, from, n, priority, &long_ago); },
      caller);
}

}  // namespace

RFF_EXPORT int semop(int id, sembuf* operations, std::size_t count) noexcept {
  return watched() ? change_semaphores(id, operations, count, kNever, RFF_CALLER)
                   : RFF_REAL(semop)(id, operations, count);
}

RFF_EXPORT int semtimedop(int id, sembuf* operations, std::size_t count,
                          const timespec* timeout) noexcept {
  return watched() ? change_semaphores(id, operations, count, outside::after(timeout), RFF_CALLER)
                   : RFF_REAL(semtimedop)(id, operations, count, timeout);
}

RFF_EXPORT ssize_t mq_receive(mqd_t queue, char* to, std::size_t n, unsigned* priority) {
  return receive(queue, to, n, priority, nullptr, RFF_CALLER);
}

RFF_EXPORT ssize_t mq_timedreceive(mqd_t queue, char* to, std::size_t n, unsigned* priority,
                                   const timespec* until) {
  return controlled() ? receive(queue, to, n, priority, until, RFF_CALLER)
                      : RFF_REAL(mq_timedreceive)(queue, to, n, priority, until);
}

RFF_EXPORT int mq_send(mqd_t queue, const char* from, std::size_t n, unsigned priority) {
  return transmit(queue, from, n, priority, nullptr, RFF_CALLER);
}

RFF_EXPORT int mq_timedsend(mqd_t queue, const char* from, std::size_t n, unsigned priority,
                            const timespec* until) {
  return controlled() ? transmit(queue, from, n, priority, until, RFF_CALLER)
                      : RFF_REAL(mq_timedsend)(queue, from, n, priority, until);
}

// The C library waits for the notification in its own thread, and runs the program's code there.
RFF_EXPORT int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  if (controlled() && event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    touched_outside("mq_notify that starts a thread");
    runtime->stop_joining();
  }
  if (event != nullptr && event->sigev_notify == SIGEV_SIGNAL) {
    descriptions::others_may_signal();
  }
  return RFF_REAL(mq_notify)(queue, event);
}
