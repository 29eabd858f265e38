#include "instrument/program.h"

#include <algorithm>
#include <map>

#include "instrument/flags.h"
#include "instrument/frame_use.h"
#include "instrument/hex.h"
#include "instrument/register_use.h"

namespace rff::instrument {

namespace {

constexpr std::uint8_t kNearXbegin = 6;  // the other form has a 16-bit distance
constexpr std::uint64_t kMostText = std::uint64_t{1} << 30;

Flow flow_of(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
  bool direct = in.operand_count > 0 && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                operands[0].imm.is_relative;
  if (in.mnemonic == ZYDIS_MNEMONIC_XEND || in.mnemonic == ZYDIS_MNEMONIC_XABORT) {
    return Flow::kNext;  // xbegin names where a failed transaction continues
  }
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_CALL: return direct ? Flow::kCall : Flow::kIndirectCall;
    case ZYDIS_CATEGORY_UNCOND_BR: return direct ? Flow::kJump : Flow::kIndirectJump;
    case ZYDIS_CATEGORY_COND_BR:
      switch (in.mnemonic) {
        case ZYDIS_MNEMONIC_JCXZ:
        case ZYDIS_MNEMONIC_JECXZ:
        case ZYDIS_MNEMONIC_JRCXZ:
        case ZYDIS_MNEMONIC_LOOP:
        case ZYDIS_MNEMONIC_LOOPE:
        case ZYDIS_MNEMONIC_LOOPNE: return Flow::kCounted;
        default: return Flow::kConditional;
      }
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSRET: return Flow::kReturn;
    default: break;
  }
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_INT3: return Flow::kStop;
    default: return Flow::kNext;
  }
}

// Returns whether a number may be a code address in a file that is not position-independent.
bool may_be_address(std::int64_t number) { return number > 0xffff; }

bool adds_address(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
  if (in.operand_width != 64) {
    return false;
  }
  if (in.mnemonic == ZYDIS_MNEMONIC_LEA) {
    const auto& sum = operands[1].mem;
    return sum.base != ZYDIS_REGISTER_NONE &&
           (sum.index != ZYDIS_REGISTER_NONE || may_be_address(sum.disp.value));
  }
  return in.mnemonic == ZYDIS_MNEMONIC_ADD && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         (operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
          may_be_address(operands[1].imm.value.s));
}

// Collects the facts that later stages need, so that each instruction is decoded only once.
Instruction summarize(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                      std::uint64_t address) {
  Instruction out;
  out.address = address;
  out.length = in.length;
  out.flow = flow_of(in, operands);
  bool is_nop =
      in.meta.category == ZYDIS_CATEGORY_NOP || in.meta.category == ZYDIS_CATEGORY_WIDENOP;
  if (in.mnemonic == ZYDIS_MNEMONIC_ENDBR64) {
    out.traits |= kIsEndbr;
  } else if (is_nop || in.mnemonic == ZYDIS_MNEMONIC_INT3) {
    out.traits |= kIsPadding;
  }
  if (adds_address(in, operands)) {
    out.traits |= kAddsAddress;
  }
  out.frame_use = frame_use_of(in, operands);
  out.registers = register_use_of(in, operands);
  out.sets_direction = in.mnemonic == ZYDIS_MNEMONIC_STD || in.mnemonic == ZYDIS_MNEMONIC_POPFQ ||
                       in.mnemonic == ZYDIS_MNEMONIC_POPF;
  FlagEffect flags = flag_effect_of(in);
  out.flags_overwritten = flags.overwritten;
  if (flags.may_show) {
    out.traits |= kMayShowFlags;
  }
  if (in.mnemonic == ZYDIS_MNEMONIC_XBEGIN) {
    out.traits |= kIsXbegin;
  }
  for (int i = 0; i < in.operand_count_visible; ++i) {
    const ZydisDecodedOperand& operand = operands[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
      if (operand.mem.base == ZYDIS_REGISTER_RIP || operand.mem.base == ZYDIS_REGISTER_EIP) {
        out.target = address + in.length + static_cast<std::uint64_t>(operand.mem.disp.value);
        out.displacement_offset = in.raw.disp.offset;
        if (!is_nop) {
          out.traits |= operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN ? kTakesAddress : kTouchesMemory;
        }
      } else if (in.mnemonic == ZYDIS_MNEMONIC_MOVSXD && operand.mem.scale == 4) {
        out.traits |= kLoadsTableEntry;
      } else if (in.mnemonic == ZYDIS_MNEMONIC_LEA && may_be_address(operand.mem.disp.value)) {
        out.target = static_cast<std::uint64_t>(operand.mem.disp.value);
        out.traits |= kTakesAddress;
      }
    } else if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      if (operand.imm.is_relative) {
        out.target = address + in.length + static_cast<std::uint64_t>(operand.imm.value.s);
      } else if (out.target == 0 && may_be_address(operand.imm.value.s)) {
        out.target = operand.imm.value.u;
        out.traits |= kTakesAddress;
      }
    }
  }
  return out;
}

