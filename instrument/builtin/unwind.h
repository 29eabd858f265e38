// Builds unwind information for the copies and the stubs, joined with the file's own: a new
// .eh_frame and its search table.
//
// A frame inside a copy unwinds as at the original instruction. A stub unwinds to the original
// address of its site, as from a signal, so that a backtrace taken in the hook shows the program's
// own code.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/builtin/copier.h"
#include "instrument/builtin/stubs.h"
#include "instrument/program.h"

namespace rff::instrument::builtin {

struct UnwindTables {
  std::vector<std::uint8_t> bytes;  // .eh_frame, .eh_frame_hdr, language-specific data of copies
  std::uint64_t frames_size = 0;
  std::uint64_t header_offset = 0;
  std::uint64_t header_size =
      0;  // 0: the file's own tables could not be joined and stay as they are
};

struct UnwindInput {
  const Program& program;
  const std::vector<bool>& copied;  // per function
  const Copies& copies;
  const Stubs& stubs;
  ModuleAddresses module;
  JoinedStubs joined;  // empty: there are none
};

// `address`: where the tables will lie.
UnwindTables build_unwind_tables(const UnwindInput& input, std::uint64_t address);

}  // namespace rff::instrument::builtin
