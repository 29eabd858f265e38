// The process and its run, for the interposers and hooks: they are entered by C code and have no
// other way. Everything below them is handed what it needs.
#pragma once

#include "libsched/process/process.h"
#include "libsched/process/run.h"

#define RFF_EXPORT extern "C" __attribute__((visibility("default")))

namespace rff {

class Runtime final : public RunControl, private RunPreparation {
 public:
  // Before main. `main` is the thread that runs.
  Runtime(Process& process, Thread& main, World& world, const HookEntries& hooks);

  // The program is about to create its first thread, to end, or to fail: from here on the schedule
  // matters. Under a fork server this returns once per run, in a child.
  void start_run() override;
  // The program ends by itself with this status. Idempotent. What patched code still executes is
  // none of the runtime's business.
  void finish_run(int exit_status) override;
  // The run is over and gone, and so is its memory; another one may begin in this process.
  void renew_run();

  // After dlopen: new patched modules get their slots filled and their points set.
  void modules_changed();

  // Name of the code that called an interposed function.
  CodeName code(const void* return_address) const {
    auto address = reinterpret_cast<std::uint64_t>(return_address);
    return process.modules.name(process.sanitizer.is_code(address) ? program_call(address)
                                                                   : address);
  }

  Run run;
  // Apart: runs hardly write to it, and would copy one more page.
  Process& process;

 private:
  // Where the program has called what has called the runtime; `otherwise` if that is not known.
  std::uint64_t program_call(std::uint64_t otherwise) const;
  void begin_run();
  void prepare_runs() override;
  void run_ended() override { process.files.end(); }
  void connect_hooks();
  void trace_modules();

  Thread& main_;
  World& world_;
  const HookEntries& hooks_;
};

// Null until libsched is initialised and in processes it does not control.
extern Runtime* runtime __attribute__((visibility("hidden")));

}  // namespace rff
