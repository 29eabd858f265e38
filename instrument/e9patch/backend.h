// The e9patch backend. Tables, slots and stubs are those of the built-in backend; E9Patch, a
// separate program that reads JSON-RPC messages, puts the inline code of every site into
// trampolines. Trampolines have no unwind information: a signal handler entered there can neither
// throw nor take a backtrace of the program, which the built-in backend allows.
#pragma once

#include <string>
#include <vector>

#include "instrument/new_file.h"
#include "instrument/patch_plan.h"
#include "instrument/program.h"
#include "instrument/result.h"

namespace rff::instrument::e9patch {

struct Options {
  std::string program = "e9patch";  // looked up on PATH if it has no slash
  bool allow_traps = false;
};

struct Rewritten {
  std::vector<bool> hooked;  // per site of the program of the original file
  std::uint64_t output_bytes = 0;
};

Result<Rewritten> rewrite(Program& program, const Options& options, NewFile& output);

}  // namespace rff::instrument::e9patch
