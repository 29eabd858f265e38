// Compares the decoder with a second one: Capstone must agree with Zydis on lengths and on which
// instructions access memory and how, over large libraries, except for known Capstone 4 errors.
#include <capstone/capstone.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>

#include "instrument/program.h"

namespace rff::instrument {
namespace {

struct Disagreement {
  std::uint64_t count = 0;
  std::string example;
};

// The accesses of one instruction according to Capstone.
struct Opinion {
  bool reads = false;
  bool writes = false;
  bool any = false;
  unsigned size = 0;
};

Opinion ask_capstone(const cs_insn& in) {
  Opinion opinion;
  const cs_x86& detail = in.detail->x86;
  for (int i = 0; i < detail.op_count; ++i) {
    const cs_x86_op& operand = detail.operands[i];
    if (operand.type != X86_OP_MEM || operand.mem.segment == X86_REG_FS) {
      continue;
    }
    opinion.any = true;
    opinion.reads |= (operand.access & CS_AC_READ) != 0;
    opinion.writes |= (operand.access & CS_AC_WRITE) != 0;
    opinion.size = operand.size;
  }
  return opinion;
}

// Returns whether, according to Capstone, the instruction reads a flag that ours does not list, or
// preserves one that ours lists as overwritten.
bool disagrees_on_flags(const cs_insn& in, const Instruction& ours) {
  struct Flag {
    std::uint16_t mask;
    std::uint64_t tested;
    std::uint64_t changed;
  };
  static constexpr Flag kFlags[] = {
#define FLAG(name)                                                              \
  {ZYDIS_CPUFLAG_##name, X86_EFLAGS_TEST_##name | X86_EFLAGS_PRIOR_##name,      \
   X86_EFLAGS_MODIFY_##name | X86_EFLAGS_RESET_##name | X86_EFLAGS_SET_##name | \
       X86_EFLAGS_UNDEFINED_##name}
      FLAG(CF), FLAG(PF), FLAG(AF), FLAG(ZF), FLAG(SF), FLAG(OF),
#undef FLAG
  };
  std::uint64_t theirs = in.detail->x86.eflags;
  return std::any_of(std::begin(kFlags), std::end(kFlags), [&](const Flag& flag) {
    bool hidden = (theirs & flag.tested) != 0 && !ours.has(kMayShowFlags);
    bool kept = (ours.flags_overwritten & flag.mask) != 0 && (theirs & flag.changed) == 0;
    return hidden || kept;
  });
}

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

// These name memory without accessing it; Capstone lists the operand.
bool only_names(const std::string& name) {
  return name == "lea" || name == "nop" || starts_with(name, "prefetch") ||
         starts_with(name, "clflush") || name == "clwb" || name == "cldemote" || name == "invlpg";
}

// Returns whether a site has no memory operand of its own or is a string instruction.
bool special(hook::SiteKind kind) {
  return kind == hook::SiteKind::kSyscall || kind == hook::SiteKind::kTimestamp ||
         kind == hook::SiteKind::kRandom || kind == hook::SiteKind::kProcessor ||
         kind == hook::SiteKind::kString;
}

bool starts_with_one_of(const std::string& text, std::initializer_list<const char*> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char* prefix) { return starts_with(text, prefix); });
}

// Returns a known Capstone 4 error about the kind of an access, each checked against the
// processor's manual. Returns null for all others, where both must agree.
const char* known_wrong_kind(const std::string& name, const Site& site) {
  if (site.kind == hook::SiteKind::kCompareExchange) {
    return "known: compare-exchange without its read";
  }
  if (name == "test") {
    return "known: test of memory is no plain read";
  }
  if (starts_with_one_of(name, {"ro", "rc"}) && site.kind == hook::SiteKind::kReadModifyWrite) {
    return "known: rotation of memory without its write";
  }
  if (site.kind == hook::SiteKind::kWrite &&
      starts_with_one_of(name, {"movup", "movdq", "movq", "movh", "movl", "movnt", "pextr",
                                "extract", "v", "stmxcsr"})) {
    return "known: store of a vector or its control word as a read";
  }
  if (site.kind == hook::SiteKind::kWrite && starts_with(name, "f")) {
    return "known: store of the x87 as a read";
  }
  if (site.kind == hook::SiteKind::kWrite && (starts_with(name, "set") || name == "movbe")) {
    return "known: setcc or movbe to memory as a read";
  }
  return nullptr;
}

// Known errors about sizes: scalar comparisons read one element, fnstsw writes two bytes.
bool known_wrong_size(const std::string& name) {
  return starts_with_one_of(name, {"comis", "vcomis", "ucomis", "vucomis"}) || name == "fnstsw";
}

class SecondOpinion {
 public:
  SecondOpinion() {
    EXPECT_EQ(cs_open(CS_ARCH_X86, CS_MODE_64, &handle_), CS_ERR_OK);
    cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
    buffer_ = cs_malloc(handle_);
  }
  ~SecondOpinion() {
    cs_free(buffer_, 1);
    cs_close(&handle_);
  }

