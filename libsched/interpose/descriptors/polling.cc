#include "libsched/interpose/descriptors/polling.h"

#include <errno.h>
#include <sys/syscall.h>

#include <algorithm>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/descriptors/epoll.h"
#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/snapshot/unwatched.h"

namespace rff {
namespace {

void ask_kernel(pollfd* fds, std::size_t count) {
  unwatched::call(SYS_poll, unwatched::address(fds), static_cast<long>(count), 0);
}

// A report tells where the first of the descriptors was made.
Thread* no_holder(const Operation& op, CodeName* made) {
  *made = CodeName::unpack(op.place.base);
  return nullptr;
}

constexpr auto kAnyReady = [](const Operation& op) {
  return static_cast<const Polling*>(op.state)->any_ready();
};
constexpr auto kAnyReadyOutside = [](const Operation& op) {
  children::settle();
  return kAnyReady(op);
};
constexpr WaitRule kPolled = {kAnyReady, no_holder, WaitObject::kEvents};
constexpr WaitRule kPolledOutside = {kAnyReadyOutside, nullptr, WaitObject::kOutside};

}  // namespace

std::vector<Polling::Object> Polling::objects(const Item& item) const {
  const Description* d = descriptions::find(item.fd);
  if (d == nullptr || (!d->internal && !d->listens)) {
    return {};
  }
  if (d->in == nullptr && d->out == nullptr) {
    return {{d->epoll != nullptr ? static_cast<const void*>(d->epoll) : d, d->place}};
  }
  std::vector<Object> found;
  bool only_out = (item.events & (POLLIN | POLLRDNORM | POLLPRI)) == 0 && d->out != nullptr;
  if (d->in != nullptr && !only_out) {
    found.push_back({d->in, d->in->place});
  }
  bool out = (item.events & (POLLOUT | POLLWRNORM)) != 0 || found.empty();
  if (d->out != nullptr && d->out != d->in && out) {
    found.push_back({d->out, d->out->place});
  }
  return found;
}

bool Polling::any_ready() const {
  std::vector<pollfd> fds;
  fds.reserve(items_.size());
  for (const Item& item : items_) {
    fds.push_back({item.fd, item.events, 0});
  }
  ask_kernel(fds.data(), fds.size());
  for (std::size_t i = 0; i < fds.size(); ++i) {
    if ((fds[i].revents & items_[i].counts) != 0) {
      return true;
    }
  }
  return false;
}

bool Polling::only_the_program_can_end_it() const {
  return !descriptions::awaits_signals() &&
         std::all_of(items_.begin(), items_.end(), [](const Item& item) {
           return item.fd < 0 || descriptions::internal(item.fd);
         });
}

Operation Polling::look(const Object& object) const {
  Operation op = operation(OpKind::kLook, object.address, caller_);
  op.place = object.place;
  return op;
}

bool Polling::look_at_all(bool begun) {
  SyncOrder& order = runtime->run.accesses.sharing.order;
  bool any = false;
  for (Item& item : items_) {
    std::vector<Object> seen = objects(item);
    for (const Object& object : seen) {
      if (!begun) {
        Operation op = look(object);
        runtime->run.execution.perform(op);
      }
      begun = false;
    }
    pollfd p = {item.fd, item.events, 0};
    ask_kernel(&p, 1);
    item.found = static_cast<short>(p.revents & item.counts);
    any |= item.found != 0;
    for (const Object& object : seen) {
      if (item.found != 0) {
        order.acquire(runtime->run.execution.current(), object.address);
      }
    }
  }
  return any;
}

bool Polling::await(std::uint64_t deadline, bool* last) {
  bool internal = only_the_program_can_end_it();
  cancellation_point();
  Operation op = operation(OpKind::kSyscall, nullptr, caller_);
  for (const Item& item : items_) {
    if (std::vector<Object> seen = objects(item); !seen.empty()) {
      op = look(seen.front());
      break;
    }
  }
  op.waits_for = internal ? &kPolled : &kPolledOutside;
  op.state = this;
  op.deadline = deadline;
  op.external = !internal;
  op.cancellable = true;
  op.on_signal = Interruption::kAlways;
  runtime->run.execution.perform(op);
  if (was_cancelled(op)) {
    act_on_cancellation();
  }
  runtime->run.execution.progress.made();
  *last = op.timed_out;
  return !op.interrupted;
}

bool Polling::wait(bool polls, std::uint64_t deadline) {
  Execution& execution = runtime->run.execution;
  bool went_on = true;
  if (!polls && !only_the_program_can_end_it()) {
    touched_outside(name_);
  }
  // The first step of a wait is a look. Where there is but one, nothing comes between two of them.
  auto looks = std::count_if(items_.begin(), items_.end(),
                             [&](const Item& item) { return !objects(item).empty(); });
  bool found = (polls || looks > 1) && look_at_all(false);
  for (bool last = polls; !found && went_on && !last;) {
    went_on = await(deadline, &last);
    found = went_on && look_at_all(true);
  }
  if (found) {
    execution.progress.made();
  } else {
    execution.progress.looked_outside();
  }
  runtime->run.accesses.sharing.order.begin_turn(execution.current());
  if (!went_on) {
    errno = EINTR;
  }
  return went_on;
}

}  // namespace rff
