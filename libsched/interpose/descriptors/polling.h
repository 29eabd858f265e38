// A wait of poll or select.
//
// The kernel looks at one descriptor after the other, in the order of the list (select: by number),
// and others act between two looks: an answer may hold the later of two events and lack the
// earlier. So each look at a descriptor whose ends are in the program is a step of its own. What is
// ready when it is looked at is in the answer, always: POSIX promises that of both functions.
#pragma once

#include <poll.h>

#include <cstdint>
#include <vector>

#include "libsched/interpose/interpose.h"

namespace rff {

class Polling {
 public:
  struct Item {
    int fd;
    short events;     // asked of the kernel
    short counts;     // what of its answer makes the descriptor ready
    short found = 0;  // what the last look has found
  };

  Polling(const char* name, const void* caller) : name_(name), caller_(caller) {}
  void add(const Item& item) { items_.push_back(item); }
  const std::vector<Item>& items() const { return items_; }

  bool any_ready() const;
  // Returns true when a look has found something, or none has and `deadline` is reached, or the
  // call `polls`: it does not wait. Returns false, with errno set, if a signal ended the wait.
  bool wait(bool polls, std::uint64_t deadline);

 private:
  // Something with which looking at a descriptor is in conflict.
  struct Object {
    const void* address;
    Location place;
  };

  std::vector<Object> objects(const Item& item) const;
  bool only_the_program_can_end_it() const;
  // Returns whether it has found something. `begun`: the first look is the step that has just been
  // taken.
  bool look_at_all(bool begun);
  Operation look(const Object& object) const;
  // Returns false if a signal ended the wait; `last`: time did.
  bool await(std::uint64_t deadline, bool* last);

  const char* name_;
  const void* caller_;
  std::vector<Item> items_;
};

}  // namespace rff
