// A process that makes one run after the other, each from the state in which the process became a
// worker.
//
// A run ends with a system call, and the witness (Syscall User Dispatch) sees all of them: those of
// the program, of libraries and of the runtime. If all that the run did to the kernel's state is
// known and undone, memory and registers are put back, and the next run begins where the first one
// did. After any other call the run *retires*: the worker forgets that it was one, and the run goes
// on and ends as that of an ordinary child.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libsched/snapshot/kernel_state.h"
#include "libsched/snapshot/saved_pages.h"
#include "libsched/snapshot/turn.h"
#include "libsched/snapshot/way_back.h"
#include "schedule/shared_memory.h"

namespace rff {

class Worker {
 public:
  // Prepares the calling process. Returns why it cannot be a worker, or null. `control`, `status`:
  // the fuzzer's descriptors, of which it keeps copies.
  static const char* make(int control, int status, SharedMemory* shared, Turn* turn);
  static Worker& get();

  // Where every run begins: see way_back.h.
  Registers registers;
  // Saves the memory, and goes back to `registers`. Returns only if that is not possible: why.
  // `checks`: compares the memory with what was saved after each run.
  const char* begin(Tracking tracking, bool checks);

  // The end of the last run as waitpid would tell it; -1: there was none.
  int last_status() const { return status_; }
  // Waits for the next request. Returns false if the fuzzer is gone.
  bool take_request();
  // Lets signals arrive that came while the process was restored.
  void allow_signals() const { kernel_.put_mask_back(); }
  void send_process(int process);
  void send_status(int status);

  // The witness is there from now on.
  void watch() { selector_ = 1; }
  // Ends the worker: an ordinary process is left.
  void retire(long system_call);

  // The test case of the last run, if it was short.
  std::string_view last_case() const { return {case_, case_size_}; }
  void remember_case(std::string_view bytes);

 private:
  static constexpr std::size_t kStack = 1 << 16;
  static constexpr std::size_t kMostCase = 1 << 16;

  static void on_system_call(int, void* info, void* context);
  static void end_run();
  void pass_on(const siginfo_t& info, long long* regs);
  const char* arm();
  // Whether the run ends with the call and can be followed by another one. Then `*status` is its
  // end as waitpid would tell it.
  bool ends_in_place(const CallMade& call, int* status) const;

  char selector_;  // the kernel reads this at each system call; 0: nothing is watched
  int control_, answer_, answer_file_;
  std::int32_t* answer_words_;
  int status_;
  bool checks_;
  SharedMemory* shared_;
  Turn* turn_;
  KernelState kernel_{pages_};
  std::uint64_t old_action_[4];
  std::size_t case_size_;
  char case_[kMostCase];
  alignas(64) char stack_[kStack];
  SavedPages pages_;  // the last: copies follow
};

}  // namespace rff
