// Parts of generated code that checks of groups consist of: opcodes, and where
// things are.
#pragma once

#include <cstddef>

#include "instrument/builtin/joined_check.h"

namespace rff::instrument::builtin {

using hook::JoinedCache;
using hook::JoinedCacheSlot;
using hook::JoinedCell;
using hook::JoinedSlots;
using hook::JoinedThread;

// Conditions of jumps.
inline constexpr std::uint8_t kBelow = 2, kEqual = 4, kNotEqual = 5, kAbove = 7;

// Opcodes: register (first operand) and memory (second operand), or the reverse
// for stores.
inline constexpr std::uint8_t kAdd = 0x03, kAnd = 0x23, kSub = 0x2b, kXor = 0x33, kCompare = 0x3b,
                              kMove = 0x8b, kStore = 0x89, kStoreXor = 0x31, kCompareWith = 0x39;
// With an 8-bit immediate, sign-extended; the operation takes the place of a
// register.
inline constexpr std::uint8_t kSmall = 0x83, kSmallAdd = 0, kSmallAnd = 4, kSmallCompare = 7;
// The same with 8-bit operands.
inline constexpr std::uint8_t kByte = 0x80, kByteOr = 1, kByteCompare = 7;
inline constexpr std::uint8_t kTestByte = 0xf6, kStoreByte = 0xc6, kStoreImmediate = 0xc7;

inline std::int32_t of(std::size_t offset) { return static_cast<std::int32_t>(offset); }
#define CELL(field) of(offsetof(JoinedCell, field))
#define THREAD(field) of(offsetof(JoinedThread, field))
#define SLOT(field) (module_.slots + offsetof(JoinedSlots, field))

inline std::uint64_t saved_in(const JoinedAddresses& module, Reg reg) {
  return module.slots + offsetof(JoinedSlots, saved) + 8 * std::size_t{reg};
}

// Emits jmp [address].
inline void jump_by(CodeBuffer& code, std::uint64_t address) {
  code.access_at(0xff, 4, address, false);
}

// Emits a short jump to code that follows. Returns where its distance goes.
inline std::size_t jump_short(CodeBuffer& code, std::uint8_t condition) {
  code.bytes({static_cast<std::uint8_t>(0x70 | condition), 0x00});
  return code.size();
}
inline void land(CodeBuffer& code, std::size_t behind_jump) {
  RFF_CHECK(code.size() - behind_jump < 128);
  code.overwrite(behind_jump - 1, static_cast<std::uint8_t>(code.size() - behind_jump));
}

}  // namespace rff::instrument::builtin
