// pthread barriers. The last thread to arrive gets PTHREAD_BARRIER_SERIAL_THREAD.
#include <pthread.h>

#include <vector>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

// A round lasts from the first thread's arrival until the last one leaves.
struct Round {
  std::vector<Thread*> waiting;
  bool over = false;
};

struct BarrierState {
  std::uint32_t needed = 0;
  std::uint32_t arrived = 0;
  Round* round = nullptr;
  bool shared = false;  // with other processes, whose arrival is not seen
};

using Barriers = Objects<BarrierState>;

bool round_over(const Operation& op) { return static_cast<Round*>(op.state)->over; }

constexpr WaitRule kRoundOver = {round_over, nullptr, WaitObject::kBarrier, true};

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier,
                                    const pthread_barrierattr_t* attributes,
                                    unsigned count) noexcept {
  int error = RFF_REAL(pthread_barrier_init)(barrier, attributes, count);
  if (error == 0 && controlled()) {
    Barriers::instance().forget(barrier);
    BarrierState& b = Barriers::instance().at(barrier);
    b.needed = count;
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes != nullptr) {
      pthread_barrierattr_getpshared(attributes, &shared);
    }
    b.shared = shared == PTHREAD_PROCESS_SHARED;
  }
  return error;
}

RFF_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_barrier_destroy)(barrier);
  }
  Barriers::instance().forget(barrier);
  return 0;
}

RFF_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (!controlled()) {
    return RFF_REAL(pthread_barrier_wait)(barrier);
  }
  Operation arrive = operation(OpKind::kBarrier, barrier, RFF_CALLER);
  runtime->run.execution.perform(arrive);
  BarrierState& b = Barriers::instance().at(barrier);
  if (b.round == nullptr) {
    b.round = new Round;
  }
  Round& round = *b.round;
  Thread& self = runtime->run.execution.current();
  SyncOrder& order = runtime->run.accesses.sharing.order;
  order.release(self, &round);
  if (++b.arrived >= b.needed) {
    b.arrived = 0;
    round.over = true;
    runtime->run.execution.changed(&round);
    b.round = nullptr;
    order.acquire(self, &round);
    for (Thread* t : round.waiting) {
      order.acquire_waiting(*t, &round);
    }
    order.forget(&round);
    if (round.waiting.empty()) {
      delete &round;
    }
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  round.waiting.push_back(&self);
  Operation leave = operation(OpKind::kWake, barrier, RFF_CALLER);
  leave.waits_for = &kRoundOver;
  leave.state = &round;
  leave.external = used_outside(b.shared, "a barrier shared with other processes");
  runtime->run.execution.perform(leave);
  std::erase(round.waiting, &self);
  if (round.waiting.empty() && round.over) {
    delete &round;
  }
  return 0;
}