bool is_linkage_table(const std::string& name) { return name.rfind(".plt", 0) == 0; }

}  // namespace

Result<Program> Program::decode(const ElfFile& file) {
  Program program;
  program.file_ = &file;
  program.eh_frame_ = read_eh_frame(file);
  program.find_text();
  if (program.text_.empty()) {
    return Error{"has no code"};
  }
  if (program.text_end_ - program.text_begin_ > kMostText) {
    return Error{"has more than 1 GiB of code"};
  }
  program.find_functions();
  program.add_gaps();
  program.index_.assign(program.text_end_ - program.text_begin_, 0);
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (std::uint32_t i = 0; i < program.functions_.size(); ++i) {
    program.decode_function(i, decoder);
  }
  return program;
}

void Program::find_text() {
  for (const Section& section : file_->sections()) {
    std::uint64_t begin = section.header.sh_addr;
    std::uint64_t size = section.header.sh_size;
    if (!section.executable() || !section.allocated() || section.header.sh_type != SHT_PROGBITS ||
        size == 0 || file_->at(begin).size() < size) {
      continue;
    }
    if (is_linkage_table(section.name)) {
      linkage_tables_.push_back({std::string(section.name), begin, begin + size});
    } else {
      text_.emplace_back(begin, begin + size);
    }
  }
  if (file_->sections().empty()) {
    for (const Elf64_Phdr& segment : file_->segments()) {
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && segment.p_filesz != 0) {
        text_.emplace_back(segment.p_vaddr, segment.p_vaddr + segment.p_filesz);
      }
    }
  }
  std::sort(text_.begin(), text_.end());
  if (!text_.empty()) {
    text_begin_ = text_.front().first;
    for (auto [begin, end] : text_) {
      text_end_ = std::max(text_end_, end);
    }
  }
}

void Program::find_functions() {
  std::map<std::uint64_t, Symbol> names;
  for (const Symbol& symbol : file_->symbols()) {
    if (symbol.is_function) {
      auto [where, is_new] = names.try_emplace(symbol.address, symbol);
      if (!is_new && where->second.size < symbol.size) {
        where->second = symbol;
      }
    }
  }
  auto in_text = [&](std::uint64_t begin, std::uint64_t end) {
    auto range =
        std::upper_bound(text_.begin(), text_.end(), std::make_pair(begin, ~std::uint64_t{0}));
    return range != text_.begin() && end > begin && end <= std::prev(range)->second;
  };
  for (std::uint32_t i = 0; i < eh_frame_.frames.size(); ++i) {
    const FrameInfo& frame = eh_frame_.frames[i];
    if (!in_text(frame.begin, frame.begin + frame.size)) {
      continue;
    }
    Function function;
    function.begin = frame.begin;
    function.end = frame.begin + frame.size;
    function.frame = i;
    functions_.push_back(function);
  }
  for (const auto& [address, symbol] : names) {
    auto next = std::lower_bound(functions_.begin(), functions_.end(), address,
                                 [](const Function& f, std::uint64_t a) { return f.end <= a; });
    bool free = next == functions_.end() || next->begin >= address + symbol.size;
    if (symbol.size != 0 && free && in_text(address, address + symbol.size)) {
      Function function;
      function.begin = address;
      function.end = address + symbol.size;
      functions_.insert(next, function);
    }
  }
  // Overlapping frames cannot be separated: keep the first, and patch neither.
  std::vector<Function> kept;
  for (Function& function : functions_) {
    if (!kept.empty() && function.begin < kept.back().end) {
      kept.back().left_alone = "overlapping unwind information";
      kept.back().end = std::max(kept.back().end, function.end);
      continue;
    }
    kept.push_back(std::move(function));
  }
  functions_ = std::move(kept);
  for (Function& function : functions_) {
    auto name = names.find(function.begin);
    function.name = name != names.end() ? std::string(name->second.name) : "";
  }
}

