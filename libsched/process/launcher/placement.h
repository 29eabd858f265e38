// What rff-launch and librff_place.so, which it has the loader call, agree on: where the parts of a
// process lie, and by which variables one tells the other what to do.
#pragma once

#include <cstdint>

namespace rff::placement {

// One gigabyte for everything of the program, so that a child of the fork server has few page
// tables to make. It lies below all places where the kernel puts mappings by chance (16 terabytes
// below the end of the address space at most), and everything above it is reserved: the kernel's
// search for room, which goes downwards, always begins below the loader.
//
//   kWindow        the program, then its heap, which grows upwards
//                  … mappings, downwards from the loader …
//                  the loader, up to kOwnCode
//   kOwnCode       the code of librff_place.so, which ends there in a jump
//   kStackRoom     the stack, down to its limit
//   kStack         the initial stack pointer, then arguments, environment, auxiliary vector
inline constexpr std::uint64_t kWindow = 0x6f00'c000'0000;
inline constexpr std::uint64_t kWindowEnd = 0x6f01'0000'0000;
inline constexpr std::uint64_t kMostProgram =
    0x1000'0000;  // larger ones end where the window begins
inline constexpr std::uint64_t kStackRoom = kWindowEnd - 0x1200'0000;
inline constexpr std::uint64_t kStack = kWindowEnd - 0x200'0000;
inline constexpr std::uint64_t kScratch = kWindowEnd - 0x1'0000;  // a stack while all else is moved
inline constexpr std::uint64_t kOwnCode = kStackRoom - 0x1'0000;
inline constexpr std::uint64_t kAddressesEnd = 0x7fff'ffff'f000;

// The stack's limit while the program is started: with more the kernel maps elsewhere.
inline constexpr std::uint64_t kMostStackAtStart = 64 << 20;

// Variables whose names begin so are the program's without these letters.
inline constexpr char kKept[] = "RFF_KEPT_";
// From here on variables are for the first start only. The value is the path of librff_place.so.
inline constexpr char kFirstStart[] = "RFF_FIRST_START=";
inline constexpr char kStackLimit[] = "RFF_STACK_LIMIT=";  // the soft one, to be put back
// Tells the runtime that all this was done.
inline constexpr char kPlaced[] = "RFF_PLACED=1";

}  // namespace rff::placement
