// One row for each system call that the runtime has a word to say about: number, name, class,
// handler. To add one, add its row in system_call_table.cc.
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
  // The handler does what the C library's function for it does, which is interposed.
  kModelled,
  // It may wait for something that nobody models: it is made, and named in the report.
  kMayWait,
  // Changes nothing that other threads or the clock could tell: it is made as it is. So are calls
  // without a row.
  kPlain,
};

struct SystemCall {
  long number;
  const char* name;  // "syscall(SYS_…)"
  SystemCallClass klass;
  // The kernel's value; none: the program's own instruction is to make the call. Null unless
  // modelled.
  std::optional<long> (*handler)(const SystemCallArguments&);
};

// Null if there is no row for this number.
const SystemCall* find_system_call(long number);

}  // namespace rff
