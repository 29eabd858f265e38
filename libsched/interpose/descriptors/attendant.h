// An attendant lets something act that is no thread of the program: a timer that comes due, a ready
// descriptor that a loop gets to see. The scheduler chooses when, as it chooses among threads, so
// every such choice is a decision that is recorded, replayed and searched.
#pragma once

#include "libsched/engine/thread.h"

namespace rff {

class Attendant {
 public:
  Attendant() = default;
  virtual ~Attendant() = default;
  Attendant(const Attendant&) = delete;
  Attendant& operator=(const Attendant&) = delete;

  // Makes its thread, or lets that see what has changed about its next operation. Requires: the run
  // has begun, and this is not called from `act`.
  void renew();

 protected:
  // States the next operation: when it may take effect, and which event that is.
  virtual void prepare(Operation& op) = 0;
  // Called when the operation has taken effect, on the attendant's own thread.
  virtual void act() = 0;
  virtual const char* name() const = 0;

 private:
  static void* serve(void* attendant);
  Thread* thread_ = nullptr;
};

}  // namespace rff
