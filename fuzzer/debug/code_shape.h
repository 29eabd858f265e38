// Classifies a function by its instructions: it does work itself, or only forwards to the functions
// that it calls.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rff {

class DebugModule;

// Ranges of code, link-time addresses.
using CodeRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

class CodeShapes {
 public:
  explicit CodeShapes(DebugModule& module) : module_(module) {}

  // Returns whether the code that calls at `call` only forwards: a wrapper of a lock, a guard, a
  // check, or a function that reports a failure and does not return. `whole`: the ranges are a
  // compiled function, not an inlined one.
  bool forwards(const CodeRanges& ranges, std::uint64_t call, bool whole);

 private:
  enum class Flow { kNext, kBranch, kReturn, kCall, kTrap };
  struct Instruction {
    std::uint64_t address = 0;  // in the original code
    std::uint64_t end = 0;
    Flow flow = Flow::kNext;
    std::uint64_t target = 0;  // of a direct call or jump; otherwise 0
  };
  // Counts leave out stretches that end in a call that does not return.
  struct Shape {
    int calls = 0;
    int accesses = 0;          // without those of the stack
    bool returns = false;      // or jumps elsewhere
    bool calls_there = false;  // the instruction at the address calls or traps
    bool call_fails = false;   // the call is in a stretch that ends without return
  };

  Shape shape(const CodeRanges& ranges, std::uint64_t call);
  std::vector<Instruction> instructions(std::uint64_t begin, std::uint64_t end);
  Instruction decode(std::uint64_t original, std::uint64_t address);
  int accesses(std::uint64_t begin, std::uint64_t end);
  bool does_not_return(std::uint64_t function);
  std::string called_name(std::uint64_t function);
  void read_slots();

  DebugModule& module_;
  std::map<std::uint64_t, std::string> slots_;  // names of functions of other modules
  bool slots_read_ = false;
  std::map<std::uint64_t, std::uint64_t> copies_;  // by address of the original
  std::map<std::uint64_t, bool> known_;            // does_not_return
};

}  // namespace rff
