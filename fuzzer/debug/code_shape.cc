#include "fuzzer/debug/code_shape.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "fuzzer/debug/debug_module.h"

namespace rff {
namespace {

constexpr std::uint64_t kLongest = 1024;  // bytes of code in a forwarder, at most
constexpr int kMostCalls = 1;
constexpr int kMostAccesses = 2;  // a guard stores its lock, a wrapper loads the lock's address
constexpr std::size_t kLongestInstruction = 15;

bool never_returns(std::string_view name) {
  constexpr std::string_view kNames[] = {"abort",
                                         "exit",
                                         "_exit",
                                         "_Exit",
                                         "quick_exit",
                                         "__assert_fail",
                                         "__assert",
                                         "__stack_chk_fail",
                                         "_ZSt9terminatev",
                                         "__cxa_throw",
                                         "__cxa_rethrow",
                                         "_Unwind_Resume",
                                         "longjmp",
                                         "siglongjmp",
                                         "err",
                                         "errx",
                                         "verr",
                                         "verrx",
                                         "pthread_exit",
                                         "thrd_exit"};
  bool throws = name.starts_with("_ZSt") && name.find("__throw_") != name.npos;
  return throws || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

std::vector<CodeShapes::Instruction> CodeShapes::instructions(std::uint64_t begin,
                                                              std::uint64_t end) {
  if (copies_.empty()) {
    for (const hook::AddressMapEntry& e : module_.patches().address_map()) {
      copies_.try_emplace(e.original, e.copy);
    }
  }
  std::vector<Instruction> list;
  auto first = copies_.lower_bound(begin);
  auto last = copies_.lower_bound(end);
  for (auto it = first; it != last; ++it) {
    // Calls stay at their original address; all other instructions are only certain in the copy.
    Instruction in = decode(it->first, it->first);
    list.push_back(in.flow == Flow::kCall ? in : decode(it->first, it->second));
  }
  for (std::uint64_t at = begin; first == last && at < end;) {
    list.push_back(decode(at, at));
    at = list.back().end;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {  // a copy may be longer
    list[i].end = i + 1 < list.size() ? list[i + 1].address : end;
  }
  return list;
}

// `address`: the address of the instruction's bytes.
CodeShapes::Instruction CodeShapes::decode(std::uint64_t original, std::uint64_t address) {
  Instruction result{original, original + 1, Flow::kTrap, 0};
  std::string bytes = module_.code(address, kLongestInstruction);
  ZydisDecoder decoder;
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &in, operands))) {
    return result;
  }
  result.end = original + in.length;
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_CALL: result.flow = Flow::kCall; break;
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR: result.flow = Flow::kBranch; break;
    case ZYDIS_CATEGORY_RET: result.flow = Flow::kReturn; break;
    case ZYDIS_CATEGORY_INTERRUPT: break;
    default: result.flow = in.mnemonic == ZYDIS_MNEMONIC_UD2 ? Flow::kTrap : Flow::kNext;
  }
  ZyanU64 target = 0;
  bool direct = in.operand_count > 0 && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  if (result.flow != Flow::kNext && direct &&
      ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&in, operands, address, &target))) {
    result.target = module_.patches().original(target);
  }
  return result;
}

int CodeShapes::accesses(std::uint64_t begin, std::uint64_t end) {
  const std::vector<hook::SiteRecord>& sites = module_.patches().sites();
  auto before = [](const hook::SiteRecord& s, std::uint64_t a) { return s.address < a; };
  int count = 0;
  for (auto it = std::lower_bound(sites.begin(), sites.end(), begin, before);
       it != sites.end() && it->address < end; ++it) {
    count += (it->flags & hook::kStackOperand) == 0 ? 1 : 0;
  }
  return count;
}

