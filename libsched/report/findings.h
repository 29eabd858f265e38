// Reports how a run fails. Findings are recorded as facts (schedule/failure.h), not as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libsched/carrier/thread_carrier.h"
#include "libsched/engine/execution.h"
#include "libsched/memory/accesses.h"
#include "libsched/memory/event_table.h"
#include "libsched/memory/locations.h"
#include "libsched/memory/modules.h"
#include "libsched/memory/sanitizer.h"
#include "libsched/report/trace_writer.h"
#include "schedule/shared_memory.h"

namespace rff {

// The parts of the process that a finding needs.
class RunControl {
 public:
  virtual ~RunControl() = default;
  // Begins the run now: a program that fails before its first thread fails in every run.
  virtual void start_run() = 0;
  virtual void finish_run(int exit_status) = 0;
  // Ends a run of which nothing is to be learned.
  [[noreturn]] virtual void reject_run() = 0;
  // Ends the process, or leaves that to the program that made the run.
  [[noreturn]] virtual void end_process(int signal) = 0;
};

struct FailureRecord {
  FailureFacts facts;
  std::string words;        // the program's message
  std::string report = {};  // the sanitizer's report
  std::vector<SharedWait> waits;
  std::vector<RepeatedRead> repeated_reads;
  std::optional<SharedMemoryError> memory = {};
};

class Findings final : public RunListener, public HeapListener, public MemoryErrorListener {
 public:
  Findings(Execution& execution, Accesses& accesses, const EventTable& events,
           const Locations& locations, const Modules& modules, TraceWriter& trace);
  // Call once, before anything can fail.
  void set_control(RunControl& control, const Sanitizer& sanitizer);
  // Begins a run that reports to `record` (null: nowhere).
  void start(RunRecord* record) { record_ = record; }

  [[noreturn]] void assertion(std::string_view message, CodeName place);
  [[noreturn]] void aborted(const void* caller);
  [[noreturn]] void bad_exit(int status, CodeName place);
  // Reports a fatal signal. `address`: the faulting address.
  [[noreturn]] void crashed(int signal, const StopContext& where, std::uint64_t address,
                            bool stack_overflow, bool in_runtime);
  // Reports a signal that ends the program but was not caused by an instruction. The place is where
  // the current thread sent it, if `sent`; otherwise there is none.
  [[noreturn]] void ended_by_signal(int signal, bool sent);

  [[noreturn]] void heap_damaged(const FailureFacts& facts, const char* words,
                                 const void* function) override;
  [[noreturn]] void memory_error(const FoundMemoryError& error) override;
  [[noreturn]] void deadlock() override;
  [[noreturn]] void hang() override;
  [[noreturn]] void gave_up() override;
  [[noreturn]] void rejected() override;
  // Ends a run that does not end by itself. `rip`: position of the running thread, if known;
  // `without_events`: it executes none. Callable at any time from a signal handler.
  [[noreturn]] void unresponsive(std::uint64_t rip, bool without_events);
  void diverged(std::size_t index, const Decision& expected, const Thread* seen,
                std::size_t enabled) override;
  void chosen(std::uint64_t steps, const Thread& previous, const Thread& chosen,
              std::size_t able) override {
    trace_.decision(steps, previous, chosen, able);
  }

  bool found() const { return found_; }
  // Returns whether the run has ended or is about to.
  bool over() const {
    return found_ || record_ == nullptr || record_->state.load() != RunState::kStarted;
  }

 private:
  // `place`: inside the failing instruction for a crash, otherwise a return address.
  [[noreturn]] void report(FindingKind kind, CodeName place, const FailureRecord& failure,
                           const StopContext& where);
  // Ends the program because its sanitizer has reported an error.
  [[noreturn]] void sanitizer_reported(const std::string& report, const StopContext& where);
  // Returns the thread that owns the stack: the running one, or one that has just ended and is
  // being cleaned up.
  Thread& thread_at(std::uint64_t rsp);
  void record_stack(const Thread& t, const StopContext& from);
  // Records the stack of the failing thread, or those of all threads whose waits are recorded.
  void record_stacks(FindingKind kind, const Thread& failing, const StopContext& where);
  void trace_stack(const Thread& t, const StopContext& s);
  void trace_threads(const Thread& failing, const StopContext& where);
  void add_repeated_reads(const Thread& t, std::vector<RepeatedRead>& reads) const;

  Execution& execution_;
  Accesses& accesses_;
  const EventTable& events_;
  const Locations& locations_;
  const Modules& modules_;
  TraceWriter& trace_;
  RunControl* control_ = nullptr;
  const Sanitizer* sanitizer_ = nullptr;
  RunRecord* record_ = nullptr;
  bool found_ = false;
  const void* last_words_ = nullptr;  // where the C library keeps its last message
};

// Ends the process by a signal with the default action, without a core.
[[noreturn]] void die(int signal);
std::string hex(std::uint64_t v);

}  // namespace rff
