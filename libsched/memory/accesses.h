// Every access to memory: reads-from, sharing, values, spin loops.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "libsched/findings/trace_writer.h"
#include "libsched/memory/modules.h"
#include "libsched/memory/shadow.h"
#include "libsched/operation.h"
#include "libsched/schedulers/scheduler.h"
#include "libsched/thread.h"

namespace rff {

class Runtime;

class Accesses : public LastWriters {
 public:
  explicit Accesses(Runtime& runtime) : runtime_(runtime) {}

  // An instruction of patched code is about to access memory. Stops the thread if that is a
  // scheduling point. `expected`: a compare-exchange's, which is a mere read if memory holds
  // something else when it runs.
  void access(Thread& t, PatchedModule& module, std::uint32_t site, OpKind op,
              std::uint64_t address, std::uint64_t size, const std::uint64_t* expected = nullptr);
  // The common case in a few instructions and without a call: one word, used by this thread alone,
  // at a site that is no scheduling point. False: nothing was done, take the long way.
  bool private_access(Thread& t, PatchedModule& module, std::uint32_t site, bool reads, bool writes,
                      std::uint64_t address, std::uint32_t size);
  // A library function is about to access a range (memcpy, read, …).
  void range(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size, CodeName site);

  // The scheduler let this operation happen: what it reads from, what it writes, what that teaches.
  void executed(Thread& t, Operation& op);
  // An event that is no scheduling point.
  void object_event(Thread& t, OpKind op, std::uint64_t object, CodeName site);
  // A further event of the operation that is taking effect (a wait releases its mutex).
  void step(Thread& t, Operation& op);

  // The value of the thread's last write is in memory now.
  void finish_write(Thread& t);

  std::uint64_t last_writer(std::uint64_t address) override;
  bool written(std::uint64_t address) override;

  // Callers of library functions whose ranges are scheduling points (CodeName::packed).
  void set_range_points(const std::vector<std::uint64_t>& sites) {
    range_points_ = {sites.begin(), sites.end()};
  }

  std::uint64_t trace_hash() const { return trace_hash_; }
  const std::vector<std::uint64_t>& new_points() const { return new_points_; }
  std::uint64_t events() const { return events_; }

 private:
  bool every_access() const;
  bool claim(Thread& t, Cell& c, std::uint32_t code);
  bool claim_range(Thread& t, std::uint64_t address, std::uint64_t size, std::uint32_t code);
  void learn_point(std::uint32_t code);
  void record(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size, std::uint32_t code,
              bool shared, bool point);
  void read_word(Cell& c, std::uint64_t word, std::uint8_t mask, std::uint32_t code,
                 std::uint64_t address, bool plain);
  Step* note_step(const Thread& t, const Operation& op, std::uint32_t event);
  void note_source(const Cell& c, const Writer& w);
  std::uint32_t writer_event(const Writer& w, std::uint64_t address);
  void watch_read(Thread& t, std::uint64_t address, std::uint64_t value, std::uint32_t code);
  void release_spinners(std::uint64_t address, std::uint64_t size);
  void note(Thread& t, std::uint32_t code, std::uint64_t value);

  Runtime& runtime_;
  std::unordered_set<std::uint64_t> range_points_;
  std::unordered_set<std::uint64_t> range_noted_;
  std::vector<std::uint64_t> new_points_;  // CodeName::packed
  std::uint64_t trace_hash_ = 0;
  std::uint64_t events_ = 0;
  std::uint32_t spinning_ = 0;
  TraceWriter::Source source_;  // of the event being recorded, when it is traced
};

// Reads 8 aligned bytes of the target, or returns false if they are not readable.
bool probe_word(std::uint64_t address, std::uint64_t* value);
// For the signal handler: whether the fault is a probe's; if so, where to continue.
bool probe_fault(std::uint64_t rip, std::uint64_t* resume);

}  // namespace rff
