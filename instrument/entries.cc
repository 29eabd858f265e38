#include "instrument/entries.h"

#include <algorithm>

#include "instrument/exception_table.h"
#include "instrument/hex.h"

namespace rff::instrument {

namespace {

constexpr std::uint64_t kMostTableEntries = 1 << 16;
constexpr std::uint32_t kTableLoadDistance =
    16;  // instructions between a table's load and its jump

class EntryFinder {
 public:
  explicit EntryFinder(Program& program)
      : program_(program), entries_(program.instructions().size(), false) {}

  std::vector<bool> run() {
    function_starts();
    references();
    landing_pads();
    stored_pointers();
    relative_tables();
    table_jumps();
    computed_jumps();
    return std::move(entries_);
  }

 private:
  void leave_alone(std::uint32_t function, const std::string& why) {
    std::string& reason = program_.functions()[function].left_alone;
    if (reason.empty()) {
      reason = why;
    }
  }

  // Marks an address that certainly is code: it must be the start of an instruction.
  void certain(std::uint64_t address) {
    std::uint32_t instruction = program_.instruction_at(address);
    if (instruction != kNone32) {
      entries_[instruction] = true;
    } else if (std::uint32_t function = program_.function_at(address); function != kNone32) {
      leave_alone(function, "entered between instructions at " + hex(address));
    }
  }

  // Marks a value that may be the address of code.
  void possible(std::uint64_t address) {
    std::uint32_t instruction = program_.instruction_at(address);
    if (instruction != kNone32) {
      entries_[instruction] = true;
    }
  }

  void function_starts() {
    for (const Function& function : program_.functions()) {
      if (function.count != 0 && !function.is_unclaimed()) {
        entries_[function.first] = true;
      }
    }
    possible(program_.file().header().e_entry);
    for (const Symbol& symbol : program_.file().symbols()) {
      possible(symbol.address);
    }
  }

  void references() {
    for (const Instruction& in : program_.instructions()) {
      if (in.target == 0) {
        continue;
      }
      if (in.has(kTouchesMemory)) {
        std::uint32_t function = program_.function_at(in.target);
        if (function != kNone32) {
          leave_alone(function, "contains data at " + hex(in.target));
        }
      } else if (in.has(kTakesAddress)) {
        if (in.displacement_offset != 0) {
          if (program_.in_text(in.target)) {
            certain(in.target);
          } else {
            table_bases_.push_back(in.target);
          }
        } else if (!program_.file().position_independent()) {
          possible(in.target);
        }
      } else if (in.flow != Flow::kNext) {
        std::uint32_t to = program_.instruction_at(in.target);
        bool inside = to != kNone32 && program_.instructions()[to].function == in.function;
        if (!inside || in.flow == Flow::kCall) {
          // Code without unwind information may be data that only resembles a branch.
          bool trusted = program_.functions()[in.function].left_alone.empty();
          trusted ? certain(in.target) : possible(in.target);
        } else if (!program_.functions()[in.function].left_alone.empty()) {
          possible(in.target);
        }
      }
    }
  }

  void landing_pads() {
    std::vector<std::uint64_t> pads;
    for (std::uint32_t i = 0; i < program_.functions().size(); ++i) {
      const Function& function = program_.functions()[i];
      if (function.frame == kNone32) {
        continue;
      }
      const FrameInfo& frame = program_.eh_frame().frames[function.frame];
      if (frame.lsda == 0) {
        continue;
      }
      auto table = read_exception_table(program_.file(), frame);
      if (!table) {
        leave_alone(i, "exception tables that cannot be understood");
        continue;
      }
      for (const CallSite& site : table->sites) {
        if (site.pad != 0) {
          pads.push_back(table->pad_base + site.pad);
        }
      }
    }
    for (std::uint64_t pad : pads) {
      certain(pad);
    }
  }

  void stored_pointers() {
    for (std::uint64_t pointer : program_.file().relocated_pointers()) {
      possible(pointer);
    }
    if (program_.file().position_independent()) {
      return;
    }
    // Without relocations any word of data may be the address of code.
    for (const Elf64_Phdr& segment : program_.file().segments()) {
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) != 0) {
        continue;
      }
      std::uint64_t end = segment.p_vaddr + segment.p_filesz;
      for (std::uint64_t at = (segment.p_vaddr + 7) & ~7ULL; at + 8 <= end; at += 8) {
        std::uint64_t word;
        std::memcpy(&word,
                    program_.file().image().data() + segment.p_offset + (at - segment.p_vaddr), 8);
        possible(word);
      }
    }
  }

