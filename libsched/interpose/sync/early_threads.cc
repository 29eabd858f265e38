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

}  // namespace

void (*early_start(Thread& t))(Thread&) {
  const Sanitizer& sanitizer = runtime->process.sanitizer;
  if (!sanitizer.is_linked_code(reinterpret_cast<std::uint64_t>(t.posix->entry))) {
    return nullptr;
  }
  if (!sanitizer.checks_addresses()) {
    auto& program = *static_cast<LeakSanitizersStart*>(t.posix->argument);
    t.posix->inner_entry = std::exchange(program.entry, arrive_and_call);
    t.posix->inner_argument = std::exchange(program.argument, &t);
  }
  return start;
}

// A sanitizer that waits for the new thread itself does so with a variable on the parent's stack.
bool is_awaited(const Thread& t, const Thread& parent) {
  const Sanitizer& sanitizer = runtime->process.sanitizer;
  auto argument = reinterpret_cast<std::uint64_t>(t.posix->argument);
  bool early = sanitizer.is_linked_code(reinterpret_cast<std::uint64_t>(t.posix->entry));
  bool waits_itself = argument >= parent.stack_low && argument < parent.carried->stack_top;
  if (parent.index == 0) {
    waits_itself = argument >= parent.stack_low && argument < parent.stack_high;
  }
  return sanitizer.keeps_threads() && !(early && waits_itself);
}

bool arrive() {
  if (arriving == nullptr) {
    return false;
  }
  Thread& t = *std::exchange(arriving, nullptr);
  runtime->process.carrier().await_turn(t);
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
