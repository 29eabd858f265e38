// Notices threads that wait in loops of their own: whenever one stops before an access, compares
// its registers and stack with those of its last stop there (memory/loop_passes.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libsched/memory/accesses.h"
#include "libsched/support/vector_state.h"

namespace rff {

class LoopWatch final : public StopListener {
 public:
  LoopWatch(Execution& execution, Accesses& accesses, const Modules& modules)
      : execution_(execution), accesses_(accesses), modules_(modules) {}

  void stopped(Thread& t, const StopContext& where) override;

 private:
  LoopPasses& passes_of(Thread& t);
  // Hashes all that decides how the thread goes on, but for memory that it reads and that the
  // runtime sees it read. Returns false if that cannot be seen.
  bool own_state(const Thread& t, const StopContext& where, std::uint64_t* state);
  bool calls_unseen_code();

  Execution& execution_;
  Accesses& accesses_;
  const Modules& modules_;
  std::vector<std::unique_ptr<LoopPasses>> passes_;  // by thread
  std::optional<bool> calls_unseen_code_;
  KeptVectors vectors_;
};

}  // namespace rff
