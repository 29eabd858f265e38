// Lets runs take turns with names that they share: files, and objects that the system names.
#pragma once

#include "libsched/interpose/interpose.h"

namespace rff {

// Call before the program opens a file for reading.
inline void will_read(const char* path) {
  if (controlled() && runtime->process.files.before_reading(path) == FileTurn::Got::kNothing) {
    touched_outside("files that another run uses");
  }
}

// Call before the program creates, changes or removes something that has a name. Each run does that
// itself, so runs begin here at the latest.
inline void will_change() {
  if (controlled()) {
    runtime->start_run();
    if (runtime->process.files.before_changing() == FileTurn::Got::kNothing) {
      touched_outside("files that another run uses");
    }
  }
}

// The same for a file. Devices and files of /proc are exempt: writing does not change them.
void will_change(const char* path);

}  // namespace rff
