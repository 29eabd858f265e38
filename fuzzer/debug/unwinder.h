// Reconstructs the stacks of stopped threads at the end of a run, from the registers and stack
// bytes in its trace.
//
// A stopped thread is inside the runtime, which patched code or an intercepted library call has
// entered: the unwinder passes those frames by their call frame information and returns only the
// program's frames.
#pragma once

#include <vector>

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/debug_info.h"

namespace rff {

struct Frame {
  CodeName code;
  bool exact = false;     // `code` is the instruction itself, not the one after a call
  std::uint64_t cfa = 0;  // canonical frame address; 0 if unknown
  // Values of the registers while the frame calls the next inner one. Variables are relative to
  // them.
  std::optional<std::uint64_t> rbp, rsp;
};

class Unwinder {
 public:
  Unwinder(const Trace& trace, DebugInfo& debug) : trace_(trace), debug_(debug) {}

  // Returns frames, innermost first. Empty if the thread has not run yet.
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
  // Sets the caller's registers. Returns false at the end of the stack or of the known part.
  bool step(Registers& r, const Trace::Stack& stack);
  std::optional<std::uint64_t> site_of_stub(const Found& stub, const Trace::Stack& stack);

  const Trace& trace_;
  DebugInfo& debug_;
};

}  // namespace rff
