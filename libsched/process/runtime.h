// The process and its run, for interposers and hooks, which are entered by C code and need a
// global. Everything below them gets what it needs passed in.
#pragma once

#include "libsched/process/process.h"
#include "libsched/process/run.h"

#define RFF_EXPORT extern "C" __attribute__((visibility("default")))

namespace rff {

class Runtime final : public RunControl, private RunPreparation {
 public:
  // Call before main. `main`: the running thread.
  Runtime(Process& process, Thread& main, World& world, const HookEntries& hooks);

  // Call when the program is about to create its first thread, to end, or to fail: from here on the
  // schedule matters. Under a fork server this returns once per run, in a child.
  void start_run() override;
  // Call when the program ends by itself with this status. Idempotent. The runtime ignores what
  // patched code executes afterwards.
  void finish_run(int exit_status) override;
  [[noreturn]] void reject_run() override;
  [[noreturn]] void end_process(int signal) override;
  // For a process that makes runs itself. Requires: the runtime's memory is as it was before the
  // first of them.
  void begin_embedded_run(const Schedule& schedule);

  // Call after dlopen. Fills the slots of new patched modules and marks their points.
  void modules_changed();

  // Returns the name of the code that called an interposed function.
  CodeName code(const void* return_address) const {
    auto address = reinterpret_cast<std::uint64_t>(return_address);
    return process.modules.name(process.sanitizer.is_code(address) ? program_call(address)
                                                                   : address);
  }

  Run run;
  // Separate, since runs hardly write to it and would copy one more page.
  Process& process;

  // Lets patched code call the entries that the run needs now.
  void connect_hooks();
  // See Process::joins_no_more.
  void stop_joining();
  // See Process::handles_faults.
  void join_for_faults();
  // Whether a traced run looks at private reads, too: another thread may have written what they
  // read. A long run does so only at first.
  bool follows_reads() const {
    constexpr std::uint64_t kMost = 1 << 23;
    return run.trace.enabled() && run.execution.steps < kMost;
  }

 private:
  // Returns where the program called the function that called the runtime; `otherwise` if that is
  // unknown.
  std::uint64_t program_call(std::uint64_t otherwise) const;
  void begin_run();
  void begin(const Schedule& schedule);
  void connect_checks();
  void connect_groups_again();
  void prepare_runs() override;
  void run_ended() override { process.files.end(); }
  void trace_modules();

  Thread& main_;
  World& world_;
  const HookEntries& hooks_;
};

// Null until libsched is initialized, and in processes that it does not control.
extern Runtime* runtime __attribute__((visibility("hidden")));

// Call when the program sets what happens at a signal that instructions cause.
void handles_fault(int signal, bool handles);

}  // namespace rff
