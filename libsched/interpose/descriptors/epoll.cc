#include "libsched/interpose/descriptors/epoll.h"

#include <errno.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdio>

#include "libsched/interpose/interpose.h"
#include "libsched/snapshot/unwatched.h"

namespace rff {
namespace {

std::vector<Epoll*>& all() {
  static auto* made = new std::vector<Epoll*>;
  return *made;
}

// Entries that nobody needs any more. Their threads still exist.
std::vector<Epoll::Entry*>& unused() {
  static auto* made = new std::vector<Epoll::Entry*>;
  return *made;
}
int entries_made = 0;

int real_control(int fd, int command, int other, epoll_event* event) {
  auto make = descriptions::ends_with_run(fd) ? unwatched::call : real::syscall6;
  long result = make(SYS_epoll_ctl, fd, command, other, unwatched::address(event), 0, 0);
  if (result < 0) {
    errno = static_cast<int>(-result);
  }
  return result < 0 ? -1 : 0;
}

// The kernel gives back the entry instead of what the program wants to get.
epoll_event for_kernel(const epoll_event& wanted, Epoll::Entry* e) {
  epoll_event event = {};
  event.events = wanted.events;
  event.data.ptr = e;
  return event;
}

}  // namespace

void Epoll::Entry::prepare(Operation& op) {
  static constexpr WaitRule kMayBeSeen = {
      [](const Operation& o) {
        auto* e = static_cast<Entry*>(o.state);
        Epoll* of = e->of_;
        if (of == nullptr || of->waiting_ == 0 || of->handed_.size() >= of->room_) {
          return false;
        }
        of->collect();
        return e->ready();
      },
      nullptr, WaitObject::kEvents};
  op.op = OpKind::kHandOut;
  op.address = reinterpret_cast<std::uint64_t>(of_ != nullptr ? of_ : nullptr);
  op.place = place_;
  op.site = site_;
  op.waits_for = &kMayBeSeen;
  op.state = this;
}

void Epoll::Entry::act() { of_->hand_out(*this); }

Epoll::~Epoll() {
  std::erase(all(), this);
  while (!entries_.empty()) {
    drop(entries_.back());
  }
}

Epoll::Entry* Epoll::find(int fd) const {
  auto it =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry* e) { return e->fd_ == fd; });
  return it == entries_.end() ? nullptr : *it;
}

int Epoll::add(int fd, const epoll_event& wanted, const void* caller) {
  if (entries_.empty()) {
    std::erase(all(), this);
    all().push_back(this);
  }
  Entry* e = unused().empty() ? new Entry : unused().back();
  epoll_event event = for_kernel(wanted, e);
  if (real_control(fd_, EPOLL_CTL_ADD, fd, &event) != 0) {
    if (unused().empty() || unused().back() != e) {
      unused().push_back(e);
    }
    return -1;
  }
  if (!unused().empty() && unused().back() == e) {
    unused().pop_back();
  }
  if (e->name_[0] == 0) {
    std::snprintf(e->name_, sizeof e->name_, "event %d", ++entries_made);
  }
  e->of_ = this;
  e->fd_ = fd;
  e->what_ = descriptions::find(fd);
  e->handed_ = false;
  e->ready_ = 0;
  e->events_ = wanted.events;
  e->data_ = wanted.data;
  e->place_ = descriptions::next_place(caller);
  e->site_ = runtime->code(caller);
  entries_.push_back(e);
  collected_at_ = ~std::uint64_t{0};
  e->stale_ = true;
  return 0;
}

int Epoll::change(int fd, const epoll_event& wanted) {
  Entry* e = find(fd);
  epoll_event event = for_kernel(wanted, e);
  if (real_control(fd_, EPOLL_CTL_MOD, fd, &event) != 0) {
    return -1;
  }
  if (e != nullptr) {
    e->events_ = wanted.events;
    e->data_ = wanted.data;
    e->ready_ = 0;  // the kernel looks again
    collected_at_ = ~std::uint64_t{0};
  }
  return 0;
}

int Epoll::remove(int fd) {
  epoll_event none = {};
  if (real_control(fd_, EPOLL_CTL_DEL, fd, &none) != 0) {
    return -1;
  }
  if (Entry* e = find(fd)) {
    drop(e);
  }
  return 0;
}

void Epoll::drop(Entry* e) {
  std::erase(entries_, e);
  e->of_ = nullptr;
  e->what_ = nullptr;
  e->ready_ = 0;
  unused().push_back(e);
}

