// A thread of the target with the parts that each folder of libsched keeps for it.
#pragma once

#include "libsched/carrier/carried_thread.h"
#include "libsched/interpose/signals/thread_signals.h"
#include "libsched/interpose/sync/posix_thread.h"
#include "libsched/memory/thread_memory.h"

namespace rff {

struct TargetThread : Thread {
  TargetThread() {
    memory = &memory_part;
    carried = &carried_part;
    posix = &posix_part;
    signals = &signals_part;
  }
  TargetThread(const TargetThread&) = delete;
  TargetThread& operator=(const TargetThread&) = delete;

  ThreadMemory memory_part;
  CarriedThread carried_part;
  PosixThread posix_part;
  ThreadSignals signals_part;
};

// Returns the thread that starts the process.
TargetThread& main_thread();

}  // namespace rff
