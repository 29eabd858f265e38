#include "libsched/interpose/world.h"

#include <utility>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/time/timers.h"
#include "libsched/report/watchdog.h"
#include "libsched/support/vector_state.h"

namespace rff {
namespace {

class TargetWorld final : public World {
 public:
  bool take_signals(Thread& t, Interruption allowed) override {
    std::uint64_t entry_frame = std::exchange(t.carried->entry_frame, 0);
    std::uint64_t live_from = std::exchange(t.memory->live_from, 0);
    bool interrupted = false;
    keeping_vectors(t.carried->vectors, [&] { interrupted = signals::take(allowed); });
    t.carried->entry_frame = entry_frame;
    t.memory->live_from = live_from;
    return interrupted;
  }
  void send_noted_signals() override { signals::send_noted(); }
  bool will_wake_a_thread() override { return timers::will_expire(); }
  void wait_a_moment() override {
    watchdog::check_time();
    timespec moment = {0, 200'000};
    real::syscall6(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
    signals::look_outside();
  }
  bool shares_memory() override { return runtime->process.shares_memory; }
  std::uint64_t objects() override {
    std::uint64_t hash = ObjectTable::fingerprint_of_all();
    for (const Thread* t : runtime->run.execution.threads()) {
      hash = hash_combine(hash, t->signals->mask ^ signals::pending(*t));
    }
    return hash;
  }
  Stack signal_stack(const Thread& t) override {
    const stack_t& s = t.signals->stack;
    auto low = reinterpret_cast<std::uint64_t>(s.ss_sp);
    return s.ss_flags == SS_DISABLE ? Stack{} : Stack{low, low + s.ss_size};
  }
};

}  // namespace

World& world() {
  static auto* made = new TargetWorld;
  return *made;
}

}  // namespace rff