// Code that no function claims is decoded too: it may branch into functions, and its accesses
// count.
void Program::add_gaps() {
  std::vector<Function> all;
  std::size_t next = 0;
  for (auto [begin, end] : text_) {
    std::uint64_t at = begin;
    auto add_gap = [&](std::uint64_t until) {
      if (at < until) {
        Function gap;
        gap.begin = at;
        gap.end = until;
        gap.unclaimed = true;
        gap.left_alone = "no unwind information and no symbol";
        all.push_back(gap);
      }
    };
    while (next < functions_.size() && functions_[next].begin < end) {
      add_gap(functions_[next].begin);
      at = functions_[next].end;
      all.push_back(std::move(functions_[next++]));
    }
    add_gap(end);
  }
  functions_ = std::move(all);
}

void Program::decode_function(std::uint32_t number, const ZydisDecoder& decoder) {
  Function& function = functions_[number];
  bool is_gap = function.unclaimed;
  function.first = static_cast<std::uint32_t>(instructions_.size());
  std::uint64_t at = function.begin;
  auto bytes = file_->at(at);
  while (at < function.end) {
    ZydisDecodedInstruction in;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const std::uint8_t* where = bytes.data() + (at - function.begin);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, where, function.end - at, &in, operands))) {
      if (function.left_alone.empty()) {
        function.left_alone = "cannot be decoded at " + hex(at);
      }
      if (!is_gap) {
        break;
      }
      function.holds_data = true;
      ++at;
      continue;
    }
    Instruction instruction = summarize(in, operands, at);
    instruction.function = number;
    Site site;
    if (classify_site(in, operands, at, site) && !(is_gap && *where == 0)) {
      instruction.site = static_cast<std::uint32_t>(sites_.size());
      instruction.site_is_complex = site.complex();
      sites_.push_back(site);
      ++function.sites;
    }
    if (instruction.has(kIsXbegin) && in.length != kNearXbegin && function.left_alone.empty()) {
      function.left_alone = "contains an instruction that cannot be moved at " + hex(at);
    }
    index_[at - text_begin_] = static_cast<std::uint32_t>(instructions_.size()) + 1;
    instructions_.push_back(instruction);
    at += in.length;
  }
  function.count = static_cast<std::uint32_t>(instructions_.size()) - function.first;
  find_dead_flags(function);
}

// Goes backward through straight code: only where the code leads matters, not who jumps into it.
void Program::find_dead_flags(const Function& function) {
  std::uint16_t live = kArithmeticFlags;
  std::uint64_t next = function.end;
  for (std::uint32_t i = function.first + function.count; i-- > function.first;) {
    const Instruction& in = instructions_[i];
    bool unknown = in.has(kMayShowFlags) || in.end() != next;
    live = unknown ? kArithmeticFlags : live & ~in.flags_overwritten;
    next = in.address;
    if (in.site != kNone32) {
      sites_[in.site].flags_dead = live == 0;
    }
  }
}

void Program::divide(const std::vector<std::uint32_t>& starts) {
  std::vector<Function> divided;
  auto next = starts.begin();
  for (Function& function : functions_) {
    const std::uint32_t end = function.first + function.count;
    for (; next != starts.end() && *next < end; ++next) {
      Function before = function;
      before.end = instructions_[*next].address;
      before.count = *next - function.first;
      divided.push_back(before);
      function.begin = before.end;
      function.first = *next;
      function.count = end - *next;
    }
    divided.push_back(std::move(function));
  }
  functions_ = std::move(divided);
  for (std::uint32_t f = 0; f < functions_.size(); ++f) {
    Function& function = functions_[f];
    function.sites = 0;
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      instructions_[i].function = f;
      function.sites += instructions_[i].site != kNone32 ? 1 : 0;
    }
  }
}

void Program::sort_sites() {
  std::vector<Site> sorted;
  for (Instruction& in : instructions_) {
    if (in.site != kNone32) {
      sorted.push_back(sites_[in.site]);
      in.site = static_cast<std::uint32_t>(sorted.size() - 1);
    }
  }
  sites_ = std::move(sorted);
}

std::uint32_t Program::function_at(std::uint64_t address) const {
  auto next = std::upper_bound(functions_.begin(), functions_.end(), address,
                               [](std::uint64_t a, const Function& f) { return a < f.begin; });
  if (next == functions_.begin()) {
    return kNone32;
  }
  --next;
  return address < next->end ? static_cast<std::uint32_t>(next - functions_.begin()) : kNone32;
}

}  // namespace rff::instrument
