// Handles every memory access of the program: reads-from pairs, sharing between threads, values.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/engine/execution.h"
#include "libsched/memory/event_listener.h"
#include "libsched/memory/event_table.h"
#include "libsched/memory/memory_check.h"
#include "libsched/memory/modules.h"
#include "libsched/memory/point_set.h"
#include "libsched/memory/sanitizer.h"
#include "libsched/memory/shadow.h"
#include "libsched/memory/sharing.h"
#include "libsched/memory/spin_loops.h"
#include "libsched/memory/stack_check.h"
#include "libsched/memory/stop_rules.h"
#include "libsched/memory/thread_memory.h"
#include "libsched/support/runtime_stack.h"

namespace rff {

// Returns whether a compare-exchange would find the expected value. True if memory is not readable:
// the instruction itself will fault.
bool memory_holds(std::uint64_t address, std::uint64_t size, const std::uint64_t* expected);

class Accesses final : public OperationListener, public LastWriters {
 public:
  Accesses(Execution& execution, Shadow& shadow, EventTable& events, Locations& locations,
           const Modules& modules);

  // Receivers of what a run did; each may be null.
  struct Reports {
    RunRecord* record = nullptr;
    EventListener* trace = nullptr;
    bool trace_everything = false;  // private accesses too
  };
  // Lets `sanitizer` check the program's accesses.
  void set_checker(const Sanitizer& sanitizer) { checker_ = &sanitizer; }
  // Lets `check` decide about accesses to guarded memory. It must live as long as this.
  void set_check(const MemoryCheck& check) { check_ = &check; }
  // The same for accesses to memory that several threads use.
  void set_check(const StackCheck& check) { stack_check_ = &check; }
  // Begins a run. `seed`: draws the net (see in_net). `which` must live as long as the run.
  void start(const SchedulingPoints& which, std::uint64_t seed, const Reports& reports);

  struct Access {
    OpKind op;
    std::uint64_t address, size;
  };
  // Call when an instruction of patched code is about to access memory. Stops the thread if that is
  // a scheduling point. `expected`: the comparand of a compare-exchange, which is a mere read if
  // memory holds another value when it runs.
  void access(Thread& t, PatchedModule& module, std::uint32_t site, const Access& a,
              const std::uint64_t* expected = nullptr);
  // The thread stops at its next access.
  void stop_soon(ThreadMemory& t) { t.cut_at = t.stretch_end = execution_.steps; }
  // `access` in two parts, for sites whose functions are not entered at a stop point. The first one
  // makes the access and returns true, unless the thread must stop: then the second one does both.
  struct Planned {
    std::uint32_t code;
    bool forced;
  };
  bool passes(Thread& t, PatchedModule& module, std::uint32_t site, const Access& a,
              const std::uint64_t* expected, Planned* planned);
  void stop_for(const PatchedModule& module, std::uint32_t site, const Access& a,
                const std::uint64_t* expected, const Planned& planned);
  // The same for an instruction with several accesses. They happen atomically.
  static constexpr std::size_t kMostAccesses = 32;
  void accesses(Thread& t, PatchedModule& module, std::uint32_t site, const Access* list,
                std::size_t count);
  // The common case in a few instructions: memory that only this thread uses, at a site that is no
  // scheduling point. Returns false if the slow path is needed. Neither touches vector registers.
  // The first (in private_access.h) handles single words that this thread has used before.
  // `entered_with`: the stack pointer with which the hook was called.
  bool private_access(Shadow& shadow, std::uint64_t& steps, ThreadMemory& t, const FastSite& site,
                      std::uint64_t address, const std::uint64_t* entered_with);
  bool private_words(Thread& t, PatchedModule& module, std::uint32_t site, bool writes,
                     std::uint64_t address, std::uint32_t size);
  // Makes a cell whose word has no guard one that the thread uses in its present era, as an access
  // to it would. Returns false if that takes more, and changes nothing.
  bool renew(const ThreadMemory& t, Cell& c, bool writes);
  // Call when an instruction of a group's copy without hooks has failed (schedule/joined.h): takes
  // back the accesses that were not made.
  void leave_group(ThreadMemory& t, const Modules& modules, std::uint64_t rip);
  const std::uint64_t* hash_at() const { return &trace_hash_; }
  const bool* late_at() const { return &late_; }
  // Call when a library function is about to access a range (memcpy, read, …). `stops`: the thread
  // may stop there.
  void range(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size, CodeName site,
             bool stops = true);

  // Call at a site with which a function may begin. Stops the thread if it does and the user chose
  // that.
  void enter(Thread& t, const PatchedModule& module, std::uint32_t site);

  bool stops_alone = false;  // also if only one thread is left

