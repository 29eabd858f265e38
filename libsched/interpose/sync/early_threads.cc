#include "libsched/interpose/sync/early_threads.h"

#include <utility>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/sync/thread_keys.h"
#include "libsched/report/signal_stacks.h"
#include "libsched/support/runtime_stack.h"

namespace rff {
namespace {

constexpr long kSanitizersDepth = 16 << 10;  // bytes of stack that sanitizer code may use

thread_local Thread* arriving __attribute__((tls_model("initial-exec"))) = nullptr;

void start(Thread& t) {
  arriving = &t;
  t.posix->result = t.posix->entry(t.posix->argument);
}

// LeakSanitizer's code calls no function between its own work and the program's entry function,
// whose address it keeps here.
struct LeakSanitizersStart {
  void* (*entry)(void*);
  void* argument;
};

void* arrive_and_call(void* thread) {
  arrive();
  PosixThread& t = *static_cast<Thread*>(thread)->posix;
  return t.inner_entry(t.inner_argument);
}

bool starts_in_linked_code(const Thread& t) {
  auto entry = reinterpret_cast<std::uint64_t>(t.posix->entry);
  return runtime->process.sanitizer.is_linked_code(entry);
}

// A sanitizer that waits for the new thread itself does so with a variable on the parent's stack.
bool waits_itself(const Thread& t, const Thread& parent) {
  auto argument = reinterpret_cast<std::uint64_t>(t.posix->argument);
  std::uint64_t end = parent.index == 0 ? parent.stack_high : parent.carried->stack_top;
  return argument >= parent.stack_low && argument < end;
}

}  // namespace

void (*early_start(Thread& t, const Thread& parent))(Thread&) {
  if (!starts_in_linked_code(t)) {
    return nullptr;
  }
  if (!runtime->process.sanitizer.checks_addresses()) {
    if (!waits_itself(t, parent)) {
      return nullptr;  // newer ones: what they do before the program's code is done at its turn
    }
    auto& program = *static_cast<LeakSanitizersStart*>(t.posix->argument);
    t.posix->inner_entry = std::exchange(program.entry, arrive_and_call);
    t.posix->inner_argument = std::exchange(program.argument, &t);
  }
  return start;
}

bool is_awaited(const Thread& t, const Thread& parent) {
  return runtime->process.sanitizer.keeps_threads() &&
         !(starts_in_linked_code(t) && waits_itself(t, parent));
}

bool arrive() {
  if (arriving == nullptr) {
    return false;
  }
  Thread& t = *std::exchange(arriving, nullptr);
  if (!t.carried->code.awaited) {
    runtime->process.carrier().await_turn(t);
  }
  known_thread = true;
  on_runtime_stack([] { signal_stacks::use_own(); });
  runtime->run.execution.started(t);
  end_with_destructors();
  signals::take(Interruption::kNone);
  wipe_stack_below(kSanitizersDepth);
  return true;
}

bool starts_in_sanitizer() {
  return runtime != nullptr && !known_thread && runtime->process.sanitizer.keeps_threads();
}

}  // namespace rff
