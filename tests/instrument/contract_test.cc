// Tests the parts of the hook contract that the event sequences do not cover.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/instrument/patched_file.h"
#include "tests/instrument/support.h"

namespace rff::test {
namespace {

class ContractTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string patch_subject(const std::string& name) {
    std::string patched = folder_ + "/" + name;
    patch(std::string(RFF_SUBJECTS) + "/" + name, patched, folder_ + "/report.json");
    return patched;
  }
  std::string folder_;
};

// Returns accesses of vector sites only, as distances from the first one, which is cells[0].
std::vector<std::string> vector_accesses(const std::string& program, const Recording& run) {
  PatchedFile file(program);
  std::vector<std::string> events;
  std::uint64_t cells = 0;
  for (const std::string& line : run.events) {
    std::istringstream in(line);
    std::uint64_t site = 0;
    std::uint64_t size = 0;
    char kind = 0;
    std::string place;
    in >> std::hex >> site >> kind >> place >> size;
    const hook::SiteRecord* record = file.site_at(site);
    if (record == nullptr || record->kind != hook::SiteKind::kVector) {
      continue;
    }
    std::uint64_t address = std::stoull(place.substr(place.find('+') + 1), nullptr, 16);
    cells = cells == 0 ? address : cells;
    events.push_back(kind + std::to_string(address - cells) + ":" + std::to_string(size));
  }
  return events;
}

TEST_F(ContractTest, ComplexHookMayDoTheInstructionsWork) {
  std::string program = patch_subject("emulated");
  Outcome outcome = execute({program}, {{"LD_PRELOAD", emulating_runtime()}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "rdtsc 5 1234\nrdtscp 5 1234 77\nrdrand 4 carry 1\ngetpid 4242\n");
}

TEST_F(ContractTest, WideVectorAccessesAreReportedElementByElement) {
  std::string program = patch_subject("wide_vectors");
  Recording run = record(program, recording_runtime(), folder_ + "/log");
  if (run.out == "no AVX2\n") {
    GTEST_SKIP() << "this processor has no AVX2";
  }
  EXPECT_EQ(run.out, "0 7 0 21 0 35 0 49 \n");
  std::vector<std::string> expected{
      "r0:4",   "r28:4",  "r84:4",  "r140:4", "r196:4",   // vpgatherdd
      "r48:8",  "r128:8", "r168:8",                       // vpgatherqq
      "r0:4",   "r4:4",   "r12:4",  "r20:4",  "r28:4",    // vpmaskmovd
      "w128:4", "w132:4", "w140:4", "w148:4", "w156:4"};  // vmaskmovps
  EXPECT_EQ(vector_accesses(program, run), expected);
}

TEST_F(ContractTest, MaskRegistersSelectWhatTheWidestVectorsAccess) {
  std::string program = patch_subject("widest_vectors");
  Recording run = record(program, recording_runtime(), folder_ + "/log");
  if (run.out == "no AVX-512\n") {
    GTEST_SKIP() << "this processor has no AVX-512";
  }
  EXPECT_EQ(run.out, execute({std::string(RFF_SUBJECTS) + "/widest_vectors"}).out);
  std::vector<std::string> expected{"r0:4",   "r24:4",             // vpgatherdd
                                    "r180:4",                      //
                                    "w216:8", "w24:8",             // vpscatterqq
                                    "r64:1",  "r127:1",            // vmovdqu8
                                    "w128:1", "w191:1",            //
                                    "w4:4",   "w8:4",   "w12:4"};  // vpcompressd
  EXPECT_EQ(vector_accesses(program, run), expected);
}

TEST_F(ContractTest, LibraryLoadedLaterIsFoundAndHooked) {
  std::string library = patch_subject("plugin.so");
  std::string loader = std::string(RFF_SUBJECTS) + "/loader";
  Outcome expected = execute({loader, std::string(RFF_SUBJECTS) + "/plugin.so"});
  ASSERT_EQ(expected.status, 0);
  EXPECT_EQ(execute({loader, library}).out, expected.out);
  std::string counts = folder_ + "/counts";
  Outcome hooked =
      execute({loader, library}, {{"LD_PRELOAD", counting_runtime()}, {"RFF_TEST_COUNTS", counts}});
  EXPECT_EQ(hooked.out, expected.out);
  EXPECT_GE(std::atol(read_file(counts).c_str()), 100);
}

TEST_F(ContractTest, FileWithoutSectionHeadersBehavesAsTheOriginal) {
  for (const char* name : {"switches_O2", "exceptions_O2", "jumps_and_signals_no_pie"}) {
    std::string image = read_file(std::string(RFF_SUBJECTS) + "/" + name);
    Elf64_Ehdr header;
    std::memcpy(&header, image.data(), sizeof(header));
    header.e_shoff = 0;
    header.e_shnum = 0;
    header.e_shstrndx = 0;
    std::memcpy(image.data(), &header, sizeof(header));
    std::string original = folder_ + "/original";
    std::string patched = folder_ + "/patched";
    write_file(original, image);
    std::filesystem::permissions(original, std::filesystem::perms::owner_all);
    patch(original, patched, folder_ + "/report.json");
    Outcome expected = execute({original});
    ASSERT_EQ(expected.status, 0) << expected.err;
    std::string counts = folder_ + "/counts";
    for (const Environment& environment :
         {Environment{},
          Environment{{"LD_PRELOAD", counting_runtime()}, {"RFF_TEST_COUNTS", counts}}}) {
      Outcome actual = execute({patched}, environment);
      EXPECT_EQ(actual.status, 0) << name << actual.err;
      EXPECT_EQ(actual.out, expected.out) << name;
    }
    EXPECT_GT(std::atol(read_file(counts).c_str()), 20);
  }
}

TEST_F(ContractTest, WithoutRoomOnlyTheAccessGoesUnreported) {
  std::string program = patch_subject("crowded");
  nlohmann::json report = nlohmann::json::parse(read_file(folder_ + "/report.json"));
  for (const nlohmann::json& item : report["left_alone"]) {
    if (item["function"] == "Crowded") {
      EXPECT_EQ(item["reason"], "no room for a jump before the access");
      EXPECT_GT(item["sites"].size(), 10U);
    }
  }
  // The accesses around the crowded function are reported, three times each.
  PatchedFile file(program);
  Recording hooked = record(program, recording_runtime(), folder_ + "/log");
  Outcome expected = execute({std::string(RFF_SUBJECTS) + "/crowded"});
  EXPECT_EQ(hooked.out, expected.out);
  EXPECT_EQ(execute({program}).out, expected.out);
  std::map<std::uint64_t, int> updates;
  for (const std::string& line : hooked.events) {
    std::uint64_t site = std::stoull(line, nullptr, 16);
    const hook::SiteRecord* record = file.site_at(site);
    if (record != nullptr && record->kind == hook::SiteKind::kReadModifyWrite) {
      ++updates[site];
    }
  }
  ASSERT_EQ(updates.size(), 1U);
  EXPECT_EQ(updates.begin()->second, 3);
}

// Few processors execute transactions, so the test only looks for the copies.
TEST_F(ContractTest, TransactionsAreCopied) {
  std::string patched = patch_subject("transactions_O2");
  std::string image = read_file(patched);
  hook::HookNote note = PatchedFile(patched).note();
  for (const char* instruction : {"\xc7\xf8", "\xc6\xf8\x01", "\x0f\x01\xd5"}) {
    std::size_t at = image.find(instruction, note.code_begin);
    EXPECT_LT(at, note.code_end);
  }
}

TEST_F(ContractTest, FunctionsWithComputedJumpsAreLeftAlone) {
  for (const char* name : {"label_differences_O0", "label_differences_O2"}) {
    std::string program = patch_subject(name);
    nlohmann::json left = nlohmann::json::parse(read_file(folder_ + "/report.json"))["left_alone"];
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0]["function"], "Interpret");
    EXPECT_EQ(left[0]["reason"].get<std::string>().find("a jump that is computed at"), 0U);
    EXPECT_EQ(execute({program}).out, execute({std::string(RFF_SUBJECTS) + "/" + name}).out);
  }
}

