// Tests that stacks taken inside the hook, inside a copied function that faulted, and by the
// program itself are the original ones, and that exceptions thrown by the handler of such a fault
// are caught.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "instrument/elf_file.h"
#include "tests/instrument/patched_file.h"
#include "tests/instrument/support.h"

namespace rff::test {
namespace {

std::map<std::string, std::vector<std::uint64_t>> stacks(const std::string& out) {
  std::map<std::string, std::vector<std::uint64_t>> stacks;
  for (const std::string& line : lines_of(out)) {
    std::istringstream in(line);
    std::string title;
    in >> title;
    for (std::uint64_t address; in >> std::hex >> address;) {
      stacks[title].push_back(address);
    }
  }
  return stacks;
}

class UnwindingTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    original_ = std::string(RFF_SUBJECTS) + "/" + GetParam();
    patched_ = folder_ + "/patched";
    patch(original_, patched_, folder_ + "/report.json");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_, original_, patched_;
};

TEST_P(UnwindingTest, ProgramSeesItsOriginalStack) {
  Outcome expected = execute({original_});
  ASSERT_EQ(expected.status, 0) << expected.err;
  EXPECT_EQ(stacks(expected.out)["inner"], stacks(execute({patched_}).out)["inner"]);
}

TEST_P(UnwindingTest, FaultInACopyUnwindsThroughTheMap) {
  std::vector<std::uint64_t> expected = stacks(execute({original_}).out)["fault"];
  std::vector<std::uint64_t> actual = stacks(execute({patched_}).out)["fault"];
  ASSERT_GT(expected.size(), 4U);
  PatchedFile file(patched_);
  bool in_copy = false;
  for (std::uint64_t& address : actual) {
    std::uint64_t original = file.original(address);
    in_copy |= original != address;
    address = original;
  }
  EXPECT_TRUE(in_copy);
  EXPECT_EQ(expected, actual);
}

TEST_P(UnwindingTest, HookSeesTheOriginalStack) {
  Outcome outcome = execute({patched_}, {{"LD_PRELOAD", backtrace_runtime()}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::vector<std::uint64_t> own = stacks(outcome.out)["inner"];
  std::vector<std::uint64_t> hook = stacks(outcome.out)["hook"];
  ASSERT_GT(own.size(), 4U);
  // The program's own stack is: PrintStack, Inner, callers. The hook's: the stub, the site in
  // Inner, callers.
  ASSERT_EQ(own.size(), hook.size());
  PatchedFile file(patched_);
  const hook::SiteRecord* site = file.site_at(hook[1]);
  ASSERT_NE(site, nullptr) << std::hex << hook[1];
  EXPECT_EQ(site->kind, hook::SiteKind::kWrite);
  EXPECT_TRUE(std::equal(own.begin() + 2, own.end(), hook.begin() + 2));
}

// Returns the functions on the stack when `program` faults, according to gdb.
std::vector<std::string> gdb_stack(const std::string& program) {
  Outcome outcome = execute({"gdb", "-batch", "-nx", "-ex", "run", "-ex", "backtrace", program});
  std::vector<std::string> functions;
  for (const std::string& line : lines_of(outcome.out)) {
    std::size_t name = line.find(" in ");
    if (line.rfind('#', 0) == 0 && name != std::string::npos) {
      functions.push_back(line.substr(name + 4, line.rfind(" (") - name - 4));
    }
  }
  return functions;
}

TEST_P(UnwindingTest, DebuggerSeesTheOriginalStack) {
  std::vector<std::string> expected = gdb_stack(original_);
  if (expected.empty() || expected.front().rfind("Inner", 0) != 0) {
    GTEST_SKIP() << "gdb is not installed or sees the emulator instead of the program";
  }
  EXPECT_GT(expected.size(), 4U);
  EXPECT_EQ(gdb_stack(patched_), expected);
}

class ThrowingHandlerTest : public UnwindingTest {};

TEST_P(ThrowingHandlerTest, ExceptionsFromAFaultInACopyAreCaught) {
  Outcome expected = execute({original_});
  ASSERT_EQ(expected.status, 0) << expected.err;
  Outcome alone = execute({patched_});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(alone.out, expected.out);
  Outcome hooked = execute({patched_}, {{"LD_PRELOAD", counting_runtime()}});
  EXPECT_EQ(hooked.status, 0) << hooked.err;
  EXPECT_EQ(hooked.out, expected.out);
}

INSTANTIATE_TEST_SUITE_P(Compiled, ThrowingHandlerTest,
                         ::testing::Values("throwing_handler_O0", "throwing_handler_O2",
                                           "throwing_handler_no_pie"),
                         [](const auto& subject) { return std::string(subject.param); });

INSTANTIATE_TEST_SUITE_P(Compiled, UnwindingTest,
                         ::testing::Values("unwinding_O0", "unwinding_O2", "unwinding_no_pie"),
                         [](const auto& subject) { return std::string(subject.param); });

}  // namespace
}  // namespace rff::test
