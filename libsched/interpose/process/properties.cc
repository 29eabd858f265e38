// Defines the functions by which programs with properties ask the runtime
// (rff/runtime_interface.h).
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/children.h"
#include "libsched/process/given_input.h"
#include "libsched/process/output_tee.h"

using namespace rff;

RFF_EXPORT int rff_runtime_input(const unsigned char** data, unsigned long* size) {
  const PropertyInput& input = property_input();
  if (!controlled() || input.data == nullptr) {
    return 0;
  }
  *data = input.data;
  *size = input.size;
  return 1;
}

RFF_EXPORT const char* rff_runtime_property() {
  return controlled() ? property_input().name : nullptr;
}

RFF_EXPORT unsigned rff_runtime_choose(unsigned n) {
  if (n <= 1 || !controlled()) {
    return 0;
  }
  runtime->start_run();  // from here on the schedule matters
  return static_cast<unsigned>(runtime->run.choices.below(n));
}

RFF_EXPORT void rff_runtime_turn(const char*) {
  if (controlled() && runtime->run.begun()) {
    runtime->run.accesses.sharing.order.begin_turn(runtime->run.execution.current());
  }
}

RFF_EXPORT void rff_runtime_discard() {
  if (controlled()) {
    runtime->start_run();
    if (runtime->process.shared != nullptr) {
      runtime->process.shared->run.flags |= kDiscarded;
    }
    children::note_end();
    runtime->finish_run(0);
  }
  real::syscall6(SYS_exit_group, 0);
  __builtin_unreachable();
}

RFF_EXPORT void rff_runtime_values(const char* text) {
  if (controlled() && runtime->process.shared != nullptr) {
    runtime->process.shared->run.values.set(text);
  }
}

RFF_EXPORT void rff_runtime_failed(const char* property, const char* message, const char* file,
                                   int line, const void* caller) {
  std::string text =
      std::string(file) + ":" + std::to_string(line) + ": property " + property + ": " + message;
  if (controlled()) {
    output_tee::writes(STDERR_FILENO, text.data(), text.size());
    output_tee::writes(STDERR_FILENO, "\n", 1);
    runtime->run.findings.assertion(text, runtime->code(caller));
  }
  abort();
}