void Epoll::forget(const Description& d) {
  for (Epoll* epoll : std::vector<Epoll*>(all())) {
    for (Entry* e : std::vector<Entry*>(epoll->entries_)) {
      if (e->what_ == &d) {
        epoll->drop(e);
      }
    }
  }
}

void Epoll::collect() {
  const Execution& execution = runtime->run.execution;
  std::uint64_t now = execution.progress.decisions();
  if (entries_.empty() || (collected_at_ == now && collected_moment_ == execution.moments())) {
    return;
  }
  collected_at_ = now;
  collected_moment_ = execution.moments();
  for (Entry* e : entries_) {
    if (!e->reported_once()) {
      e->ready_ = 0;
    }
  }
  std::vector<epoll_event> events(entries_.size());
  // The run has made the epoll: the witness of runs in place need not see the call.
  long n = unwatched::call(SYS_epoll_wait, fd_, unwatched::address(events.data()),
                           static_cast<long>(events.size()), 0);
  for (long i = 0; i < n; ++i) {
    auto* e = static_cast<Entry*>(events[static_cast<std::size_t>(i)].data.ptr);
    e->ready_ |= events[static_cast<std::size_t>(i)].events;
  }
}

bool Epoll::any_ready() {
  collect();
  return !handed_.empty() ||
         std::any_of(entries_.begin(), entries_.end(), [](const Entry* e) { return e->ready(); });
}

bool Epoll::internal() const {
  return !descriptions::awaits_signals() &&
         std::all_of(entries_.begin(), entries_.end(), [](const Entry* e) {
           return e->what_ != nullptr && e->what_->internal &&
                  (e->what_->epoll == nullptr || e->what_->epoll->internal());
         });
}

void Epoll::hand_out(Entry& e) {
  const Description* d = e.what_;
  if (d == nullptr || (!d->internal && d->clients.empty())) {
    touched_outside("epoll_wait");
  }
  epoll_event event = {};
  event.events = e.ready_;
  event.data = e.data_;
  handed_.push_back(event);
  e.handed_ = true;
  if (e.reported_once()) {
    e.ready_ = 0;
  }
}

int Epoll::take(epoll_event* events, int most) {
  auto n = std::min(handed_.size(), static_cast<std::size_t>(most));
  std::copy_n(handed_.begin(), n, events);
  handed_.erase(handed_.begin(), handed_.begin() + static_cast<std::ptrdiff_t>(n));
  if (handed_.empty()) {
    for (Entry* e : entries_) {
      e->handed_ = false;
    }
  }
  collected_at_ = ~std::uint64_t{0};
  return static_cast<int>(n);
}

int Epoll::wait(epoll_event* events, int most, bool polls, std::uint64_t deadline,
                const void* caller) {
  constexpr auto nobody = [](const Operation& o, CodeName* made) -> Thread* {
    *made = CodeName::unpack(static_cast<Epoll*>(o.state)->place_.base);
    return nullptr;
  };
  static constexpr WaitRule kHandedOut = {
      [](const Operation& o) { return !static_cast<Epoll*>(o.state)->handed_.empty(); }, nobody,
      WaitObject::kEvents};
  static constexpr WaitRule kHandedOutOrNone = {[](const Operation& o) {
                                                  auto* e = static_cast<Epoll*>(o.state);
                                                  return !e->handed_.empty() || !e->any_ready();
                                                },
                                                nullptr, WaitObject::kEvents};
  for (Entry* e : entries_) {
    if (e->stale_) {
      e->stale_ = false;
      e->renew();
    }
  }
  cancellation_point();
  Operation op = operation(OpKind::kAwaitEvents, this, caller);
  op.place = place_;
  op.waits_for = polls ? &kHandedOutOrNone : &kHandedOut;
  op.state = this;
  op.deadline = polls ? kNever : deadline;
  op.external = !polls && !internal();
  op.cancellable = true;
  op.on_signal = Interruption::kAlways;
  ++waiting_;
  room_ = static_cast<std::size_t>(most);
  Execution& execution = runtime->run.execution;
  execution.perform(op);
  --waiting_;
  if (was_cancelled(op)) {
    act_on_cancellation();
  }
  if (op.interrupted && handed_.empty()) {
    errno = EINTR;
    return -1;
  }
  if (op.timed_out && any_ready()) {
    for (Entry* e : entries_) {
      if (e->ready() && handed_.size() < room_) {
        hand_out(*e);
      }
    }
  }
  execution.progress.made();
  runtime->run.accesses.sharing.order.begin_turn(execution.current());
  return take(events, most);
}

}  // namespace rff
