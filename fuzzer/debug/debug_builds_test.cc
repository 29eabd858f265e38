// Tests that functions, inlined ones too, and source lines are found for all kinds of builds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/debug/debug_info.h"
#include "fuzzer/debug/debug_link.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kModule = 1;

constexpr char kInC[] = R"(
static inline __attribute__((always_inline)) void inner(int* p) {
  *p = 1;
  __asm__ volatile(".globl here\nhere: nop" : : "r"(p) : "memory");
}
__attribute__((noinline)) void outer(int* p) {
  __asm__ volatile("" : : "r"(p) : "memory");
  inner(p);
}
int data;
int main(void) { outer(&data); return data - 1; }
)";

constexpr char kInRust[] = R"(#![allow(named_asm_labels)]
#[inline(always)]
fn inner(p: &mut i32) {
    *p = 1;
    unsafe { core::arch::asm!(".globl here", "here: nop") }
}
#[inline(never)]
pub fn outer(p: &mut i32) {
    *p = 2;
    inner(p);
}
fn main() { let mut data = 0; outer(&mut data); std::process::exit(data - 1); }
)";

struct Build {
  const char* name;
  const char* compile;         // options of the compiler, for prog.c
  const char* after = "true";  // commands after compiling; $C is the compiler, $O its level
  const char* needs = "true";  // a command that fails if this cannot be built
  bool inlined_known = true;   // whether inlined functions are found
};

class DebugBuilds : public ::testing::Test {
 protected:
  DebugBuilds() { fs::current_path(folder_ / ""); }
  ~DebugBuilds() override { fs::current_path("/"); }

  static bool works(const std::string& command) {
    return std::system(("{ " + command + "; } >log 2>&1").c_str()) == 0;
  }
  static std::string log() {
    std::ostringstream text;
    text << std::ifstream("log").rdbuf();
    return text.str();
  }

  // Returns the functions and lines at the label, innermost first: "inner prog.c:4".
  static std::vector<std::string> at_label(const std::string& program) {
    ::setenv(kDebugPathVariable, (fs::current_path() / "debug").c_str(), 1);
    DebugInfo debug;
    debug.add_module(kModule, program);
    DebugModule& m = *debug.module(kModule);
    int count = m.dwfl() != nullptr ? dwfl_module_getsymtab(m.dwfl()) : 0;
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr value = 0;
      const char* name =
          dwfl_module_getsym_info(m.dwfl(), i, &symbol, &value, nullptr, nullptr, nullptr);
      if (name == nullptr || std::string(name) != "here") {
        continue;
      }
      CodeName code{kModule, static_cast<std::uint32_t>(value - m.dwfl_bias())};
      std::vector<std::string> found;
      for (const Place& p : debug.inlined(code, DebugInfo::Code::kInstruction)) {
        found.push_back(p.function + " " + p.where());
      }
      return found;
    }
    return {"there is no label"};
  }

  TemporaryFolder folder_;
};

const Build kAtEveryLevel[] = {
    {"dwarf4", "-gdwarf-4 prog.c -o prog"},
    {"dwarf5", "-gdwarf-5 prog.c -o prog"},
    {"split", "-gdwarf-5 -gsplit-dwarf -c prog.c", "$C prog.o -o prog"},
    {"lto", "-g -flto -c prog.c",
     "$C $O -g -flto prog.o -o prog || $C $O -g -flto -fuse-ld=lld prog.o -o prog"},
};
const Build kAtOneLevel[] = {
    {"split4", "-gdwarf-4 -gsplit-dwarf -c prog.c", "$C prog.o -o prog"},
    // Before version 0.191 the library that reads debug information knows no packages: lines are in
    // the program.
    {"package", "-gdwarf-5 -gsplit-dwarf -c prog.c",
     "$C prog.o -o prog && { dwp -e prog || llvm-dwp -e prog -o prog.dwp; } && rm prog.dwo",
     "command -v dwp || command -v llvm-dwp", false},
    {"compressed", "-g -gz prog.c -o prog"},
    {"debuglink", "-g prog.c -o prog",
     "objcopy --only-keep-debug prog prog.debug && strip prog && objcopy "
     "--add-gnu-debuglink=prog.debug prog"},
    {"buildid", "-g -Wl,--build-id=0x0123456789abcdef prog.c -o prog",
     "mkdir -p debug/.build-id/01 && objcopy --only-keep-debug prog "
     "debug/.build-id/01/23456789abcdef.debug && strip prog"},
};

