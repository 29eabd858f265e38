// Tests the entries of functions as sites, on the test's own program.
#include "instrument/call_sites.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "instrument/private_frames.h"

extern "C" {
int rff_shared_for_test = 3;
__attribute__((noinline)) int rff_begins_with_an_access() { return rff_shared_for_test; }
__attribute__((noinline)) int rff_begins_otherwise(int x) {
  asm volatile("" : "+r"(x));
  return x * 3 + rff_shared_for_test;
}
}

namespace rff::instrument {
namespace {

class CallSites : public testing::Test {
 protected:
  void SetUp() override {
    rff_begins_otherwise(rff_begins_with_an_access());
    file_.emplace(*ElfFile::open("/proc/self/exe"));
    program_.emplace(*Program::decode(*file_));
    find_private_frames(*program_);
    before_ = program_->sites().size();
    add_call_sites(*program_);
  }
  // Returns the site at the beginning of a function; null if there is none.
  const Site* entry(const std::string& name) const {
    for (const Function& f : program_->functions()) {
      if (f.name == name) {
        std::uint32_t first = f.first;
        first += program_->instructions()[first].has(kIsEndbr) ? 1 : 0;
        std::uint32_t site = program_->instructions()[first].site;
        return site != kNone32 ? &program_->sites()[site] : nullptr;
      }
    }
    ADD_FAILURE() << "no function " << name;
    return nullptr;
  }

  std::optional<ElfFile> file_;
  std::optional<Program> program_;
  std::size_t before_ = 0;
};

TEST_F(CallSites, AreSortedAndBelongToTheirInstructions) {
  const std::vector<Site>& sites = program_->sites();
  EXPECT_GT(sites.size(), before_);
  EXPECT_TRUE(std::is_sorted(sites.begin(), sites.end(),
                             [](const Site& a, const Site& b) { return a.address < b.address; }));
  for (const Instruction& in : program_->instructions()) {
    if (in.site != kNone32) {
      ASSERT_EQ(sites[in.site].address, in.address);
    }
  }
}

TEST_F(CallSites, AnEntryIsASiteOfItsOwnOrAFlagOfAnAccess) {
  const Site* access = entry("rff_begins_with_an_access");
  ASSERT_NE(access, nullptr);
  EXPECT_EQ(access->kind, hook::SiteKind::kRead);
  EXPECT_EQ(access->flags & hook::kFirst, hook::kFirst);
  const Site* other = entry("rff_begins_otherwise");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->kind, hook::SiteKind::kEntry);
  EXPECT_EQ(other->flags, hook::kFirst | hook::kComplex);
}

TEST_F(CallSites, StartupCodeHasNone) {
  const Site* start = entry("_start");
  EXPECT_TRUE(start == nullptr || (start->flags & hook::kFirst) == 0);
}

}  // namespace
}  // namespace rff::instrument