CodeShapes::Shape CodeShapes::shape(const CodeRanges& ranges, std::uint64_t call) {
  Shape all;
  for (auto [begin, end] : ranges) {
    Shape stretch;
    std::uint64_t stretch_begin = begin;
    auto close = [&](const Instruction& in, bool fails) {
      stretch.accesses = accesses(stretch_begin, in.end);
      if (fails) {
        all.call_fails = all.call_fails || (call >= stretch_begin && call < in.end);
      } else {
        all.calls += stretch.calls;
        all.accesses += stretch.accesses;
      }
      stretch = {};
      stretch_begin = in.end;
    };
    std::vector<Instruction> list = instructions(begin, end);
    for (const Instruction& in : list) {
      if (in.address <= call && call < end) {
        all.calls_there = in.flow == Flow::kCall || in.flow == Flow::kTrap;
      }
      bool outside = in.target != 0 && (in.target < begin || in.target >= end);
      all.returns =
          all.returns || in.flow == Flow::kReturn || (in.flow == Flow::kBranch && outside);
      stretch.calls += in.flow == Flow::kCall ? 1 : 0;
      bool fails = in.flow == Flow::kTrap || (in.flow == Flow::kCall && does_not_return(in.target));
      if (fails || in.flow != Flow::kNext) {
        bool ends = fails || in.flow != Flow::kCall;
        if (ends) {
          close(in, fails);
        }
      }
    }
    if (!list.empty()) {
      close(list.back(), false);
    }
  }
  return all;
}

bool CodeShapes::forwards(const CodeRanges& ranges, std::uint64_t call, bool whole) {
  std::uint64_t bytes = 0;
  for (auto [begin, end] : ranges) {
    bytes += end - begin;
  }
  if (ranges.empty() || bytes > kLongest || !module_.patches().patched()) {
    return false;
  }
  Shape s = shape(ranges, call);
  if (!s.calls_there) {
    return false;
  }
  if (whole && !s.returns) {
    return true;
  }
  return s.call_fails ? s.calls == 0 && s.accesses == 0
                      : s.calls <= kMostCalls && s.accesses <= kMostAccesses;
}

bool CodeShapes::does_not_return(std::uint64_t function) {
  if (function == 0) {
    return false;
  }
  auto [it, fresh] = known_.try_emplace(function, false);  // false until it is examined
  if (!fresh) {
    return it->second;
  }
  if (std::string name = called_name(function); !name.empty()) {
    return known_[function] = never_returns(name);
  }
  auto whole = module_.function_at(function);
  if (whole && whole->first == function && whole->second - function <= kLongest) {
    known_[function] = !shape({*whole}, 0).returns;
  }
  return known_[function];
}

// Returns the name of a function of another module, which is called through a stub: endbr64 or bnd
// may precede the stub's jump through memory.
std::string CodeShapes::called_name(std::uint64_t function) {
  read_slots();
  std::string stub = module_.code(function, 16);
  std::size_t at = stub.find("\xff\x25");
  std::int32_t distance = 0;
  if (at == std::string::npos || at > 5 || at + 6 > stub.size()) {
    return "";
  }
  std::memcpy(&distance, stub.data() + at + 2, sizeof distance);
  auto slot = slots_.find(function + at + 6 + static_cast<std::uint64_t>(std::int64_t{distance}));
  return slot != slots_.end() ? slot->second : "";
}

void CodeShapes::read_slots() {
  GElf_Addr bias = 0;
  Elf* elf = module_.dwfl() != nullptr ? dwfl_module_getelf(module_.dwfl(), &bias) : nullptr;
  if (slots_read_ || elf == nullptr) {
    return;
  }
  slots_read_ = true;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_RELA) {
      continue;
    }
    Elf_Scn* symbols = elf_getscn(elf, header.sh_link);
    Elf_Data* symbol_data = symbols != nullptr ? elf_getdata(symbols, nullptr) : nullptr;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Shdr symbol_header;
    if (symbol_data == nullptr || data == nullptr ||
        gelf_getshdr(symbols, &symbol_header) == nullptr || header.sh_entsize == 0) {
      continue;
    }
    int count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
      GElf_Rela relocation;
      GElf_Sym symbol;
      if (gelf_getrela(data, i, &relocation) != nullptr &&
          gelf_getsym(symbol_data, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) !=
              nullptr) {
        const char* name = elf_strptr(elf, symbol_header.sh_link, symbol.st_name);
        slots_[relocation.r_offset] = name != nullptr ? name : "";
      }
    }
  }
}

}  // namespace rff