  void compare(const Program& program) {
    for (const Instruction& in : program.instructions()) {
      if (!program.functions()[in.function].left_alone.empty()) {
        continue;  // these bytes may be data
      }
      auto bytes = program.file().at(in.address);
      const std::uint8_t* at = bytes.data();
      std::size_t size = std::min<std::size_t>(bytes.size(), 15);
      std::uint64_t address = in.address;
      ++checked_;
      bool evex = *at == 0x62;
      if (!cs_disasm_iter(handle_, &at, &size, &address, buffer_)) {
        note(evex ? "known: EVEX not decoded" : undecoded(bytes.data()), in.address);
        continue;
      }
      std::string name = buffer_->mnemonic;
      if (std::size_t space = name.rfind(' '); space != std::string::npos) {
        name = name.substr(space + 1);  // drops lock, rep or notrack
      }
      if (buffer_->size != in.length) {
        note(evex ? "known: EVEX length" : "length of " + name, in.address);
        continue;
      }
      // For x87 instructions Capstone stores other flags in the same field.
      bool x87 = name[0] == 'f' || name == "wait";
      if (!x87 && disagrees_on_flags(*buffer_, in)) {
        bool vex = starts_with_one_of(name, {"vcomis", "vucomis"});
        note(vex ? "known: no flags of " + name : "flags of " + name, in.address);
      }
      compare_access(program, in, name, evex);
    }
  }

  void expect() const {
    for (const auto& [what, disagreement] : disagreements_) {
      std::printf("%8llu %s (%s)\n", static_cast<unsigned long long>(disagreement.count),
                  what.c_str(), disagreement.example.c_str());
      EXPECT_TRUE(starts_with(what, "known: ")) << what << " at " << disagreement.example;
    }
    EXPECT_GT(checked_, 10000U);
    // The comparison is meaningful only if both agree on many accesses of each kind.
    EXPECT_GT(kinds_.at(static_cast<int>(hook::SiteKind::kRead)), 1000U);
    EXPECT_GT(kinds_.at(static_cast<int>(hook::SiteKind::kWrite)), 500U);
    EXPECT_GT(kinds_.at(static_cast<int>(hook::SiteKind::kReadModifyWrite)), 10U);
  }