  // OperationListener.
  void name(Operation& op) override;
  void announced(Thread&, Operation& op) override { name(op); }
  void takes_effect(Thread& t, Operation& op) override;
  void interrupted(Thread& t) override { spins_.got_somewhere(t); }
  void created(Thread& parent, Thread& child) override { sharing.order.created(parent, child); }
  void ended(Thread& t) override;
  void commit(Thread& t) override {
    if (t.memory->announced.address != 0) {
      commit_last_write(t);
      wipe_stack_below(kCommitDepth);  // as Execution::perform does
    }
  }

  // Call as soon as a function of the program has returned to the runtime: its last write may lie
  // where the runtime's next frames will be.
  void program_returned(Thread& t) {
    on_runtime_stack([&] { commit(t); });
  }

  // LastWriters.
  std::uint64_t last_writer(std::uint64_t address) override;
  // What is read next from the object was left there by that event, although others have used the
  // object since. `code`: see Cell; 0: no event left it.
  void restore_writer(std::uint64_t object, std::uint32_t code, std::uint32_t step);
  // The operation that has just taken effect has read from that event, too.
  void also_reads(const Operation& op, std::uint32_t code, std::uint32_t step);

  // Records an event that is no scheduling point.
  void object_event(Thread& t, OpKind op, std::uint64_t object, CodeName site);
  // Records a further event of the operation that is taking effect (a wait releases its mutex).
  void step(Thread& t, Operation& op);

  bool every_access() const;
  // A thread that is the only one left is not stopped, but for the systematic search: it must know
  // what could have come before the others ended.
  bool others_matter() const { return !execution_.alone() || stops_alone; }

  std::uint64_t trace_hash() const { return trace_hash_ ^ (execution_.steps * kWordFactor); }

  // See SpinLoops.
  void follow_loops(Thread& t, LoopPasses& passes) { spins_.follow(t, passes); }
  void waits_in_loop(Thread& t) { spins_.waits(t); }

  PointSet points;
  Sharing sharing;
  StopRules rules;

 private:
  using Relation = Sharing::Relation;

  // Performs the operation of an access, then repeats the sanitizer's check if needed
  // (Sanitizer::freed).
  void perform(Operation& operation);

  // Records what an operation that takes effect reads from and writes.
  void executed(Thread& t, Operation& op);
  // Records that the thread uses the words.
  Relation use(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size, bool locked,
               std::uint32_t code);
  static Operation operation(const PatchedModule& module, std::uint32_t site, const Access& a,
                             std::uint32_t code);
  Relation use(Thread& t, const PatchedModule& module, std::uint32_t site, const Access& a,
               std::uint32_t* code);
  bool used_now(const ThreadMemory& t, bool writes, std::uint64_t address, std::uint64_t size);
  bool use_privately(const ThreadMemory& t, bool writes, std::uint64_t address, std::uint64_t size);
  // `noted`: the access is a step of the record though the thread does not stop for it.
  struct Stop {
    bool here, forced, noted;
  };
  // The same without the stops that a long stretch or a proof forces.
  Stop planned_stop(const Thread& t, std::uint8_t known_as, const StopRules::Access& access,
                    const Relation& relation);
  Stop stop(Thread& t, const PatchedModule& module, std::uint32_t site, std::uint64_t address,
            std::uint64_t size, const Relation& relation);
  // Whether the run stops at a site where two threads use memory that something keeps apart: a few
  // of them, others in each run, in case that what keeps them apart does not.
  bool in_net(CodeName site);
  // Whether the run stops where it uses what locks have handed over: up to a number of stops, and
  // in one of several runs everywhere.
  bool stops_for_handed_over();
  // Whether the run passes a scheduling point: beyond some thousand stops at one place it stops
  // there only now and then.
  bool passes_point(CodeName site);
  void read_then_write(const Operation& both);
  std::uint32_t range_code(OpKind op, std::uint64_t address, std::uint64_t size, CodeName site);

