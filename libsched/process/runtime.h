// The runtime of one process: everything the interposers and hooks share.
#pragma once

#include <memory>

#include "libsched/carrier/carrier.h"
#include "libsched/engine/execution.h"
#include "libsched/memory/event_table.h"
#include "libsched/report/trace_writer.h"
#include "libsched/process/fork_server.h"
#include "libsched/memory/accesses.h"
#include "libsched/memory/locations.h"
#include "libsched/memory/modules.h"
#include "libsched/memory/shadow.h"
#include "libsched/engine/schedulers/scheduler.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

#define RFF_EXPORT extern "C" __attribute__((visibility("default")))

namespace rff {

class Runtime {
 public:
  Runtime();

  // Reads the launcher's instructions; called once before main.
  void start_process();
  // The program is about to create its first thread, to end, or to fail: from here on the schedule
  // matters. Under a fork server this returns once per run, in a child.
  void start_run();
  bool run_started() const { return run_started_; }
  // The fork server is making children that stay under control.
  bool serving() const { return serving_; }
  // Runs begin before main, since at the first thread it would be too late.
  bool from_start() const { return from_start_; }

  // The program ends by itself with this status; records the outcome. Idempotent. What patched code
  // still executes is none of the runtime's business.
  void finish_run(int exit_status);

  // Name of the code that called an interposed function.
  CodeName code(const void* return_address) const {
    return modules.name(reinterpret_cast<std::uint64_t>(return_address));
  }
  // Says once that something was used that the runtime does not model.
  void unmodelled(const char* what);

  Execution execution;
  Modules modules;
  Locations locations;
  EventTable events;
  Accesses accesses;
  Shadow shadow;
  Schedule schedule;
  TraceWriter trace;
  SharedMemory* shared = nullptr;
  Random choices;  // what is random in the program's world (which waiter a signal wakes), apart
                   // from the scheduler

  std::uint64_t now = 0;  // virtual nanoseconds since the epoch of the run
  int exit_status = 0;
  bool found = false;     // a finding ended the run
  bool debugged = false;  // a debugger watches
  // Other processes may use memory of this one: primitives shared between processes may be used by
  // somebody whom the runtime does not see.
  bool shares_memory = false;
  char** arguments = nullptr;

  // After dlopen: new patched modules get their slots filled and their points set.
  void modules_changed();

 private:
  void map_shared();
  void choose_carrier();
  [[noreturn]] void restart_from_start();
  void begin_run();
  void use_schedule(const Schedule& s);
  void prepare_runs();
  void apply_points();
  void install_hooks();
  void publish_modules();

  ForkServer server_;
  std::string schedule_path_;
  std::string processor_;  // the number of the one to use, or empty
  std::vector<char*> initial_environment_;
  bool from_start_ = false;
  bool run_started_ = false;
  bool finished_ = false;
  bool serving_ = false;
};

// While one exists, what the C library does on behalf of the runtime (allocating, freeing) is no
// event of the program.
class InsideRuntime {
 public:
  InsideRuntime() { ++now_.depth; }
  ~InsideRuntime() { --now_.depth; }
  InsideRuntime(const InsideRuntime&) = delete;
  InsideRuntime& operator=(const InsideRuntime&) = delete;
  static bool active() { return now_.depth > 0; }

 protected:
  struct Now {
    int depth;
    bool making_thread;
  };
  alignas(kOnBusyPage) inline static constinit Now now_ = {};
};

// The same while a thread is made. What the C library allocates for it, to find its thread-local
// variables, is memory of the runtime then: it would lie between the program's blocks, and a run
// would need pages of the heap and of its code for nothing else.
class MakingThread : public InsideRuntime {
 public:
  MakingThread() { now_.making_thread = true; }
  ~MakingThread() { now_.making_thread = false; }
  static bool active() { return now_.making_thread; }
};

// Null until libsched is initialised and in processes it does not control.
extern Runtime* runtime __attribute__((visibility("hidden")));

}  // namespace rff
