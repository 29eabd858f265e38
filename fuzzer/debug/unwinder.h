// Stacks of the stopped threads of a run that has ended, from the registers and stack bytes in its
// trace.
//
// A stopped thread is inside the runtime, which patched code or an intercepted library call
// entered: the unwinder goes through those frames by their call frame information and hands back
// only what belongs to the program.
#pragma once

#include <vector>

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/debug_info.h"

namespace rff {

struct Frame {
  CodeName code;
  bool exact = false;     // `code` is the instruction itself, not the one after a call
  std::uint64_t cfa = 0;  // canonical frame address; 0 if unknown
  // The frame has these values while it calls the next inner one. Variables are relative to them.
  std::optional<std::uint64_t> rbp, rsp;
};

class Unwinder {
 public:
  Unwinder(const Trace& trace, DebugInfo& debug) : trace_(trace), debug_(debug) {}

  // Innermost first. Empty if the thread has not run yet.
  std::vector<Frame> unwind(const Trace::Stack& stack);

 private:
  struct Registers;
  struct Found {
    const Trace::Module* module = nullptr;
    DebugModule* debug = nullptr;
    std::uint64_t address = 0;  // link-time
  };

  Found find(std::uint64_t rip);
  bool is_code(const Found& f) const;
  std::optional<std::uint64_t> read_module(std::uint64_t address);
  bool is_runtime(const Found& f) const;
  // Registers of the caller; false at the end of the stack or of what is known.
  bool step(Registers& r, const Trace::Stack& stack);
  std::optional<std::uint64_t> site_of_stub(const Found& stub, const Trace::Stack& stack);

  const Trace& trace_;
  DebugInfo& debug_;
};

}  // namespace rff
