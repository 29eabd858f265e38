// What lies on the stack when a program starts: arguments, environment, auxiliary vector.
#pragma once

#include <elf.h>

#include <cstdint>

namespace rff::placement {

// Finds them where the kernel has laid them, and lays them anew. The stack pointer is the same
// whatever they are; the addresses of arguments depend on arguments alone.
class FirstStack {
 public:
  FirstStack(int argc, char** argv, char** environment);

  // The value of an entry of the auxiliary vector, 0 if there is none.
  std::uint64_t auxiliary(std::uint64_t type) const;
  // The value of "NAME=…", null if there is none.
  const char* variable(const char* name_and_sign) const;

  // Maps `bytes` of stack below kStack and what lies above it. False: no memory.
  bool map_at_place(std::uint64_t bytes, bool executable);
  // New values for entries of the auxiliary vector; one that is not there is not added.
  struct Entry {
    std::uint64_t type, value;
  };
  void lay(const Entry* changed, int count);

  // After that:
  struct Strings {
    std::uint64_t begin, end;
  };
  Strings arguments, variables;
  Elf64_auxv_t* vector = nullptr;
  std::uint64_t vector_bytes = 0;

 private:
  std::uint64_t lay_string(const char* text);

  int argc_;
  int variables_ = 0;  // that the program gets
  int entries_ = 0;
  char** argv_;
  char** environment_;
  const Elf64_auxv_t* auxiliary_;
  std::uint64_t strings_ = 0;  // where the next one goes
};

}  // namespace rff::placement
