#include "libsched/report/driver_port.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "libsched/report/findings.h"
#include "libsched/report/stack_walk.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"
#include "libsched/support/vector_state.h"

// Debuggers set a breakpoint here: the run has reached the scheduling point it was asked for.
extern "C" __attribute__((noinline)) void rff_point_reached(std::uint64_t point) {
  asm volatile("" : : "r"(point));
}

namespace rff {
namespace {

using driving::Answer;
using driving::AnswerKind;
using driving::PointHeader;
using driving::PointThread;

// Calls transfer(bytes done so far) until all bytes are through. Without its driver the program
// would wait forever, so it ends.
template <typename Transfer>
void transfer_all(std::size_t bytes, Transfer transfer) {
  for (std::size_t done = 0; done < bytes;) {
    long n = transfer(done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n != -EINTR) {
      die(SIGKILL);
    }
  }
}

void write_all(const char* from, std::size_t bytes) {
  int fd = own_descriptors::get(own_descriptors::kDriver);
  transfer_all(bytes, [&](std::size_t done) {
    return real::syscall6(SYS_sendto, fd, reinterpret_cast<long>(from + done),
                          static_cast<long>(bytes - done), MSG_NOSIGNAL);
  });
}

Answer read_answer() {
  Answer answer = {};
  int fd = own_descriptors::get(own_descriptors::kDriver);
  transfer_all(sizeof answer, [&](std::size_t done) {
    return real::syscall6(SYS_read, fd, reinterpret_cast<long>(&answer) + static_cast<long>(done),
                          static_cast<long>(sizeof answer - done));
  });
  return answer;
}

std::uint32_t flags_of(const Thread& t, const Driver::Point& point) {
  const Operation& op = *t.pending;
  auto flag = [](bool set, driving::ThreadFlags f) { return set ? std::uint32_t{f} : 0u; };
  return flag(point.threads.enabled().contains(t.index), driving::kEnabled) |
         flag(point.able.contains(t.index), driving::kChoosable) |
         flag(t.spin.spinning, driving::kSpins) |
         flag(PendingThreads::needs_timeout(t), driving::kByTimeout) |
         flag(op.deadline != kNever, driving::kTimed) | flag(op.external, driving::kOutsideEnds);
}

}  // namespace

PointThread DriverPort::describe(const Thread& t, const Point& point) {
  const Operation& op = *t.pending;
  PointThread d = {};
  d.index = t.index;
  d.flags = flags_of(t, point);
  d.event = op.event;
  d.event_id = op.id;
  d.address = op.address;
  d.bytes = op.size;
  d.deadline = op.deadline;
  d.site = op.site;
  d.holder = kNoThread;
  d.object = op.waits_for != nullptr ? op.waits_for->object : WaitObject::kNone;
  d.writes = op.writes();
  d.created_at = t.created_at;
  d.name.set(t.name);
  if (op.waits_for != nullptr && op.waits_for->holder != nullptr) {
    if (const Thread* holder = op.waits_for->holder(op, &d.held_since)) {
      d.holder = holder->index;
    }
  }
  const Callers& callers = callers_of(t).now;
  d.frame_count = callers.count;
  std::copy(callers.frames, callers.frames + callers.count, d.frames);
  return d;
}

DriverPort::ThreadCallers& DriverPort::callers_of(const Thread& t) {
  if (t.index >= callers_.size()) {
    callers_.resize(t.index + 1);
  }
  ThreadCallers& own = callers_[t.index];
  // A thread that has not run yet: its parent has stopped at most once since it made the thread.
  if (own.now.op == OpKind::kNone && t.parent != nullptr && t.parent->index < callers_.size()) {
    const ThreadCallers& parent = callers_[t.parent->index];
    for (const Callers& c : {parent.now, parent.before}) {
      if (c.op == OpKind::kThreadCreate && c.site == t.created_at) {
        own.now = c;
      }
    }
  }
  return own;
}

void DriverPort::stopped(const Thread& t, const StopContext& where) {
  if (!connected_) {
    return;
  }
  Callers callers;
  callers.op = t.pending->op;
  callers.site = t.pending->site;
  std::uint64_t frames[PointThread::kMostFrames];
  // The unwinder uses vector registers, which the program may be using.
  static KeptVectors kept;
  keeping_vectors(kept, [&] {
    callers.count =
        static_cast<std::uint32_t>(walk_stack(*modules_, where, frames, PointThread::kMostFrames));
  });
  for (std::uint32_t i = 0; i < callers.count; ++i) {
    callers.frames[i] = modules_->name(frames[i]);
  }
  ThreadCallers& own = callers_of(t);
  own.before = own.now;
  own.now = callers;
}

void DriverPort::connect(const char* channel, const char* stop, const Modules& modules) {
  modules_ = &modules;
  if (channel != nullptr) {
    connected_ = own_descriptors::keep(own_descriptors::kDriver, std::atoi(channel)) >= 0;
  }
  if (stop != nullptr) {
    stop_ = std::strtoull(stop, nullptr, 10);
  }
}

void DriverPort::send(const Point& point) {
  PointHeader header = {};
  header.point = point.number;
  header.process = static_cast<std::uint32_t>(real::syscall6(SYS_getpid));
  header.threads = static_cast<std::uint32_t>(point.threads.all().size());
  header.flags = point.able.several() ? std::uint32_t{driving::kSeveral} : 0u;
  header.last_thread = point.last;
  message_.resize(sizeof header + header.threads * sizeof(PointThread));
  std::memcpy(message_.data(), &header, sizeof header);
  char* at = message_.data() + sizeof header;
  point.threads.all().for_each([&](std::uint32_t index) {
    PointThread thread = describe(point.threads[index], point);
    std::memcpy(at, &thread, sizeof thread);
    at += sizeof thread;
  });
  write_all(message_.data(), message_.size());
}

std::uint32_t DriverPort::choose(const Point& point) {
  if (!connected_) {
    if (point.number == stop_) {
      rff_point_reached(point.number);
    }
    return kSchedulersChoice;
  }
  if (point.number < silent_until_) {
    return kSchedulersChoice;
  }
  send(point);
  Answer answer = read_answer();
  if (answer.kind == AnswerKind::kThread) {
    return answer.thread;
  }
  silent_until_ = answer.until;
  return kSchedulersChoice;
}

}  // namespace rff
