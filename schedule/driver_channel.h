// The messages between the runtime and the interactive driver (rff-drive), over a socket that the
// program inherits and cannot see. At each scheduling point the runtime sends a PointHeader and one
// PointThread for each thread that has not ended, and waits for an Answer.
//
// This is not a file format: both sides come from one installation.
#pragma once

#include <cstdint>

#include "schedule/event.h"
#include "schedule/failure.h"
#include "schedule/shared_text.h"

namespace rff::driving {

// Environment variables, removed before the program runs: the numbers of the socket and of a file
// that receives all of the program's output; and, for a program in a debugger, which has no driver,
// the number of the scheduling point to stop at.
inline constexpr char kChannelVariable[] = "RFF_DRIVER";
inline constexpr char kOutputVariable[] = "RFF_DRIVER_OUTPUT";
inline constexpr char kStopVariable[] = "RFF_DRIVE_STOP";

enum PointFlags : std::uint32_t {
  kSeveral = 1,  // two or more threads can be chosen: the choice becomes a recorded decision
};

struct PointHeader {
  std::uint64_t point;        // number of scheduling points passed before this one
  std::uint32_t process;      // its id
  std::uint32_t threads;      // number of PointThreads that follow
  std::uint32_t flags;        // PointFlags
  std::uint32_t last_thread;  // the thread that ran last; kNoThread before the first step
};

enum ThreadFlags : std::uint32_t {
  kEnabled = 1,       // its operation could take effect now
  kChoosable = 2,     // enabled, and does not repeat a loop while others could go on
  kSpins = 4,         // repeats reads without seeing a new value
  kByTimeout = 8,     // enabled only because its deadline may come now
  kTimed = 16,        // the wait has a deadline
  kOutsideEnds = 32,  // something outside the process ends the wait
};

struct PointThread {
  std::uint32_t index;  // in order of creation
  std::uint32_t flags;  // ThreadFlags
  AbstractEvent event;  // the pending operation
  std::uint64_t event_id;
  std::uint64_t address;  // of the memory or object; 0: none
  std::uint64_t bytes;    // accessed; 0 for an object
  std::uint64_t deadline;
  CodeName site;
  CodeName held_since;   // where the holder took the object; empty if unknown
  std::uint32_t holder;  // the thread that holds what it waits for; kNoThread if none does
  WaitObject object;     // kNone: it waits for nothing
  bool writes;
  std::uint8_t reserved[2];
  // The callers of the operation, innermost first, as in FailureStack. For a thread that has not
  // started those of its creation.
  static constexpr std::uint32_t kMostFrames = 8;
  std::uint32_t frame_count;
  CodeName frames[kMostFrames];
  CodeName created_at;
  SharedText<48> name;
};

enum class AnswerKind : std::uint32_t {
  kThread,    // the thread makes one step
  kSchedule,  // the schedule decides, without further messages, until the point `until`
};

struct Answer {
  AnswerKind kind;
  std::uint32_t thread;
  std::uint64_t until;
};

}  // namespace rff::driving