TEST_F(ContractTest, AssemblyIsPatchedWhereAllEntriesAreKnown) {
  std::string program = patch_subject("assembly");
  Recording run = record(program, recording_runtime(), folder_ + "/log");
  Outcome expected = execute({std::string(RFF_SUBJECTS) + "/assembly"});
  EXPECT_EQ(run.out, expected.out);
  EXPECT_EQ(execute({program}).out, expected.out);
  // Left alone are the function that nothing refers to, and the one with the computed jump.
  nlohmann::json left = nlohmann::json::parse(read_file(folder_ + "/report.json"))["left_alone"];
  std::size_t sites = 0;
  for (const nlohmann::json& item : left) {
    sites += item["sites"].size();
  }
  EXPECT_EQ(sites, 6U) << left.dump(1);
}

TEST_F(ContractTest, ConstantsBetweenFunctionsAreNoSites) {
  std::string program = patch_subject("constants_in_text");
  nlohmann::json report = nlohmann::json::parse(read_file(folder_ + "/report.json"));
  EXPECT_EQ(report["data"].size(), 1U);
  // These are the sites of main and of the start files; the table would have three times as many.
  EXPECT_LT(report["sites_found"], 15);
  Outcome expected = execute({std::string(RFF_SUBJECTS) + "/constants_in_text"});
  ASSERT_EQ(expected.status, 0);
  EXPECT_EQ(execute({program}).out, expected.out);
  EXPECT_EQ(execute({program}, {{"LD_PRELOAD", counting_runtime()}}).out, expected.out);
}