class BuiltInC : public DebugBuilds,
                 public ::testing::WithParamInterface<std::tuple<const char*, int, Build>> {};

TEST_P(BuiltInC, TellsFunctionsAndLines) {
  auto [compiler, level, b] = GetParam();
  if (!works(std::string("command -v ") + compiler) || !works(b.needs)) {
    GTEST_SKIP() << compiler << " or another tool is not installed";
  }
  std::ofstream("prog.c") << kInC;
  std::string settings = std::string("C=") + compiler + "; O=-O" + std::to_string(level) + "; ";
  ASSERT_TRUE(works(settings + "$C $O " + b.compile + " && { " + b.after + "; }")) << log();
  std::vector<std::string> found = at_label(fs::current_path() / "prog");
  std::vector<std::string> expected{"inner prog.c:4", "outer prog.c:8"};
  if (!b.inlined_known && found != expected) {
    expected = {"outer prog.c:4"};
  }
  EXPECT_EQ(found, expected);
}

std::string build_name(const ::testing::TestParamInfo<BuiltInC::ParamType>& info) {
  return std::string(std::get<0>(info.param)) + "_O" + std::to_string(std::get<1>(info.param)) +
         "_" + std::get<2>(info.param).name;
}
constexpr const char* kCompilers[] = {"gcc", "clang"};
INSTANTIATE_TEST_SUITE_P(Levels, BuiltInC,
                         ::testing::Combine(::testing::ValuesIn(kCompilers), ::testing::Range(0, 4),
                                            ::testing::ValuesIn(kAtEveryLevel)),
                         build_name);
INSTANTIATE_TEST_SUITE_P(Forms, BuiltInC,
                         ::testing::Combine(::testing::ValuesIn(kCompilers), ::testing::Values(2),
                                            ::testing::ValuesIn(kAtOneLevel)),
                         build_name);

TEST_F(DebugBuilds, ACopyElsewhereFindsTheDebugFileBesideTheOriginal) {
  if (!works("command -v gcc")) {
    GTEST_SKIP() << "gcc is not installed";
  }
  std::ofstream("prog.c") << kInC;
  ASSERT_TRUE(
      works("gcc -g prog.c -o prog && objcopy --only-keep-debug prog prog.debug && strip "
            "prog && objcopy --add-gnu-debuglink=prog.debug prog && mkdir copies && cp "
            "prog copies"))
      << log();
  keep_debug_link("prog", "copies/prog");
  EXPECT_EQ(at_label(fs::current_path() / "copies/prog").back(), "outer prog.c:8");
}

class BuiltInRust : public DebugBuilds, public ::testing::WithParamInterface<int> {};

TEST_P(BuiltInRust, TellsFunctionsAndLines) {
  if (!works("rustc --version")) {
    GTEST_SKIP() << "rustc is not installed";
  }
  std::ofstream("prog.rs") << kInRust;
  ASSERT_TRUE(works("rustc -g -C opt-level=" + std::to_string(GetParam()) + " prog.rs")) << log();
  EXPECT_EQ(at_label(fs::current_path() / "prog"),
            (std::vector<std::string>{"prog::inner prog.rs:5", "prog::outer prog.rs:10"}));
}
INSTANTIATE_TEST_SUITE_P(Levels, BuiltInRust, ::testing::Values(0, 2));

}  // namespace
}  // namespace rff
