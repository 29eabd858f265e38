// The locks of files that the program holds: which thread took each, and through what.
//
// The kernel decides who gets a lock. This table adds what it does not tell: whether only the
// program can end a wait for one, and who in it would have to. A lock of flock, or one of fcntl for
// an open file description, belongs to the description; other locks of fcntl belong to the process,
// so threads never wait for each other's.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "libsched/interpose/descriptors/description.h"

namespace rff {

struct FileLock {
  bool flock = false;  // of flock; it knows nothing of those of fcntl
  bool exclusive = false;
  off_t begin = 0, end = 0;            // the last byte is before `end`
  const Description* owner = nullptr;  // null: the process
  Thread* thread = nullptr;            // that took it
  CodeName since;

  // Whether one of them has to wait for the other.
  bool excludes(const FileLock& other) const {
    return flock == other.flock && owner != other.owner && (exclusive || other.exclusive) &&
           begin < other.end && other.begin < end;
  }
};

struct LockedFile {
  std::uint64_t device = 0, number = 0;
  Location place;
  std::vector<FileLock> held;
  // Locks of flock on it are those by which runs take turns (FileTurn): the run has it for itself,
  // and the table alone decides who in the program gets one.
  bool of_turn = false;
};

namespace file_locks {

// Returns the file of an open descriptor; null if it cannot be found out.
LockedFile* find(int fd);
// Whether there is a lock that excludes this one, and that only the program can release. Returns
// it, or null.
const FileLock* held_inside(const LockedFile& file, const FileLock& wanted);
// Returns a lock of the same owner and family; null if there is none.
const FileLock* held_by_owner(const LockedFile& file, const FileLock& lock);
// The kernel has granted the lock, in place of what its owner held there.
void took(LockedFile& file, const FileLock& lock);
// Its owner holds nothing there any more.
void released(LockedFile& file, const FileLock& range);
void closed(const Description& d);
// The descriptor is about to be closed, and with it go locks: a step for each file.
void will_close(int fd, const void* caller);

// Whether another process waits for a lock of this one, or for one that waits for it.
bool waits_for_this_process(pid_t other);

}  // namespace file_locks
}  // namespace rff
