// State of the process that outlives its runs: modules, shared memory, the carrier of its threads,
// the fork server, the launcher's instructions.
#pragma once

#include <string>
#include <vector>

#include "libsched/carrier/thread_carrier.h"
#include "libsched/memory/heap_blocks.h"
#include "libsched/memory/modules.h"
#include "libsched/memory/sanitizer.h"
#include "libsched/process/file_turn.h"
#include "libsched/process/fork_server.h"
#include "libsched/process/host.h"
#include "libsched/report/driver_port.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

class Process {
 public:
  // Reads the launcher's instructions. Call before main.
  void read_instructions();
  // Path of the trace to be written; null if none was requested.
  const char* trace_path() const { return trace_path_; }
  bool traces_everything() const { return traces_everything_; }
  bool traces_callers() const { return traces_callers_; }
  // Whether all patched code is run by one kernel thread.
  bool takes_turns() const { return uses_fibers() && host == nullptr; }
  // Whether patched code may check groups of accesses itself: the threads must take turns.
  bool may_join() const { return joins_ && takes_turns() && !joins_no_more && !debugged; }
  // Selects fibers if they work here, otherwise kernel threads, and reports the reason.
  void choose_carrier(Thread& main, HeapListener& heap);
  ThreadCarrier& carrier() { return *carrier_; }
  bool uses_fibers() const;

  // For a process that makes runs itself: does everything that is the same for all of them. Runs
  // report to memory of the process.
  void prepare_embedded();

  // Whether runs begin before main, since the first thread would be too late.
  bool from_start() const { return from_start_; }
  // Whether this is the fork server, creating children that stay under control.
  bool serving() const;

  // Waits for a schedule at the point where runs begin. Under a fork server this returns once per
  // run, in a child.
  Schedule next_schedule(RunPreparation& preparation);
  // AFL++'s map, after next_schedule has returned in a child of the fork server.
  std::uint8_t* map() const { return serves_ ? server_.map() : embedded_map_; }
  std::uint32_t map_size() const { return serves_ ? server_.map_size() : kLargeMap; }

  // Whether the program sees the variable ("NAME=value"): it is not the fuzzer's or the launcher's.
  static bool is_programs(std::string_view variable);
  // The variables with which the program was started, each ended by a zero byte; they lie one
  // behind the other. Empty if a host makes the runs.
  std::string first_variables() const;

  // Call before main, and before the words are changed.
  void remember_arguments(char* const words[]);

  // Replaces the process by the same program, under control again, with its current variables. Call
  // before a run.
  [[noreturn]] void execute_itself(char* const words[], char* const environment[]);

  // Reports once that the program used something the runtime does not model.
  void unmodelled(const char* what);
  // Publishes modules that are new since the last call, for the fuzzer.
  void publish_modules();

  Modules modules;
  Sanitizer sanitizer;
  FileTurn files;
  DriverPort driver;
  SharedMemory* shared = nullptr;
  unsigned processors = kDefaultProcessors;  // that the program sees
  Checks checks;                             // of the program's memory
  HeapBlocks* checked_blocks = nullptr;      // null: it is not checked
  bool debugged = false;                     // a debugger is attached
  // Checks of groups may not be used any more: the program has a thread that takes no turns, and
  // they keep registers in memory of the module.
  bool joins_no_more = false;
  // Other processes may use memory of this one: objects shared between processes may be used by a
  // thread that the runtime does not see.
  bool shares_memory = false;
  // It may go on after a fault, and checks of long groups record accesses before these are made.
  bool handles_faults = false;
  Host* host = nullptr;  // makes the runs itself; null: the program was started by rff-launch

 private:
  void map_shared();
  void check_fork_point();
  Schedule served_schedule(RunPreparation& preparation);

  ThreadCarrier* carrier_ = nullptr;
  ForkServer server_;
  ForkPoint fork_point_;  // a member, since a run would write to its memory to destroy it
  std::string schedule_path_;
  std::string processor_;  // the number of the one to use, or empty
  std::vector<char*> initial_arguments_,
      initial_environment_;  // copies: the program may change its own
  const char* trace_path_ = nullptr;
  bool traces_everything_ = false;
  bool traces_callers_ = false;
  bool from_start_ = false;
  bool joins_ = true;
  bool inherited_files_ = false;  // from the program that executed itself
  bool serves_ = false;
  std::uint8_t* embedded_map_ = nullptr;
  // The fork server; 0: none. Its children do not write here, which would copy a page.
  long server_process_ = 0;
};

}  // namespace rff
