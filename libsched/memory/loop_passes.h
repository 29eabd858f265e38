// Finds out whether a pass of a thread's loop leads back to where it began and changes nothing. As
// long as memory that it read stays the same, all further passes do the same.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/engine/operation.h"

namespace rff {

// Keeps what one thread did since it last changed something outside of its own stack.
class LoopPasses {
 public:
  // Call when the thread stops before an access. `state`: a hash of all that only this thread
  // changes. Returns whether the thread was there before in the same state and has changed nothing
  // since; then `awaited` has the memory that it used meanwhile.
  bool stops(CodeName site, std::uint64_t address, std::uint64_t state);
  // Call when the thread yields. If it did so before in the same state, that holds for its next
  // stop, too, whatever a function that it called left in its registers.
  void yields(CodeName site, std::uint64_t state);
  const std::vector<AwaitedBytes>& awaited() const { return awaited_; }
  // Whether other threads have changed some of that since the thread used it last.
  bool released() const { return released_; }

  // Call when the thread uses memory.
  void uses(std::uint64_t address, std::uint64_t size, std::uint32_t code);
  // Call when the thread changed something that is not part of its state, or did anything else that
  // matters to others.
  void breaks();
  // Call when another thread has changed memory.
  void changed(std::uint64_t address, std::uint64_t size);

  // Calls visit(address, code) for each access of the pass that was found last.
  template <typename Visit>
  void for_each_read(Visit visit) const {
    for (std::size_t i = pass_; i < events_.size(); ++i) {
      if (!events_[i].is_stop) {
        visit(events_[i].address, events_[i].code);
      }
    }
  }

 private:
  // A pass with more is not looked at.
  static constexpr std::size_t kMostEvents = 2048;

  struct Event {
    bool is_stop;
    bool stale;  // another thread has changed the memory since
    std::uint64_t address, size;
    std::uint32_t code;   // of an access
    CodeName site;        // of a stop
    std::uint64_t state;  // of a stop
  };

  bool repeats(CodeName site, std::uint64_t address, std::uint64_t state);
  bool used_after(std::size_t event) const;

  std::vector<Event> events_;
  std::size_t pass_ = 0;  // where the last pass begins
  std::vector<AwaitedBytes> awaited_;
  bool released_ = true;
  bool yielded_ = false;  // in the same state as before
};

}  // namespace rff
