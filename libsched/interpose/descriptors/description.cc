#include "libsched/interpose/descriptors/description.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libsched/interpose/descriptors/epoll.h"
#include "libsched/interpose/files/file_locks.h"
#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/time/timer_descriptor.h"
#include "schedule/flat_map.h"

namespace rff {
namespace {

// By number.
std::vector<Description*>& table() {
  static auto* made = new std::vector<Description*>;
  return *made;
}

// How many objects each call has made.
FlatMap<std::uint64_t>& counts() {
  static auto* made = new FlatMap<std::uint64_t>;
  return *made;
}

void enter(int fd, Description* d) {
  auto number = static_cast<std::size_t>(fd);
  if (table().size() <= number) {
    table().resize(number + 1);
  }
  table()[number] = d;
  d->number = d->descriptors++ == 0 ? fd : d->number;
}

void end(Description* d) {
  Epoll::forget(*d);
  file_locks::closed(*d);
  delete d->epoll;
  if (d->peer != nullptr) {
    d->peer->peer = nullptr;
  }
  for (Description* other : table()) {
    if (other != nullptr) {
      std::erase(other->clients, d);
    }
  }
  if (d->timer != nullptr) {
    d->timer->end();
  }
  delete d;
}

// Names of signals that users and supervisors send to running programs.
constexpr int kFromOutside[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};

// Programs send these to themselves, or their timers do, unless they have asked the kernel or have
// children.
signals::Set sent_by_program_alone() {
  return signals::bit(SIGALRM) | ~(signals::bit(SIGRTMIN) - 1);
}
bool others_signal = false;

// Names the descriptor that a thread waits for, and its channel.
struct Wait {
  int fd;
  const Channel& channel;
};

// Nobody holds a channel, but a report tells where it was made.
Thread* nobody(const Operation& op, CodeName* made) {
  *made = CodeName::unpack(static_cast<Wait*>(op.state)->channel.place.base);
  return nullptr;
}

template <short events>
bool is_ready(const Operation& op) {
  return outside::ready(static_cast<Wait*>(op.state)->fd, events);
}

constexpr WaitRule kBytes = {is_ready<POLLIN | POLLPRI>, nobody, WaitObject::kBytes};
constexpr WaitRule kRoom = {is_ready<POLLOUT>, nobody, WaitObject::kRoom};

// Performs an operation on one of the two directions.
bool perform(OpKind kind, Channel* channel, int fd, const WaitRule* rule, std::size_t wanted,
             const void* caller, Interruption on_signal) {
  static Channel no_channel{{}, ByteStream(ByteStream::Kind::kUnknown)};
  Channel& c = channel != nullptr ? *channel : no_channel;
  cancellation_point();
  Operation op = operation(kind, &c, caller);
  op.place = c.place;
  op.waits_for = rule;
  Wait wait = {fd, c};
  op.state = &wait;
  op.cancellable = true;
  op.on_signal = rule != nullptr ? on_signal : Interruption::kNone;
  op.external = rule != nullptr && descriptions::awaits_signals();
  runtime->run.execution.perform(op);
  if (was_cancelled(op)) {
    act_on_cancellation();
  }
  if (op.interrupted) {
    errno = EINTR;
    return false;
  }
  Accesses& accesses = runtime->run.accesses;
  c.last = {kInterned | op.index, static_cast<std::uint32_t>(runtime->run.execution.steps)};
  if (kind == OpKind::kSend && c.bytes.follows()) {
    c.show_writer();
  } else if (kind == OpKind::kReceive) {
    c.bytes.for_each_further(
        wanted, [&](ByteStream::Writer w) { accesses.also_reads(op, w.code, w.step); });
  }
  SyncOrder& order = accesses.sharing.order;
  Thread& self = runtime->run.execution.current();
  kind == OpKind::kSend ? order.release(self, &c) : order.acquire(self, &c);
  runtime->run.execution.progress.made();
  return true;
}

// A single thread that would wait for itself is a run of its own.
bool has_step(int fd, short events, bool waits) {
  if (waits && !runtime->run.begun() && !outside::ready(fd, events)) {
    runtime->start_run();
  }
  return runtime->run.begun() &&
         (!runtime->run.execution.alone() || (waits && !outside::ready(fd, events)));
}

void forget_last(Channel* c) {
  if (c != nullptr) {
    c->last = {};
  }
}

}  // namespace

namespace descriptions {

Description* find(int fd) {
  auto number = static_cast<std::size_t>(fd);
  return fd >= 0 && number < table().size() ? table()[number] : nullptr;
}

Location next_place(const void* caller) {
  std::uint64_t base = runtime->code(caller).packed();
  return {LocationKind::kDescriptor, base, counts()[base]++};
}

Description& made(int fd, const void* caller) {
  opened(fd);
  Description& d = *find(fd);
  d.place = next_place(caller);
  return d;
}

void opened(int fd) {
  closed(fd);  // in a way that was not seen
  auto* d = new Description;
  d->of_run = runtime->run.begun();
  enter(fd, d);
}

Description& known(int fd) {
  if (find(fd) == nullptr) {
    auto* d = new Description;
    d->shared = runtime->process.shares_memory;
    enter(fd, d);
  }
  return *find(fd);
}

bool make_own(int fd) {
  Description& d = known(fd);
  struct stat s = {};
  if (d.of_run || real::syscall6(SYS_fstat, fd, reinterpret_cast<long>(&s)) != 0) {
    return true;
  }
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  bool file = S_ISREG(s.st_mode) || S_ISDIR(s.st_mode);
  long flags = real::syscall6(SYS_fcntl, fd, F_GETFL);
  long own =
      file ? real::syscall6(SYS_open, reinterpret_cast<long>(path.c_str()), flags | O_CLOEXEC) : -1;
  if (own < 0) {
    return false;
  }
  real::syscall6(SYS_lseek, own, real::syscall6(SYS_lseek, fd, 0, SEEK_CUR), SEEK_SET);
  for (std::size_t number = 0; number < table().size(); ++number) {
    if (table()[number] == &d) {
      long closes = real::syscall6(SYS_fcntl, static_cast<long>(number), F_GETFD);
      real::syscall6(SYS_dup3, own, static_cast<long>(number),
                     (closes & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
    }
  }
  real::syscall6(SYS_close, own);
  d.of_run = true;
  return true;
}

Channel& new_channel(const void* caller, ByteStream::Kind kind) {
  return *new Channel{next_place(caller), ByteStream(kind)};
}

void closed(int fd) {
  Description* d = find(fd);
  if (d == nullptr) {
    return;
  }
  table()[static_cast<std::size_t>(fd)] = nullptr;
  if (--d->descriptors == 0) {
    end(d);
    return;
  }
  d->number = static_cast<int>(std::find(table().begin(), table().end(), d) - table().begin());
  if (d->epoll != nullptr) {
    d->epoll->moved(d->number);
  }
  if (d->timer != nullptr) {
    d->timer->moved(d->number);
  }
}

void closed(unsigned first, unsigned last) {
  for (std::size_t fd = first; fd < table().size() && fd <= last; ++fd) {
    closed(static_cast<int>(fd));
  }
}

void duplicated(int fd, int other) {
  if (fd == other || other < 0) {
    return;
  }
  closed(other);
  enter(other, &known(fd));
}

Description* find_listener(const SocketAddress& to) {
  auto it = std::find_if(table().begin(), table().end(), [&](const Description* d) {
    return d != nullptr && d->listens && d->address.is_reached_by(to);
  });
  return it == table().end() ? nullptr : *it;
}

void others_may_signal() { others_signal = true; }

void shared_with_others() {
  others_may_signal();
  for (Description* d : table()) {
    if (d != nullptr) {
      d->internal = false;
      d->shared = true;
    }
  }
}

void shared_with_others(int fd) {
  if (Description* d = find(fd)) {
    d->internal = false;
    d->shared = true;
  }
}

bool internal(int fd) {
  const Description* d = find(fd);
  return d != nullptr && d->internal;
}

bool ends_with_run(int fd) {
  const Description* d = find(fd);
  return d != nullptr && d->internal && d->of_run;
}

bool awaits_signals() {
  signals::Set read = 0;
  for (const Description* d : table()) {
    read |= d != nullptr ? d->signals : 0;
  }
  return (read & ~sent_by_program_alone()) != 0 || (read != 0 && others_signal) ||
         std::any_of(std::begin(kFromOutside), std::end(kFromOutside),
                     [](int signal) { return signals::program_handles(signal); });
}

// A thread that is alone makes no step: what it does to a channel has no event.
bool receive(int fd, bool waits, std::size_t bytes, const void* caller, Interruption on_signal) {
  Channel* c = find(fd)->in;
  if (!has_step(fd, POLLIN | POLLPRI, waits)) {
    forget_last(c);
    return true;
  }
  return perform(OpKind::kReceive, c, fd, waits ? &kBytes : nullptr, bytes, caller, on_signal);
}

bool send(int fd, bool waits, const void* caller, Interruption on_signal) {
  Channel* c = find(fd)->out;
  if (!has_step(fd, POLLOUT, waits)) {
    forget_last(c);
    return true;
  }
  return perform(OpKind::kSend, c, fd, waits ? &kRoom : nullptr, 0, caller, on_signal);
}

void will_signal(int signal, const void* caller) {
  if (!watched()) {
    return;
  }
  std::vector<Description*> readers;
  for (Description* d : table()) {
    if (d != nullptr && (d->signals & signals::bit(signal)) != 0 &&
        std::find(readers.begin(), readers.end(), d) == readers.end()) {
      readers.push_back(d);
    }
  }
  for (Description* d : readers) {
    perform(OpKind::kSend, d->in, d->number, nullptr, 0, caller, Interruption::kNone);
  }
}

void will_close(int fd, const void* caller) {
  const Description* d = find(fd);
  if (d == nullptr || !d->internal || d->descriptors > 1 || !watched()) {
    return;
  }
  for (Channel* c : {d->out, d->in != d->out ? d->in : nullptr}) {
    if (c != nullptr) {
      perform(OpKind::kSend, c, fd, nullptr, 0, caller, Interruption::kNone);
    }
  }
}

}  // namespace descriptions
}  // namespace rff