  // Position-independent jump tables hold 32-bit distances from the table itself. Every data
  // address that the code computes may be such a table, which extends to the next such address or
  // to the first distance that does not lead into code.
  void relative_tables() {
    std::sort(table_bases_.begin(), table_bases_.end());
    table_bases_.erase(std::unique(table_bases_.begin(), table_bases_.end()), table_bases_.end());
    table_targets_.assign(program_.functions().size(), false);
    for (std::size_t i = 0; i < table_bases_.size(); ++i) {
      std::uint64_t base = table_bases_[i];
      if (base % 4 != 0) {
        continue;
      }
      auto bytes = program_.file().at(base);
      std::uint64_t size = bytes.size();
      if (i + 1 < table_bases_.size()) {
        size = std::min(size, table_bases_[i + 1] - base);
      }
      size = std::min(size, kMostTableEntries * 4);
      for (std::uint64_t at = 0; at + 4 <= size; at += 4) {
        std::int32_t distance;
        std::memcpy(&distance, bytes.data() + at, 4);
        std::uint64_t target = base + static_cast<std::uint64_t>(std::int64_t{distance});
        if (!program_.in_text(target)) {
          break;
        }
        std::uint32_t instruction = program_.instruction_at(target);
        if (instruction != kNone32) {
          entries_[instruction] = true;
          table_targets_[program_.instructions()[instruction].function] = true;
        }
      }
    }
  }

  // A jump through a table that was not found may lead anywhere in its function.
  void table_jumps() {
    const auto& instructions = program_.instructions();
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      const Function& function = program_.functions()[f];
      std::uint32_t last_load = kNone32;
      for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
        if (instructions[i].has(kLoadsTableEntry)) {
          last_load = i;
        }
        if (instructions[i].flow == Flow::kIndirectJump && instructions[i].site == kNone32 &&
            last_load != kNone32 && i - last_load <= kTableLoadDistance && !table_targets_[f]) {
          leave_alone(f, "a jump table that was not found at " + hex(instructions[i].address));
        }
      }
    }
  }

  // A jump that adds a number to the address of a label may lead anywhere in its function, too.
  void computed_jumps() {
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      const Function& function = program_.functions()[f];
      std::uint32_t label = kNone32;
      std::uint32_t jump = kNone32;
      for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
        if (takes_label(program_, i) && program_.function_at(at(i).target) == f &&
            at(i).target != function.begin) {
          label = i;
        }
        if (computes_jump(program_, i)) {
          jump = i;
        }
        bool apart = function.unclaimed && (jump < label || jump - label > kFarthestLabel);
        if (label != kNone32 && jump != kNone32 && !apart) {
          leave_alone(f, "a jump that is computed at " + hex(at(jump).address));
        }
      }
    }
  }

  const Instruction& at(std::uint32_t i) const { return program_.instructions()[i]; }

  Program& program_;
  std::vector<bool> entries_;
  std::vector<std::uint64_t> table_bases_;
  std::vector<bool> table_targets_;  // per function: some table leads into it
};

}  // namespace

bool takes_label(const Program& program, std::uint32_t i) {
  const Instruction& in = program.instructions()[i];
  bool address = in.displacement_offset != 0 || !program.file().position_independent();
  return in.has(kTakesAddress) && address && program.instruction_at(in.target) != kNone32;
}

bool computes_jump(const Program& program, std::uint32_t i) {
  constexpr std::uint32_t kSoon = 3;
  const auto& instructions = program.instructions();
  // Returns whether a jump through a register follows soon, after at most one direct jump.
  auto comes = [&](std::uint32_t from, bool direct, auto& again) -> bool {
    for (std::uint32_t at = from; at < instructions.size() && at < from + kSoon; ++at) {
      const Instruction& in = instructions[at];
      if (in.flow == Flow::kIndirectJump && in.site == kNone32) {
        return true;
      }
      if (in.flow == Flow::kJump && direct &&
          again(program.instruction_at(in.target), false, again)) {
        return true;
      }
    }
    return false;
  };
  return instructions[i].has(kAddsAddress) && comes(i + 1, true, comes);
}

std::vector<bool> find_entries(Program& program) { return EntryFinder(program).run(); }

}  // namespace rff::instrument
