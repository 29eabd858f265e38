// A table with one row for each system call that the runtime treats specially: number, name, class,
// handler. To add a system call, add its row in system_call_table.cc. All others are in the lists
// of system_call_classes.h; the compiler refuses a number that is nowhere.
#pragma once

#include <cstddef>
#include <optional>

namespace rff {

struct SystemCallArguments {
  const long (&words)[6];
  const void* caller;  // the code that makes the call

  template <typename T>
  T* pointer(int i) const {
    return reinterpret_cast<T*>(words[i]);
  }
  int number(int i) const { return static_cast<int>(words[i]); }
  std::size_t size(int i) const { return static_cast<std::size_t>(words[i]); }
};

enum class SystemCallClass : unsigned char {
  // The handler does the same as the C library's function for the call, which is interposed.
  kModelled,
  // The call may wait for something that has no model: it is made, and named in the report.
  kMayWait,
};

struct SystemCall {
  long number;
  const char* name;  // "syscall(SYS_…)"
  SystemCallClass klass;
  // Returns the kernel's value; nothing if the program's own instruction must make the call. Null
  // unless modeled.
  std::optional<long> (*handler)(const SystemCallArguments&);
};

// Returns null if there is no row for this number.
const SystemCall* find_system_call(long number);

}  // namespace rff
