// Decodes the code of a module into functions, instructions and sites.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "instrument/eh_frame.h"
#include "instrument/elf_file.h"
#include "instrument/register_use.h"
#include "instrument/site.h"

namespace rff::instrument {

enum class Flow : std::uint8_t {
  kNext,
  kJump,         // direct, unconditional
  kConditional,  // direct
  kCounted,      // jrcxz, jecxz, loop: direct, 8-bit displacement only
  kCall,         // direct
  kIndirectCall,
  kIndirectJump,
  kReturn,
  kStop,  // ud2, hlt, int3: execution does not continue
};

enum InstructionTrait : std::uint8_t {
  kIsEndbr = 1,
  kIsPadding = 2,        // nop, int3
  kTakesAddress = 4,     // lea or an immediate: `target` is an address taken, not accessed
  kLoadsTableEntry = 8,  // movsxd reg, [base + index*4], as jump tables use it
  kTouchesMemory = 16,   // reads or writes memory at `target` (rip-relative)
  kIsXbegin = 32,        // a branch to where a failed transaction continues
  kMayShowFlags = 64,    // see FlagEffect
  kAddsAddress = 128,    // adds a possible address to a 64-bit register
};

inline constexpr std::uint32_t kNone32 = std::numeric_limits<std::uint32_t>::max();

struct Instruction {
  std::uint64_t address = 0;
  std::uint64_t target =
      0;  // target of a direct branch or a rip-relative operand, or an address taken; otherwise 0
  std::uint32_t site = kNone32;
  std::uint32_t function = kNone32;
  std::uint8_t length = 0;
  Flow flow = Flow::kNext;
  std::uint8_t traits = 0;
  std::uint8_t displacement_offset = 0;  // offset of a rip-relative displacement, or 0
  std::uint16_t flags_overwritten = 0;   // see FlagEffect
  std::uint8_t frame_use = 0;            // see FrameUse
  std::uint8_t branch = 0;               // see BranchTrait; 0 without --branches
  RegisterUse registers;
  bool sets_direction = false;   // sets the direction flag
  bool site_is_complex = false;  // its hook may change registers
  std::uint64_t end() const { return address + length; }
  bool has(InstructionTrait trait) const { return (traits & trait) != 0; }
};

struct Function {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string name;
  std::uint32_t first = 0;  // instructions [first, first + count)
  std::uint32_t count = 0;
  std::uint32_t sites = 0;
  std::uint32_t frame = kNone32;  // index into EhFrame::frames
  std::string left_alone;         // why the function is not patched; empty if it may be
  bool unclaimed = false;         // a gap between functions
  bool holds_data = false;        // a gap with bytes that do not decode
  bool is_unclaimed() const { return unclaimed && !left_alone.empty(); }
};

// Linker-made code that jumps through slots which only the dynamic linker writes. It is part of
// every call to another module, and none of its accesses is an access of the program.
struct LinkageTable {
  std::string section;
  std::uint64_t begin;
  std::uint64_t end;
};

class Program {
 public:
  static Result<Program> decode(const ElfFile& file);

  const ElfFile& file() const { return *file_; }
  const EhFrame& eh_frame() const { return eh_frame_; }
  std::vector<Function>& functions() { return functions_; }
  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Site>& sites() const { return sites_; }
  const std::vector<LinkageTable>& linkage_tables() const { return linkage_tables_; }
  std::uint64_t text_begin() const { return text_begin_; }
  std::uint64_t text_end() const { return text_end_; }

  bool in_text(std::uint64_t address) const {
    return address - text_begin_ < text_end_ - text_begin_;
  }
  // Returns the instruction that begins at `address`, or kNone32.
  std::uint32_t instruction_at(std::uint64_t address) const {
    return in_text(address) ? index_[address - text_begin_] - 1 : kNone32;
  }
  // Makes each of these instructions, which must be in order, begin a separate function.
  void divide(const std::vector<std::uint32_t>& starts);
  // Removes the site of an instruction that turned out to be data.
  void forget_site(std::uint32_t instruction) {
    instructions_[instruction].site = kNone32;
    --functions_[instructions_[instruction].function].sites;
  }
  // Gives an instruction another site. Call sort_sites() after the last one.
  void set_site(std::uint32_t instruction, const Site& site) {
    Instruction& in = instructions_[instruction];
    functions_[in.function].sites += in.site == kNone32 ? 1 : 0;
    in.site = static_cast<std::uint32_t>(sites_.size());
    sites_.push_back(site);
  }
  void set_branch(std::uint32_t instruction, std::uint8_t traits) {
    instructions_[instruction].branch = traits;
    has_branches_ = true;
  }
  // Whether any instruction has a BranchTrait.
  bool has_branches() const { return has_branches_; }
  // Sorts the sites by address, and drops those of no instruction.
  void sort_sites();
  void make_private(std::uint32_t site) { sites_[site].private_to_frame = true; }
  // Returns the function whose bytes include `address`, or kNone32.
  std::uint32_t function_at(std::uint64_t address) const;

  hook::SanitizerNote sanitizer{};  // see sanitizer.h

 private:
  void find_text();
  void find_functions();
  void add_gaps();
  void decode_function(std::uint32_t number, const ZydisDecoder& decoder);
  void find_dead_flags(const Function& function);

  const ElfFile* file_ = nullptr;
  EhFrame eh_frame_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> text_;  // code ranges without linkage tables
  std::vector<LinkageTable> linkage_tables_;
  std::vector<Function> functions_;  // sorted, disjoint
  std::vector<Instruction> instructions_;
  std::vector<Site> sites_;
  std::vector<std::uint32_t> index_;  // per byte of text: 1 + instruction
  bool has_branches_ = false;
  std::uint64_t text_begin_ = 0;
  std::uint64_t text_end_ = 0;
};

}  // namespace rff::instrument
