#include "libsched/hook/process_start.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "libsched/hook/hook.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/asked_processor.h"
#include "libsched/interpose/process/children.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/sync/thread_keys.h"
#include "libsched/interpose/world.h"
#include "libsched/report/faults.h"
#include "libsched/report/watchdog.h"
#include "libsched/support/instruction_traps.h"
#include "libsched/support/runtime_stack.h"
#include "schedule/shared_memory.h"

namespace rff {

void prime_allocator();
void watch_sanitizers_heap();
void check_heap();

Runtime* make_runtime(Host* host) {
  prime_allocator();
  prepare_runtime_stack();
  alignas(kPageBytes) static char place[sizeof(Runtime)];  // the first on the busy page
  auto* process = new Process;
  process->host = host;
  auto* made = new (place) Runtime(*process, main_thread(), world(), hook::entries());
  make_end_key();
  return made;
}

namespace {

// Hides the variables of the fuzzer and the launcher from the program.
void remove_own_variables() {
  char** kept = environ;
  for (char** v = environ; *v != nullptr; ++v) {
    if (Process::is_programs(*v)) {
      *kept++ = *v;
    }
  }
  *kept = nullptr;
}

// The loader calls this before the constructors of all libraries, also of the C library, which
// would set the environment.
__attribute__((constructor(101))) void initialize(int, char**, char** environment) {
  environ = environ == nullptr ? environment : environ;
  if (std::getenv(kSharedPathVariable) == nullptr &&
      std::getenv(kSchedulePathVariable) == nullptr && std::getenv(kTracePathVariable) == nullptr &&
      std::getenv("RFF_CONTROL") == nullptr) {
    return;
  }
  Runtime* r = make_runtime(nullptr);
  remove_own_variables();
  runtime = r;
  known_thread = true;
  watch_sanitizers_heap();
  check_heap();
  children::watch();
  r->run.findings.set_control(*r, r->process.sanitizer);
  faults::install(r->run.findings, r->process.modules,
                  {signals::ours, signals::program_handles, signals::deliver, signals::from_within,
                   ObjectTable::in_use, answer_query});
  instruction_traps::begin();
  watchdog::install(r->run.findings, r->run.execution, r->process.modules);
  signals::start();
}

}  // namespace
}  // namespace rff