 private:
  void compare_access(const Program& program, const Instruction& in, const std::string& name,
                      bool evex) {
    const Site* site = in.site == kNone32 ? nullptr : &program.sites()[in.site];
    Opinion opinion = ask_capstone(*buffer_);
    if (only_names(name) || (site != nullptr && special(site->kind))) {
      if (only_names(name) && site != nullptr) {
        note(name + " is no access", in.address);
      }
      return;
    }
    if ((site != nullptr) != opinion.any) {
      bool hidden = site != nullptr && (name == "xlatb" || starts_with(name, "maskmov") ||
                                        starts_with(name, "vmaskmovdqu"));
      note(evex     ? "known: EVEX operands"
           : hidden ? "known: implicit operand of " + name
                    : "memory operand of " + name,
           in.address);
      return;
    }
    if (site == nullptr || evex) {
      return;
    }
    bool vector = site->kind == hook::SiteKind::kVector;
    bool reads = vector ? site->detail.is_write == 0 : site->kind != hook::SiteKind::kWrite;
    bool writes = vector ? site->detail.is_write != 0 : site->kind != hook::SiteKind::kRead;
    if (reads != opinion.reads || writes != opinion.writes) {
      const char* known = known_wrong_kind(name, *site);
      note(known != nullptr ? known : "access of " + name, in.address);
    } else {
      ++kinds_[static_cast<int>(site->kind)];
    }
    unsigned size = site->size * (vector ? site->detail.element_count : 1U);
    if (size != opinion.size) {
      note(known_wrong_size(name) ? "known: size of " + name : "size of " + name, in.address);
    }
  }

  // Zydis names the instruction, so that the list of what Capstone 4 lacks stays short.
  static std::string undecoded(const std::uint8_t* at) {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecodedInstruction in;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, at, 15, &in, operands))) {
      return "decoded by neither";
    }
    switch (in.meta.category) {
      case ZYDIS_CATEGORY_KMASK:
      case ZYDIS_CATEGORY_CET:
      case ZYDIS_CATEGORY_PKU:
      case ZYDIS_CATEGORY_VAES:
      case ZYDIS_CATEGORY_VPCLMULQDQ:
      case ZYDIS_CATEGORY_GFNI:
      case ZYDIS_CATEGORY_RDPID:
      case ZYDIS_CATEGORY_WAITPKG:
      case ZYDIS_CATEGORY_MOVDIR:
        return std::string("known: newer than Capstone 4: ") +
               ZydisCategoryGetString(in.meta.category);
      default:
        if (in.mnemonic == ZYDIS_MNEMONIC_VBROADCASTI128) {
          return "known: vbroadcasti128 with W set, which the processor ignores";
        }
        return std::string("not decoded: ") + ZydisMnemonicGetString(in.mnemonic);
    }
  }

  void note(const std::string& what, std::uint64_t address) {
    Disagreement& disagreement = disagreements_[what];
    if (disagreement.count++ == 0) {
      char text[24];
      std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
      disagreement.example = text;
    }
  }

  csh handle_ = 0;
  cs_insn* buffer_ = nullptr;
  std::uint64_t checked_ = 0;
  std::map<int, std::uint64_t> kinds_;  // how many accesses of each kind both agree on
  std::map<std::string, Disagreement> disagreements_;
};

class CapstoneTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CapstoneTest, AgreesButForKnownErrors) {
  std::string path;
  for (const char* folder :
       {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/usr/x86_64-linux-gnu/lib/"}) {
    if (std::filesystem::exists(folder + std::string(GetParam()))) {
      path = folder + std::string(GetParam());
      break;
    }
  }
  if (path.empty()) {
    GTEST_SKIP() << GetParam() << " is not installed";
  }
  auto file = ElfFile::open(path);
  ASSERT_TRUE(file) << file.error();
  auto program = Program::decode(*file);
  ASSERT_TRUE(program) << program.error();
  SecondOpinion opinion;
  opinion.compare(*program);
  opinion.expect();
}

INSTANTIATE_TEST_SUITE_P(Libraries, CapstoneTest,
                         ::testing::Values("libc.so.6", "libstdc++.so.6", "libm.so.6", "libdw.so.1",
                                           "libZydis.so.4.0", "libcrypto.so.3"),
                         [](const auto& library) {
                           std::string name = library.param;
                           for (char& c : name) {
                             c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace rff::instrument