TEST_F(ContractTest, TablesAreConsistent) {
  PatchedFile file(patch_subject("instruction_classes"));
  EXPECT_EQ(file.note().backend, 0U);
  EXPECT_GT(file.note().detail_count, 5U);
  for (const hook::SiteRecord& site : file.sites()) {
    EXPECT_EQ((site.flags & hook::kComplex) != 0, site.detail != hook::kNoDetail);
    EXPECT_GE(site.copy_address, file.note().code_begin);
    EXPECT_LT(site.copy_address, file.note().code_end);
    EXPECT_EQ(file.original(site.copy_address), site.address);
    if (site.detail != hook::kNoDetail) {
      EXPECT_LT(site.detail, file.note().detail_count);
    }
  }
}

// A group that were wrongly made would hide accesses from the runtime.
TEST_F(ContractTest, GroupsHaveOnlySimpleAccessesAndTheLastMayWrite) {
  PatchedFile file(patch_subject("instruction_classes"));
  const hook::JoinedNote& note = file.note().joined;
  ASSERT_GT(note.group_count, 0U);
  std::uint32_t next = 0, end = 0;
  for (const hook::GroupRecord& group : file.groups()) {
    EXPECT_GE(group.first_site, next);
    EXPECT_GT(group.begin, end);
    EXPECT_GT(group.end, group.begin);
    next = group.first_site + group.sites;
    end = group.end;
    ASSERT_LE(next, file.sites().size());
    for (std::uint32_t i = group.first_site; i < next; ++i) {
      const hook::SiteRecord& site = file.sites()[i];
      EXPECT_EQ(site.flags & (hook::kLocked | hook::kComplex), 0);
      EXPECT_LE(site.size, 8);
      EXPECT_TRUE(site.kind == hook::SiteKind::kRead ||
                  (i + 1 == next && (group.traits & hook::kGroupWrites) != 0));
    }
    std::uint64_t first = file.original(file.note().code_begin + group.begin);
    EXPECT_EQ(first, file.sites()[group.first_site].address);
  }
}

}  // namespace
}  // namespace rff::test
