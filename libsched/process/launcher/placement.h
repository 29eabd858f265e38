// Shared by rff-launch and librff_place.so, which it makes the loader call: the addresses of the
// parts of a process, and the variables by which one instructs the other.
#pragma once

#include <cstdint>

namespace rff::placement {

// One gigabyte holds all parts of the program, so that a child of the fork server creates few page
// tables. It is below all addresses at which the kernel randomly places mappings (at most 16
// terabytes below the end of the address space), and everything above it is reserved: the kernel's
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
inline constexpr std::uint64_t kScratch =
    kWindowEnd - 0x1'0000;  // a stack while everything else is moved
inline constexpr std::uint64_t kOwnCode = kStackRoom - 0x1'0000;
inline constexpr std::uint64_t kAddressesEnd = 0x7fff'ffff'f000;

// Limit of the stack while the program starts: with more the kernel maps elsewhere.
inline constexpr std::uint64_t kMostStackAtStart = 64 << 20;

// Prefix of variables that the program gets without it.
inline constexpr char kKept[] = "RFF_KEPT_";
// Variables from here on are for the first start only. The value is the path of librff_place.so.
inline constexpr char kFirstStart[] = "RFF_FIRST_START=";
inline constexpr char kStackLimit[] = "RFF_STACK_LIMIT=";  // the soft limit, to be restored
// Tells the runtime that the program was placed.
inline constexpr char kPlaced[] = "RFF_PLACED=1";

}  // namespace rff::placement
