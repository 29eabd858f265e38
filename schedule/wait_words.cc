#include "schedule/wait_words.h"

#include <cstddef>
#include <iterator>

namespace rff {
namespace {

// The text for a wait: `before` + "a " + `noun` + `after`; without a noun, `before` alone.
struct WaitWords {
  const char* before;
  const char* noun;
  const char* after;
};
constexpr WaitWords kWaitWords[] = {
    {"?", "", ""},                                       // kNone
    {"", "mutex", ""},                                   // kMutex
    {"", "read-write lock", ", to read"},                // kReadWriteLockToRead
    {"", "read-write lock", ", to write"},               // kReadWriteLockToWrite
    {"", "spin lock", ""},                               // kSpinLock
    {"", "condition variable", " to be signalled"},      // kConditionVariable
    {"", "semaphore", " to be posted"},                  // kSemaphore
    {"the other threads at ", "barrier", ""},            // kBarrier
    {"the end of ", "once routine", ""},                 // kOnceRoutine
    {"the initialization of ", "static variable", ""},   // kStaticVariable
    {"", "stream", ""},                                  // kStream
    {"", "futex", " to be woken"},                       // kFutex
    {"the end of a thread", "", ""},                     // kThreadEnd
    {"a signal", "", ""},                                // kSignal
    {"a timer", "", ""},                                 // kTimer
    {"time to pass", "", ""},                            // kTime
    {"a descriptor to be ready", "", ""},                // kDescriptor
    {"the loader of libraries", "", ""},                 // kLoader
    {"something outside the process", "", ""},           // kOutside
    {"bytes that only the program can send", "", ""},    // kBytes
    {"room that only the program can make", "", ""},     // kRoom
    {"events that only the program can cause", "", ""},  // kEvents
    {"", "file lock", ""},                               // kFileLock
};
static_assert(std::size(kWaitWords) == static_cast<std::size_t>(WaitObject::kCount));

}  // namespace

std::string wait_words(WaitObject object, const std::string& name) {
  const WaitWords& w = kWaitWords[static_cast<std::size_t>(object)];
  std::string before = w.before;
  std::string noun = w.noun;
  if (name.empty()) {
    return before + (noun.empty() ? "" : "a " + noun) + w.after;
  }
  if (noun.empty()) {
    return before + " (" + name + ")";
  }
  return before + (name.front() == '`' ? noun + " " + name : "a " + noun + " (" + name + ")") +
         w.after;
}

}  // namespace rff
