// What a run in place does to the kernel's state of the process: every system call of the program,
// of libraries and of the runtime, in one of three classes. Calls that leave nothing are made; what
// others did is put back after the run; after any other call the run cannot be followed by another
// one in the same process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsched/snapshot/call_made.h"
#include "libsched/snapshot/files_read.h"
#include "libsched/snapshot/hidden_memory.h"
#include "libsched/snapshot/made_descriptors.h"

namespace rff {

enum class AfterRun : std::uint8_t { kNothing, kPutBack, kRetire };

// The class of a system call. Some depend on their arguments: see KernelState::make.
AfterRun after_run(long number);

class KernelState {
 public:
  // `saved`: the memory of the snapshot, as soon as there is one.
  explicit KernelState(const SavedPages& saved) : saved_(saved) {}
  // Remembers the state that runs begin with.
  void remember();
  // Makes the call and returns true, or returns false without having made it: the run must retire.
  // `mask`: the signals that the program has blocked.
  bool make(const CallMade& call, std::uint64_t* mask, long* result);
  // Does what was put off, since no other run follows.
  void retire() {
    hidden_.unmap();
    descriptors_.retire();
  }
  // Undoes what the calls of the run did, except for the mask.
  void put_back();
  // Sets the mask that runs begin with.
  void put_mask_back() const;

 private:
  struct Range {
    std::uint64_t begin, end;
    bool contains(std::uint64_t from, std::uint64_t to) const { return from >= begin && to <= end; }
  };
  static constexpr std::size_t kMostRanges = 1024;

  bool make_put_back(const CallMade& call, std::uint64_t* mask, long* result);
  bool map(const CallMade& call, long* result);
  bool unmap(const CallMade& call, long* result);
  bool move_break(const CallMade& call, long* result);
  bool set_mask(const CallMade& call, std::uint64_t* mask, long* result);
  bool in_made(std::uint64_t begin, std::uint64_t end) const;

  const SavedPages& saved_;
  HiddenMemory hidden_;
  MadeDescriptors descriptors_;
  FilesRead files_;
  std::uint64_t break_ = 0;
  bool break_moved_ = false;
  std::uint64_t mask_ = 0;
  std::uint32_t to_nowhere_ = 0;  // descriptors that are /dev/null, by number
  std::size_t made_count_ = 0;
  Range made_[kMostRanges];  // mappings of the run
};

}  // namespace rff
