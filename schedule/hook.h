// The hook contract between patched files (written by instrument/) and the runtime (libsched/).
//
// A patched module carries one ELF note (owner "RFF", type kNoteType) in a PT_NOTE segment whose
// descriptor is a HookNote. The runtime finds it with dl_iterate_phdr, in the executable, in shared
// libraries and after dlopen, and fills the module's HookSlots. While a slot is null the patched
// code skips the call, so a patched program without the runtime behaves as the original.
//
// All addresses in these structures are link-time addresses: add the module's load bias.
// The types are plain C layouts shared by files on disk; a change means a new kHookVersion.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/joined.h"

namespace rff::hook {

inline constexpr char kNoteOwner[] = "RFF";
inline constexpr std::uint32_t kNoteType = 1;
inline constexpr std::uint32_t kHookVersion = 6;

// The effect of an instruction on memory. `kCompareExchange` is a read-modify-write if it succeeds
// and a read if it fails; the runtime compares the accumulator with memory to tell.
enum class SiteKind : std::uint8_t {
  kRead = 0,
  kWrite = 1,
  kReadModifyWrite = 2,
  kCompareExchange = 3,
  kString = 4,  // movs/stos/lods/cmps/scas, with or without a rep prefix
  kVector = 5,  // gathers, scatters and masked vector accesses
  kSyscall = 6,
  kTimestamp = 7,  // rdtsc; rdtscp (SiteRecord::length 3) writes ecx too
  kRandom = 8,     // rdrand, rdseed; SiteDetail::base_register is the destination
  // cpuid and rdpid, which tell on what processor they run; base_register: the destination of rdpid
  kProcessor = 9,
  // The first instruction of a function that is no access; only in files patched with --calls.
  kEntry = 10,
};

enum SiteFlags : std::uint8_t {
  kLocked = 1,        // lock prefix or xchg
  kStackOperand = 2,  // the operand is based on rsp or rbp
  kComplex = 4,       // reported through HookSlots::complex
  kFirst = 8,         // the first instruction of a function; only in files patched with --calls
};

// One entry per instrumented instruction; the index in the table is the `site` passed to the hook.
struct SiteRecord {
  std::uint64_t address;       // address of the original instruction
  std::uint64_t copy_address;  // address of its copy in the patched file; 0: it executes in place
  SiteKind kind;
  std::uint8_t flags;   // SiteFlags
  std::uint16_t size;   // bytes accessed (string, vector: by one element)
  std::uint8_t length;  // length of the instruction in bytes
  std::uint8_t reserved0;
  std::uint16_t detail;        // index into the details table, kNoDetail if not complex
  std::uint64_t operand_hint;  // rip-relative or absolute operand: its address; else 0
};
static_assert(sizeof(SiteRecord) == 32);
inline constexpr std::uint16_t kNoDetail = 0xffff;

// How the runtime evaluates the accesses of a complex site from HookRegisters. Distinct details are
// stored once. Registers are numbered as in the instruction encoding (rax=0, rcx=1, … r15=15),
// kNoRegister if absent.
inline constexpr std::uint8_t kNoRegister = 0xff;
enum class StringOp : std::uint8_t { kNone, kMovs, kStos, kLods, kCmps, kScas };
enum class RepPrefix : std::uint8_t { kNone, kRep, kRepe, kRepne };
// Selects the elements that a vector site touches.
enum class MaskKind : std::uint8_t {
  kSignBits,    // those whose element of a vector register is negative
  kBits,        // those whose bit is set, in a k register
  kPackedBits,  // the same, but adjacent in memory: compress and expand
};

struct SiteDetail {
  StringOp string_op;
  RepPrefix rep;
  std::uint8_t address_bits;    // 64 or 32
  std::uint8_t is_write;        // vector: a masked store or scatter
  std::uint8_t base_register;   // memory operand; kNoRegister if none
  std::uint8_t index_register;  // general purpose index; kNoRegister for vector index
  std::uint8_t scale;
  MaskKind mask;                   // vector
  std::uint8_t element_count;      // vector; compare-exchange: 2 if it compares a pair of registers
  std::uint8_t mask_element_size;  // bytes between sign bits of a vector mask
  std::uint8_t index_size;         // vector index: 4 or 8 bytes; 0 when contiguous
  std::uint8_t reserved;
  std::int32_t displacement;
};
static_assert(sizeof(SiteDetail) == 16);

// The registers at the site as the original instruction would see them. A complex hook that has
// emulated the instruction (kSkipInstruction) may change `gpr` and `rflags`.
struct HookRegisters {
  std::uint64_t gpr[16];  // rax rcx rdx rbx rsp rbp rsi rdi r8 … r15
  std::uint64_t rflags;
  std::uint64_t rip_relative;          // effective address for rip-relative operands, else 0
  alignas(16) std::uint8_t index[64];  // vector sites: the index register
  alignas(16) std::uint8_t mask[64];   // vector sites: the mask register (or k register bits)
};

// --branches hooks the start of a block that a jump leads to, and comparisons.
enum class BranchKind : std::uint8_t { kBlock, kComparison };

enum BranchFlags : std::uint8_t {
  kConstant = 1,  // the second operand is an immediate, or the zero of `test x, x`
  kSwapped = 2,   // the hook is given the second operand first
};

// One entry per hooked block or comparison; the index in the table is the `number` passed to the
// hook. An instruction may have one of each.
struct BranchRecord {
  std::uint64_t address;  // address of the original instruction
  BranchKind kind;
  std::uint8_t width;  // bytes compared: 1, 2, 4 or 8
  std::uint8_t flags;  // BranchFlags
  std::uint8_t reserved[5];
};
static_assert(sizeof(BranchRecord) == 16);

enum ComplexResult : int { kExecuteInstruction = 0, kSkipInstruction = 1 };

struct HookSlots;

// HookSlots::access points to this; the runtime may store data of its own behind it. Patched code
// calls `enter` with a calling convention that keeps an access cheap: rdi holds the address, esi
// the site, rcx this object. `enter` must preserve all other registers, including vector and x87
// state, and the direction flag, which may be set. It may change the other flags. The stack is not
// aligned. hook_entry.h generates such an entry for an ordinary function.
struct AccessHook {
  void (*enter)();
};

// HookSlots::block and HookSlots::comparison point to such objects, too. At a block, rdi is
// meaningless and esi holds the number. At a comparison, rdi and rdx hold the operands, whose bytes
// beyond BranchRecord::width are meaningless, and the flags need not be preserved.

// The complex hook is called with a 16-byte aligned stack and a clear direction flag. It must not
// change vector and x87 state, which the patched code has not saved.
using ComplexHook = int (*)(HookRegisters* registers, std::uint32_t site, HookSlots* slots);

// Unwinding from either hook leads to the site's original address.

// Lies in the module's writable segment and is zero in the file.
struct HookSlots {
  std::uint64_t access;      // AccessHook*
  std::uint64_t complex;     // ComplexHook
  std::uint64_t runtime;     // private to the runtime; patched code never reads it
  std::uint64_t block;       // AccessHook*
  std::uint64_t comparison;  // AccessHook*
  std::uint64_t reserved;
};

// One entry of the new→old address map, sorted by `copy`; every address up to the next entry stands
// for `original`.
struct AddressMapEntry {
  std::uint64_t copy;
  std::uint64_t original;
};

// Functions of a sanitizer's runtime that our runtime calls.
enum SanitizerFunction : std::uint32_t {
  kSetReportDescriptor,  // __sanitizer_set_report_fd
  kInstallHeapHooks,     // __sanitizer_install_malloc_and_free_hooks
  kCheckLeaks,           // __lsan_do_leak_check
  kCheckLoad,            // __asan_loadN
  kCheckStore,           // __asan_storeN
  kSanitizerFunctions
};

enum SanitizerKind : std::uint32_t { kAddressSanitizer = 1, kLeakSanitizer = 2 };

// Describes the sanitizer runtime that is linked into the module; all zero if there is none. Its
// code contains no sites.
struct SanitizerNote {
  std::uint64_t code_begin, code_end;
  std::uint64_t functions[kSanitizerFunctions];  // addresses; 0: absent or unknown
  std::uint64_t kinds;                           // SanitizerKind
};

struct HookNote {
  std::uint32_t version;  // kHookVersion
  std::uint32_t backend;  // 0 builtin, 1 e9patch
  std::uint64_t slots;    // HookSlots
  std::uint64_t sites;    // SiteRecord[site_count], sorted by address, read-only memory
  std::uint64_t site_count;
  std::uint64_t details;  // SiteDetail[detail_count]
  std::uint64_t detail_count;
  std::uint64_t address_map;  // AddressMapEntry[address_map_count]
  std::uint64_t address_map_count;
  std::uint64_t code_begin;  // the segment with the copies
  std::uint64_t code_end;
  std::uint64_t branches;  // BranchRecord[branch_count]; none without --branches
  std::uint64_t branch_count;
  SanitizerNote sanitizer;
  JoinedNote joined;
};

}  // namespace rff::hook
