// Shared by the functions that wait for several descriptors.
#pragma once

#include <errno.h>

#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/signals/signals.h"

namespace rff {

// Sets another signal mask for its own lifetime, if one is given.
class DescriptorWait {
 public:
  explicit DescriptorWait(const sigset_t* mask)
      : changed_(mask != nullptr), before_(signals::mask()) {
    if (changed_) {
      signals::set_mask(signals::to_set(*mask));
    }
  }
  ~DescriptorWait() {
    if (changed_) {
      signals::set_mask(before_);
    }
  }
  DescriptorWait(const DescriptorWait&) = delete;
  DescriptorWait& operator=(const DescriptorWait&) = delete;

  // Whether a signal that only this mask lets through ends the wait before it begins; sets errno.
  bool interrupted_at_once() const {
    if (changed_ && signals::take(Interruption::kAlways)) {
      errno = EINTR;
      return true;
    }
    return false;
  }

 private:
  bool changed_;
  signals::Set before_;
};

}  // namespace rff