  // One event while it is recorded; see recording.cc.
  static constexpr std::uint32_t kNotNamed = ~std::uint32_t{0};
  struct Event {
    OpKind op;
    std::uint64_t address, size;
    std::uint32_t code;
    bool shared;
    bool foreign;         // reads what another thread wrote, though it is ordered after that
    bool named;           // becomes part of the event table
    std::uint32_t index;  // there; kNotNamed until needed
    std::uint64_t step;
  };
  // Records an access at which the thread does not stop.
  void pass(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size, std::uint32_t code,
            const Relation& relation, bool noted);
  // Reports the access that was just recorded if it is an error.
  void check_access(const Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                    std::uint32_t code, bool guarded, bool shared);
  // Call when memory has changed on which threads may spin.
  void release_spinning(std::uint64_t address, std::uint64_t size);
  struct Manner {
    bool shared;  // other threads use the memory, too
    bool point;   // the thread stopped for it
    bool polls;   // what it reads, another thread may change
  };
  static constexpr Manner kAtPoint = {true, true, true};
  void record(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size, std::uint32_t code,
              Manner manner, std::uint32_t index = kNotNamed);
  // Requires: there is a trace, and this is the runtime's stack.
  __attribute__((noinline)) void trace_record(const Thread& t, const Event& e, bool point);
  void watch_section(Thread& t, OpKind op, std::uint64_t address, std::uint32_t code);
  // Completes the step of an access that was just recorded.
  void add_value(Thread& t, Step* step, std::uint64_t address, std::uint64_t size);
  std::uint32_t index_of(Event& e);
  std::uint64_t record_word(Event& e, Cell& c, std::uint64_t word, std::uint8_t mask);
  std::uint64_t record_block(Event& e, Block& b);
  void add_sources(Event& e, const Cell& c, std::uint64_t word, std::uint8_t mask);
  void add_source(Event& e, const Writer& w);
  void unseen_source(Event& e);
  Step* note_step(const Thread& t, std::uint64_t address, std::uint64_t id, std::uint32_t event);
  void note_source(const Writer& w);
  std::uint32_t writer_event(const Writer& w, std::uint64_t address);
  __attribute__((noinline)) void range_here(Thread& t, OpKind op, std::uint64_t address,
                                            std::uint64_t size, CodeName site, bool stops);
  static constexpr long kCommitDepth = 512;
  __attribute__((noinline)) void commit_last_write(Thread& t);
  // For hooks, whose entry takes care of what lies on the stack below it.
  void commit_in_hook(Thread& t) {
    if (t.memory->announced.address != 0) {
      commit_last_write(t);
    }
  }
  void commit(Thread& t, const AnnouncedWrite& w, std::uint64_t live_from);
  void commit_private_word(ThreadMemory& t, std::uint64_t live_from);
  void commit_private_words(ThreadMemory& t, std::uint64_t live_from);
  // Returns false if the last write was not one of memory that only this thread uses.
  bool commit_private(ThreadMemory& t, std::uint64_t live_from);
  // `private_access` to several words, of which `first` is the first one's cell.
  bool private_wide_access(Shadow& shadow, std::uint64_t& steps, ThreadMemory& t,
                           const FastSite& site, std::uint64_t address, Cell* first,
                           std::uint64_t live_from);
  bool reads_now(Shadow& shadow, const ThreadMemory& t, const Cell& c) const;
  // The hash of a run has every event at which threads may meet, with the number of accesses before
  // it, and every private write with its value.
  void note(const Thread& t, std::uint32_t code);
  std::uint64_t in_hash(std::uint32_t code) const;
  void mix_in(std::uint64_t value) {
    trace_hash_ = (((trace_hash_ << 27) | (trace_hash_ >> 37)) + value) * kWordFactor;
  }

  Execution& execution_;
  Shadow& shadow_;
  EventTable& events_;
  Locations& locations_;
  bool every_access_ = false;
  std::uint64_t seed_ = 0;
  std::uint32_t net_stops_ = 0;
  std::uint32_t handed_over_stops_ = 0;
  FlatMap<std::uint32_t> stops_;  // at each place (CodeName::packed)
  RunRecord* record_ = nullptr;
  EventListener* trace_ = nullptr;
  bool trace_everything_ = false;
  SpinLoops spins_;
  std::uint64_t trace_hash_ = 0;
  static constexpr std::uint32_t kMostPassed = 1 << 14;
  std::uint32_t passed_ = 0;  // shared accesses without a stop that became steps
  bool late_ = false;         // so many that reads which add nothing are not looked at any more
  ReadSource source_;         // source of the event being recorded, when it is traced
  Writer last_source_;        // source of the previous word, in the event being recorded
  bool has_last_source_ = false;
  // Who ran from which step on, when the run is traced.
  struct Turn {
    std::uint32_t begin;
    std::uint32_t thread;
  };
  std::uint32_t thread_at(std::uint32_t step) const;
  // Whether the last writer of some of the bytes is another thread. Only for traced runs.
  bool written_by_others(const Thread& t, std::uint64_t address, std::uint64_t size);
  std::vector<Turn> turns_;
  // Writes of the running thread's instruction before its last one.
  std::vector<AnnouncedWrite> earlier_writes_;
  const Sanitizer* checker_ = nullptr;
  const MemoryCheck* check_ = nullptr;  // set if there are guards
  const StackCheck* stack_check_ = nullptr;
};

}  // namespace rff
