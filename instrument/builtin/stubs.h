// Emits the stubs: per-module routines between the inline code at a site and the runtime's hooks.
//
// S is the program's rsp at the site. The inline code has moved rsp below the red zone (and below
// kVectorArea bytes for vector registers, if the site has some), pushed rdi and rsi, put the
// operand's address into rdi and the site's number into esi, and called the stub. The stub restores
// everything and returns to the instruction with rsp = S. No flag and no register except the two
// pushed ones changes on the way in. `access_flags_dead` does not restore the arithmetic flags.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/builtin/code_buffer.h"
#include "schedule/hook.h"

namespace rff::instrument::builtin {

inline constexpr std::int32_t kRedZone = 128;
inline constexpr std::int32_t kVectorArea = 128;  // HookRegisters::index and mask
// Before a comparison the inline code leaves the second operand right below the red zone.
inline constexpr std::int32_t kSecondOperand = 8;

struct ModuleAddresses {
  std::uint64_t slots;
  std::uint64_t sites;
  std::uint64_t branches = 0;  // 0: the module has no such table, and no stubs for it
};

// Facts about the stubs for the unwinder. All distances are from S down.
struct AccessStubFrame {
  std::uint64_t begin;
  std::uint64_t rcx_pushed;
  Reg second;                   // the register that is pushed after rcx: rax or rdx
  std::uint64_t second_pushed;  // 0: none is
  std::uint64_t second_popped;
  std::uint64_t rcx_popped;
  std::uint64_t end;
  std::int32_t moved;  // S minus rsp at `begin`, where rsp points to the return address
  bool of_branch;      // the number is one of a BranchRecord, not of a SiteRecord
};

// Up to `framed` rsp is a known distance from S. From there to the first of `after` it points to
// HookRegisters, followed by the site's number and the address of the slots.
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
  std::vector<StubRow> after;  // from the first of these on, distances are known again
};

struct Stubs {
  std::uint64_t access = 0;
  std::uint64_t access_flags_dead = 0;
  std::uint64_t access_in_thunk =
      0;  // a return address lies between S and the inline code's pushes
  // Where `enter` returns to.
  std::uint64_t access_return = 0;
  std::uint64_t access_flags_dead_return = 0;
  std::uint64_t complex = 0;
  std::uint64_t vector = 0;
  std::uint64_t block = 0;
  std::uint64_t block_flags_dead = 0;
  std::uint64_t comparison = 0;  // the flags are dead
  std::vector<AccessStubFrame> access_frames;
  std::vector<ComplexStubFrame> complex_frames;
};

Stubs emit_stubs(CodeBuffer& code, const ModuleAddresses& module);

}  // namespace rff::instrument::builtin
