// The initial stack of a program: arguments, environment, auxiliary vector.
#pragma once

#include <elf.h>

#include <cstdint>

namespace rff::placement {

// Finds them where the kernel has put them, and builds a new stack from them. The stack pointer
// does not depend on them; the addresses of arguments depend only on the arguments.
class FirstStack {
 public:
  FirstStack(int argc, char** argv, char** environment);

  // Returns an entry of the auxiliary vector; 0 if there is none.
  std::uint64_t auxiliary(std::uint64_t type) const;
  // Returns the value of "NAME=…"; null if there is none.
  const char* variable(const char* name_and_sign) const;

  // Maps `bytes` of stack below kStack and the memory above it. Returns false if there is no
  // memory.
  bool map_at_place(std::uint64_t bytes, bool executable);
  // Replaces entries of the auxiliary vector; missing ones are not added.
  struct Entry {
    std::uint64_t type, value;
  };
  void lay(const Entry* changed, int count);

  // Valid after map_at_place:
  struct Strings {
    std::uint64_t begin, end;
  };
  Strings arguments, variables;
  Elf64_auxv_t* vector = nullptr;
  std::uint64_t vector_bytes = 0;

 private:
  std::uint64_t lay_string(const char* text);

  int argc_;
  int variables_ = 0;  // passed on to the program
  int entries_ = 0;
  char** argv_;
  char** environment_;
  const Elf64_auxv_t* auxiliary_;
  std::uint64_t strings_ = 0;  // address of the next one
};

}  // namespace rff::placement
