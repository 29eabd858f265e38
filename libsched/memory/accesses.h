// Every access to memory: reads-from, sharing, values.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/report/trace_writer.h"
#include "libsched/memory/modules.h"
#include "libsched/memory/point_set.h"
#include "libsched/memory/shadow.h"
#include "libsched/memory/spin_loops.h"
#include "libsched/engine/operation.h"
#include "libsched/engine/schedulers/scheduler.h"
#include "libsched/engine/thread.h"

namespace rff {

class Runtime;

class Accesses : public LastWriters {
 public:
  explicit Accesses(Runtime& runtime);

  struct Access {
    OpKind op;
    std::uint64_t address, size;
  };
  // An instruction of patched code is about to access memory. Stops the thread if that is a
  // scheduling point. `expected`: a compare-exchange's, which is a mere read if memory holds
  // something else when it runs.
  void access(Thread& t, PatchedModule& module, std::uint32_t site, const Access& a,
              const std::uint64_t* expected = nullptr);
  // The same for an instruction that accesses several places. It does all that at once: nobody
  // comes in between.
  static constexpr std::size_t kMostAccesses = 32;
  void accesses(Thread& t, PatchedModule& module, std::uint32_t site, const Access* list,
                std::size_t count);
  // The common case in a few instructions: memory that this thread alone uses, at a site that is no
  // scheduling point. False: take the long way. Neither touches vector registers. The first (in
  // private_access.h) is for one word that this thread has used before.
  bool private_access(Thread& t, const FastSite& site, std::uint64_t address);
  bool private_words(Thread& t, PatchedModule& module, std::uint32_t site, bool reads, bool writes,
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
  void finish_write(Thread& t) {
    if (t.unfinished.address != 0) {
      finish_last_write(t);
    }
  }

  std::uint64_t last_writer(std::uint64_t address) override;

  bool every_access() const;

  void got_somewhere(Thread& t) { spins_.got_somewhere(t); }

  std::uint64_t trace_hash() const { return trace_hash_; }

  PointSet points;

 private:
  // The thread uses this. Returns whether another does, too.
  bool claim(Thread& t, Cell& c, std::uint32_t code);
  void found_shared(Cell& c);
  bool claim_range(Thread& t, std::uint64_t address, std::uint64_t size, std::uint32_t code);
  static Operation operation(const PatchedModule& module, std::uint32_t site, const Access& a,
                             std::uint32_t code);
  bool claim(Thread& t, const PatchedModule& module, std::uint32_t site, const Access& a,
             std::uint32_t* code);
  struct Stop {
    bool here, forced;
  };
  Stop stop(Thread& t, const PatchedModule& module, std::uint32_t site, std::uint64_t address,
            bool shared);
  void read_then_write(const Operation& both);
  std::uint32_t range_code(OpKind op, std::uint64_t address, std::uint64_t size, CodeName site);

  // What one event does to memory; see recording.cc.
  static constexpr std::uint32_t kNotNamed = ~std::uint32_t{0};
  struct Event {
    OpKind op;
    std::uint64_t address, size;
    std::uint32_t code;
    bool shared, point;
    std::uint32_t index;  // in the event table; kNotNamed until somebody asks
    std::uint64_t step;
  };
  // Memory changed on which threads may spin.
  void release_spinning(std::uint64_t address, std::uint64_t size);
  void record(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size, std::uint32_t code,
              bool shared, bool point, std::uint32_t index = kNotNamed);
  std::uint32_t index_of(Event& e);
  std::uint64_t record_word(Event& e, Cell& c, std::uint64_t word, std::uint8_t mask);
  std::uint64_t record_block(Event& e, Block& b);
  void add_sources(Event& e, const Cell& c, std::uint64_t word, std::uint8_t mask);
  void add_source(Event& e, const Cell& c, const Writer& w);
  void unseen_source(Event& e);
  Step* note_step(const Thread& t, const Operation& op, std::uint32_t event);
  void note_source(const Cell& c, const Writer& w);
  std::uint32_t writer_event(const Writer& w, std::uint64_t address);
  void finish_last_write(Thread& t);
  void finish(Thread& t, const UnfinishedWrite& w);
  void finish_private_word(Thread& t);
  void note(const Thread& t, std::uint32_t code);
  void mix_in(std::uint64_t value) {
    trace_hash_ = (((trace_hash_ << 27) | (trace_hash_ >> 37)) + value) * kWordFactor;
  }

  Runtime& runtime_;
  SpinLoops spins_;
  std::uint64_t trace_hash_ = 0;
  TraceWriter::Source source_;  // of the event being recorded, when it is traced
  Writer last_source_;          // of the word before, in the event being recorded
  bool has_last_source_ = false;
  // Of the instruction whose last write is the running thread's unfinished one.
  std::vector<UnfinishedWrite> earlier_writes_;
};

}  // namespace rff
