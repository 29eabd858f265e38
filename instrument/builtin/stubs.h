// The per-module routines between the inline code at a site and the runtime's hooks.
//
// With S the program's rsp at the site, the inline code has moved rsp below the red zone (and below
// kVectorArea bytes for vector registers, if the site has some), pushed rdi and rsi, put the
// operand's address into rdi and the site's number into esi, and called the stub. The stub restores
// everything and returns to the instruction with rsp = S. No flag and no register but the two
// pushed ones changes on the way in. `access_flags_dead` does not restore the arithmetic flags.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/builtin/code_buffer.h"
#include "schedule/hook.h"

namespace rff::instrument::builtin {

inline constexpr std::int32_t kRedZone = 128;
inline constexpr std::int32_t kVectorArea = 128;  // HookRegisters::index and mask

struct ModuleAddresses {
  std::uint64_t slots;
  std::uint64_t sites;
};

// What the unwinder has to know of the stubs; all distances are from S down.
struct AccessStubFrame {
  std::uint64_t begin;
  std::uint64_t rcx_pushed;
  std::uint64_t rax_pushed;  // 0: rax stays as it is
  std::uint64_t rax_popped;
  std::uint64_t rcx_popped;
  std::uint64_t end;
  std::int32_t moved;  // S minus rsp at `begin`, where the return address lies
};

// Up to `framed` rsp is a known distance from S; from there to the first of `after` it points at
// HookRegisters, with the site's number and the address of the slots behind them.
inline constexpr std::int32_t kSavedSite = sizeof(hook::HookRegisters);
inline constexpr std::int32_t kSavedSlots = kSavedSite + 8;
struct StubRow {
  std::uint64_t at;
  std::int32_t moved;  // S minus rsp
};
struct ComplexStubFrame {
  std::uint64_t begin;
  std::uint64_t end;
  std::int32_t moved;           // S minus rsp at `begin`
  std::vector<StubRow> before;  // while registers are pushed
  std::uint64_t by_rdx;         // from here to `framed`, S is in rdx
  std::uint64_t framed;
  std::vector<StubRow> after;  // from the first of these on distances are known again
};

struct Stubs {
  std::uint64_t access = 0;
  std::uint64_t access_flags_dead = 0;
  std::uint64_t access_in_thunk =
      0;  // a return address lies between S and what the inline code left
  std::uint64_t complex = 0;
  std::uint64_t vector = 0;
  std::vector<AccessStubFrame> access_frames;
  std::vector<ComplexStubFrame> complex_frames;
};

Stubs emit_stubs(CodeBuffer& code, const ModuleAddresses& module);

}  // namespace rff::instrument::builtin
