// Snapshot of the program's state for comparison: registers and pending operations of its threads,
// all memory it can write to, synchronization objects and signals. Excluded: memory of the runtime,
// memory below the stack pointers, and the time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libsched/carrier/carried_thread.h"
#include "libsched/engine/execution.h"
#include "libsched/engine/listeners.h"
#include "libsched/memory/modules.h"
#include "libsched/support/vector_state.h"

namespace rff {

class ProgramState final : public StateWitness {
 public:
  ProgramState(const Execution& execution, const Modules& modules, World& world);
  ~ProgramState() override;
  ProgramState(const ProgramState&) = delete;
  ProgramState& operator=(const ProgramState&) = delete;

  void begin() override;
  void stopped(Thread& t, const StopContext& where) override;
  bool knows(const Thread& t) const override;
  bool remember() override;
  bool at_same_place(const Thread& t) const override;
  bool same(const Thread& t) const override;
  void watch(bool on) override;
  bool saw_outside() const override;

 private:
  struct Stop;  // one thread's
  struct Kept;
  Stop* stop_of(const Thread& t) const;
  bool keep_state();
  void look_outside(Stop& s) const;
  bool same_memory() const;

  const Execution& execution_;
  const Modules& modules_;
  World& world_;
  std::unique_ptr<Kept> kept_;  // while a proof is under way
  // Holds the program's registers while functions of the C library are called.
  mutable KeptVectors vectors_;
};

}  // namespace rff
