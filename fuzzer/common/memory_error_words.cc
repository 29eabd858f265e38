// Puts memory errors into words.
#include <string>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/common/words.h"

namespace rff {
namespace {

std::string action_words(const MemoryError& e) {
  switch (e.op) {
    case OpKind::kRead: return "reads";
    case OpKind::kWrite: return "writes";
    case OpKind::kReadModifyWrite: return "updates";
    default: return "uses";
  }
}

// Returns "4 bytes", or what else the thread uses.
std::string object_words(const MemoryError& e) {
  switch (e.op) {
    case OpKind::kRead:
    case OpKind::kWrite:
    case OpKind::kReadModifyWrite: return count(e.size, "byte");
    case OpKind::kLock:
    case OpKind::kUnlock:
    case OpKind::kTryLockFailed: return "a lock";
    case OpKind::kReadLock:
    case OpKind::kReadUnlock: return "a read-write lock";
    case OpKind::kWait:
    case OpKind::kWake:
    case OpKind::kSignal:
    case OpKind::kBroadcast: return "a condition variable";
    case OpKind::kSemaphoreWait:
    case OpKind::kSemaphorePost: return "a semaphore";
    case OpKind::kBarrier: return "a barrier";
    default: return "an object";
  }
}

std::string block_words(const MemoryError& e) {
  return "a block of " + count(e.block_size, "byte");
}

std::string freed_words(const MemoryError& e) {
  bool own = e.freed_by == e.thread;
  return own ? "that it had freed itself" : "that thread " + e.freed_by_name + " had freed";
}

std::string maker(AllocatorFamily family) {
  return family == AllocatorFamily::kNew        ? "new"
         : family == AllocatorFamily::kNewArray ? "new[]"
                                                : "malloc";
}

std::string releaser(AllocatorFamily family) {
  return family == AllocatorFamily::kNew        ? "delete"
         : family == AllocatorFamily::kNewArray ? "delete[]"
                                                : "free";
}

std::string area_words(const MemoryError& e) {
  switch (e.area) {
    case MemoryArea::kBlock:
      return "an address " + count(e.address - e.block, "byte") + " inside " + block_words(e);
    case MemoryArea::kGlobal: return "the address of a global variable";
    case MemoryArea::kStack: return "an address on the stack of thread " + e.allocated_by_name;
    default: return "an address that is no block";
  }
}

}  // namespace

std::string memory_error_words(FindingKind kind, const MemoryError& e, const std::string& part) {
  std::string what = action_words(e) + " " + object_words(e);
  std::string named = part.empty() ? "" : " (" + part + ")";
  bool frees = e.op == OpKind::kFree;
  switch (kind) {
    case FindingKind::kUseAfterFree:
      return (frees ? "frees an address" : what) + " at offset " +
             std::to_string(e.address - e.block) + " of " + block_words(e) + named + " " +
             freed_words(e);
    case FindingKind::kHeapOverflow:
      return what +
             (e.address >= e.block + e.block_size
                  ? ", " + count(e.address - e.block - e.block_size, "byte") + " behind "
                  : " at offset " + std::to_string(e.address - e.block) + ", of which " +
                        std::to_string(e.wrong - e.address) + " fit, of ") +
             block_words(e) + named;
    case FindingKind::kHeapUnderflow:
      return what + ", beginning " + count(e.block - e.address, "byte") + " before " +
             block_words(e) + named;
    case FindingKind::kDoubleFree: return "frees " + block_words(e) + named + " " + freed_words(e);
    case FindingKind::kInvalidFree: return "frees " + area_words(e);
    case FindingKind::kMismatchedFree:
      return "gives " + block_words(e) + named + " from " + maker(e.allocated_with) + " to " +
             releaser(e.freed_with);
    case FindingKind::kStackUseAfterReturn:
      return what +
             (e.freed_by == kNoThread ? " in a frame that has returned, of thread "
                                      : " on the stack of an ended thread, ") +
             e.allocated_by_name;
    default: return "";
  }
}

}  // namespace rff
