// flock, lockf, and the locks of fcntl.
//
// Each call is made without waiting. One that would wait for a lock that only the program can
// release is a pending operation that the end of this lock enables; where another process holds it,
// the wait is outside.
#include "libsched/interpose/files/locking.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <limits>

#include "libsched/interpose/files/file_locks.h"
#include "libsched/interpose/files/file_turns.h"
#include "libsched/interpose/files/outside.h"

namespace rff {
namespace {

constexpr off_t kEndOfAll = std::numeric_limits<off_t>::max();

struct Wish {
  int fd;
  struct flock range;  // of fcntl; l_type F_UNLCK: gives it back
  bool unlocks;
  bool waits;
  const char* name;  // of the function
  LockedFile& file;
  FileLock lock;
  int error = 0;  // of the last attempt
};

bool would_wait(int error) { return error == EAGAIN || error == EACCES; }

int ask_kernel(const Wish& w, int command) {
  struct flock range = w.range;
  return RFF_REAL(fcntl)(w.fd, command, &range) == 0 ? range.l_type : -1;
}

// Makes the call, without waiting.
bool attempt(Wish& w) {
  int result = 0;
  if (w.lock.flock && w.file.of_turn) {
    bool granted = w.unlocks || file_locks::held_inside(w.file, w.lock) == nullptr;
    result = granted ? 0 : failed(EWOULDBLOCK);
  } else if (w.lock.flock) {
    int kind = w.unlocks ? LOCK_UN : w.lock.exclusive ? LOCK_EX : LOCK_SH;
    result = RFF_REAL(flock)(w.fd, kind | LOCK_NB);
  } else {
    result = RFF_REAL(fcntl)(w.fd, w.lock.owner != nullptr ? F_OFD_SETLK : F_SETLK, &w.range);
  }
  w.error = result == 0 ? 0 : errno;
  if (result == 0 && !w.unlocks) {
    file_locks::took(w.file, w.lock);
  } else if (result == 0 || (w.lock.flock && would_wait(w.error))) {
    file_locks::released(w.file, w.lock);  // flock gives up a lock of another kind first
  }
  return result == 0;
}

// Whether an attempt would not be refused because of a lock. Leaves nothing behind.
bool would_be_granted(const Wish& w) {
  if (!w.lock.flock) {
    int type = ask_kernel(w, w.lock.owner != nullptr ? F_OFD_GETLK : F_GETLK);
    return type == F_UNLCK || type < 0;
  }
  if (w.file.of_turn) {
    return file_locks::held_inside(w.file, w.lock) == nullptr;
  }
  if (file_locks::held_by_owner(w.file, w.lock) != nullptr) {
    return true;  // another thread has taken it through the same description
  }
  bool granted = RFF_REAL(flock)(w.fd, (w.lock.exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
  bool refused = !granted && errno == EWOULDBLOCK;
  if (granted) {
    RFF_REAL(flock)(w.fd, LOCK_UN);
  }
  return !refused;
}

// The program may have closed a file in a way that the runtime has not seen: then the kernel knows.
bool is_held_inside(const Wish& w) {
  return file_locks::held_inside(w.file, w.lock) != nullptr && !would_be_granted(w);
}

// Whether the process that holds the lock waits for one of this process, as the kernel would find
// out if the call waited there. That is so only with locks of processes.
bool closes_circle(const Wish& w) {
  struct flock other = w.range;
  return !w.lock.flock && w.lock.owner == nullptr && RFF_REAL(fcntl)(w.fd, F_GETLK, &other) == 0 &&
         other.l_type != F_UNLCK && other.l_pid > 0 &&
         file_locks::waits_for_this_process(other.l_pid);
}

Thread* holder_of(const Operation& op, CodeName* since) {
  auto& w = *static_cast<Wish*>(op.state);
  const FileLock* held = file_locks::held_inside(w.file, w.lock);
  if (held == nullptr) {
    return nullptr;
  }
  *since = held->since;
  return held->thread;
}

constexpr WaitRule kNotHeldInside = {
    [](const Operation& op) { return !is_held_inside(*static_cast<Wish*>(op.state)); }, holder_of,
    WaitObject::kFileLock};
// Asked once, when the operation takes effect.
constexpr WaitRule kAttempt = {
    [](const Operation& op) { return attempt(*static_cast<Wish*>(op.state)); }, holder_of,
    WaitObject::kFileLock};

// Returns false if a signal ended the wait that came before it.
bool step(Wish& w, OpKind kind, const WaitRule* waits_for, const WaitRule* tries,
          const void* caller) {
  Operation op = operation(kind, &w.file, caller);
  op.place = w.file.place;
  op.waits_for = waits_for;
  op.tries = tries;
  op.state = &w;
  if (waits_for != nullptr) {
    op.cancellable = !w.lock.flock;
    op.on_signal = Interruption::kUnlessRestarted;
    op.external = descriptions::awaits_signals();
  }
  w.lock.thread = &runtime->run.execution.current();
  w.lock.since = op.site;
  runtime->run.execution.perform(op);
  if (was_cancelled(op)) {
    act_on_cancellation();
  }
  runtime->run.execution.progress.made();
  w.error = op.interrupted ? EINTR : w.error;
  return !op.interrupted;
}

OpKind taking(const Wish& w) { return w.lock.exclusive ? OpKind::kLock : OpKind::kReadLock; }

OpKind giving_back(const Wish& w) {
  bool shared = true;
  for (const FileLock& l : w.file.held) {
    shared &= l.flock != w.lock.flock || l.owner != w.lock.owner || !l.exclusive;
  }
  return shared ? OpKind::kReadUnlock : OpKind::kUnlock;
}

// Returns whether the thread may try now; otherwise `error` says why not.
bool await(Wish& w, const void* caller) {
  for (;;) {
    if (!is_held_inside(w) && !would_be_granted(w)) {
      auto ask = [&] { return would_be_granted(w) || is_held_inside(w) || closes_circle(w); };
      w.error = outside::until(w.name, kNever, ask, caller) ? 0 : EINTR;
      if (w.error == 0 && !would_be_granted(w) && closes_circle(w)) {
        w.error = EDEADLK;
      }
      if (w.error != 0) {
        return false;
      }
    }
    if (!is_held_inside(w) && !watched()) {
      return true;
    }
    if (!step(w, taking(w), &kNotHeldInside, nullptr, caller)) {
      return false;
    }
    if (would_be_granted(w)) {
      return true;
    }
  }
}

// A lock of the process is no step of its own: no thread notices what another one has locked.
int perform(Wish& w, const void* caller) {
  bool is_step = w.lock.owner != nullptr && watched();
  w.lock.thread = &runtime->run.execution.current();
  w.lock.since = runtime->code(caller);
  const FileLock* has = file_locks::held_by_owner(w.file, w.lock);
  if (w.unlocks) {
    if (is_step && has != nullptr) {
      step(w, giving_back(w), nullptr, nullptr, caller);
    }
    return attempt(w) ? 0 : failed(w.error);
  }
  if (w.lock.flock && has != nullptr && has->exclusive == w.lock.exclusive) {
    if (attempt(w)) {
      return 0;
    }
  } else if (w.lock.flock && has != nullptr) {
    Wish old = w;  // the kernel, too, gives up a lock of the other kind first
    old.unlocks = true;
    if (is_step) {
      step(old, giving_back(old), nullptr, nullptr, caller);
    }
    attempt(old);
  }
  if (!w.waits) {
    is_step ? (void)step(w, taking(w), nullptr, &kAttempt, caller) : (void)attempt(w);
    return w.error == 0 ? 0 : failed(w.error);
  }
  do {
    if ((is_step || !would_be_granted(w)) && !await(w, caller)) {
      return failed(w.error);
    }
  } while (!attempt(w) && would_wait(w.error));
  return w.error == 0 ? 0 : failed(w.error);
}

// The file whose locks the descriptor gives, for calls that the runtime follows.
LockedFile* file_to_lock(int fd) {
  if (!controlled()) {
    return nullptr;
  }
  will_change();
  return file_locks::find(fd);
}

const Description* own_description(int fd) {
  if (!descriptions::make_own(fd)) {
    touched_outside("a lock of what was opened before the run");
  }
  return &descriptions::known(fd);
}

// Returns false if the kernel would refuse such a range.
bool find_range(int fd, const struct flock& given, off_t* begin, off_t* end) {
  off_t from = given.l_start;
  if (given.l_whence == SEEK_CUR) {
    from += real::syscall6(SYS_lseek, fd, 0, SEEK_CUR);
  } else if (given.l_whence == SEEK_END) {
    struct stat s = {};
    from += real::syscall6(SYS_fstat, fd, reinterpret_cast<long>(&s)) == 0 ? s.st_size : 0;
  }
  *begin = given.l_len < 0 ? from + given.l_len : from;
  *end = given.l_len < 0 ? from : given.l_len == 0 ? kEndOfAll : from + given.l_len;
  return *begin >= 0 && *begin < *end;
}

int lock_range(const char* name, LockedFile& file, int fd, bool of_description, bool waits,
               const struct flock& range, const void* caller) {
  Wish w{fd, range, range.l_type == F_UNLCK, waits, name, file, {}};
  bool known_type = range.l_type == F_RDLCK || range.l_type == F_WRLCK || w.unlocks;
  if (!known_type || !find_range(fd, range, &w.lock.begin, &w.lock.end)) {
    w.waits = false;  // an error
    return attempt(w) ? 0 : failed(w.error);
  }
  w.lock.exclusive = range.l_type == F_WRLCK;
  w.lock.owner = of_description ? own_description(fd) : nullptr;
  return perform(w, caller);
}

}  // namespace

bool is_lock_command(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
         command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

int control_lock(int fd, int command, void* range, const void* caller) {
  LockedFile* file = file_to_lock(fd);
  if (file == nullptr || command == F_GETLK || command == F_OFD_GETLK) {
    if (file != nullptr && watched()) {
      Operation op = operation(OpKind::kLook, file, caller);
      op.place = file->place;
      runtime->run.execution.perform(op);
    }
    return RFF_REAL(fcntl)(fd, command, range);
  }
  bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  bool of_description = command == F_OFD_SETLK || command == F_OFD_SETLKW;
  return lock_range("fcntl(F_SETLKW)", *file, fd, of_description, waits,
                    *static_cast<const struct flock*>(range), caller);
}

namespace {

int lock_part(int fd, int command, off_t length, const void* caller) {
  LockedFile* file =
      command == F_LOCK || command == F_TLOCK || command == F_ULOCK ? file_to_lock(fd) : nullptr;
  if (file == nullptr) {
    return RFF_REAL(lockf)(fd, command, length);
  }
  struct flock range = {};
  range.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK;
  range.l_whence = SEEK_CUR;
  range.l_len = length;
  return lock_range("lockf", *file, fd, false, command == F_LOCK, range, caller);
}

}  // namespace

}  // namespace rff

using namespace rff;

RFF_EXPORT int flock(int fd, int operation) noexcept {
  int kind = operation & ~LOCK_NB;
  LockedFile* file = file_to_lock(fd);
  if (file == nullptr || (kind != LOCK_SH && kind != LOCK_EX && kind != LOCK_UN)) {
    return RFF_REAL(flock)(fd, operation);
  }
  FileLock lock = {true, kind == LOCK_EX, 0, kEndOfAll, own_description(fd), nullptr, {}};
  Wish w{fd, {}, kind == LOCK_UN, (operation & LOCK_NB) == 0, "flock", *file, lock};
  return perform(w, RFF_CALLER);
}

RFF_EXPORT int lockf(int fd, int command, off_t length) {
  return lock_part(fd, command, length, RFF_CALLER);
}

RFF_EXPORT int lockf64(int fd, int command, off64_t length) {
  return lock_part(fd, command, length, RFF_CALLER);
}
