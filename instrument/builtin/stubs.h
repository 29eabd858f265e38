// The per-module routines between the inline code at a site and the runtime's hooks.
//
// With S the program's rsp at the site, the inline code has moved rsp below the red zone (and below
// kVectorArea bytes for vector registers, if the site has some), pushed rdi and rsi, put the
// operand's address into rdi and the site's number into esi, and called the stub. The stub restores
// everything and returns to the instruction with rsp = S. No flag and no register but the two
// pushed ones changes on the way in.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/builtin/code_buffer.h"

namespace rff::instrument::builtin {

inline constexpr std::int32_t kRedZone = 128;
inline constexpr std::int32_t kVectorArea = 128;  // HookRegisters::index and mask

struct ModuleAddresses {
  std::uint64_t slots;
  std::uint64_t sites;
};

// What the unwinder has to know of one stub; all distances are from S down. Up to `framed` rsp is a
// known distance from S; from there to `unframed` it points at the saved registers, with S, the
// site's number and the address of the slots at fixed places; then distances are known again.
struct StubRow {
  std::uint64_t at;
  std::int32_t moved;  // S minus rsp
};
struct StubFrame {
  std::uint64_t begin;
  std::uint64_t end;
  std::int32_t moved;           // S minus rsp at `begin`
  std::vector<StubRow> before;  // while registers are pushed
  std::uint64_t by_rdx;         // from here to `framed`, S is in rdx
  std::uint64_t framed;
  std::vector<StubRow> after;  // from the first of these on distances are known again
  std::uint64_t framed_again;  // out-of-line part with the saved registers; 0 if there is none
  std::int32_t s_offset;       // where S is saved
  std::int32_t site_offset;    // the site's number; 8 above it, the address of the slots
  bool full;                   // HookRegisters, not HookFrame
};

struct Stubs {
  std::uint64_t access = 0;
  std::uint64_t access_in_thunk =
      0;  // a return address lies between S and what the inline code left
  std::uint64_t complex = 0;
  std::uint64_t vector = 0;
  std::vector<StubFrame> frames;
};

Stubs EmitStubs(CodeBuffer& code, const ModuleAddresses& module);

}  // namespace rff::instrument::builtin
