// Tests the parts of the campaign that start no processes.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuzzer/campaign/afl_version.h"
#include "fuzzer/campaign/libraries.h"
#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/campaign/processors.h"
#include "fuzzer/campaign/progress.h"
#include "fuzzer/campaign/stats.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/debug/readable_name.h"
#include "fuzzer/run/target_file.h"
#include "schedule/hook.h"

namespace rff {
namespace {

std::optional<Options> parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "rff-fuzz");
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

TEST(Processors, AreFreeIfNobodyIsBoundToThemAlone) {
  std::filesystem::path processes = std::filesystem::path(testing::TempDir()) / "processes";
  auto process = [&](const std::string& number, const std::string& status) {
    std::filesystem::create_directories(processes / number);
    std::ofstream(processes / number / "status") << status;
  };
  process("1", "Name:\tinit\nVmSize:\t10 kB\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n");
  process("2", "Name:\tmigration\nCpus_allowed:\t1\nCpus_allowed_list:\t0\n");
  process("30", "Name:\tbound\nVmSize:\t10 kB\nCpus_allowed:\t4\nCpus_allowed_list:\t2\n");
  process("31", "Name:\ttwo\nVmSize:\t10 kB\nCpus_allowed:\t3\nCpus_allowed_list:\t0,1\n");
  EXPECT_EQ(free_processors(processes, {0, 1, 2, 3}, 1), (std::vector<int>{1, 3, 0}));
  EXPECT_EQ(free_processors(processes, {2, 3}, 9), (std::vector<int>{3}));
  EXPECT_EQ(free_processors(processes, {}, 0), (std::vector<int>{}));
  std::filesystem::remove_all(processes);
}

TEST(Options, LeavesWhatFollowsTheDashesToTheProgram) {
  Options o = *parse({"-n", "7", "--", "./prog", "-n", "--", "--help"});
  EXPECT_EQ(o.max_schedules, 7u);
  EXPECT_EQ(o.program, "./prog");
  EXPECT_EQ(o.arguments, (std::vector<std::string>{"-n", "--", "--help"}));
}

TEST(Options, TakesWhatTheHelpPromises) {
  Options o = *parse({"-i",
                      "-",
                      "-o",
                      "x",
                      "-t",
                      "1.5",
                      "--until-bug",
                      "--scheduler",
                      "pct",
                      "--depth",
                      "5",
                      "--seed",
                      "18446744073709551615",
                      "--carrier",
                      "thread",
                      "--timeouts",
                      "any",
                      "-j",
                      "3",
                      "--libs",
                      "libz*,libm*",
                      "--schedule-timeout",
                      "250",
                      "--quiet",
                      "--afl-ui",
                      "--no-audit",
                      "--",
                      "p"});
  EXPECT_TRUE(o.resume && o.until_bug && o.quiet && o.afl_ui && !o.audit);
  EXPECT_EQ(o.search.scheduler, SchedulerKind::kPct);
  EXPECT_EQ(o.search.depth, 5u);
  EXPECT_EQ(o.seed, 18446744073709551615ull);
  EXPECT_EQ(o.timeouts, kAnyPreemption);
  EXPECT_EQ(o.instances, 3u);
  EXPECT_EQ(o.schedule_timeout_ms, 250u);
}

TEST(Options, RefusesNonsense) {
  for (std::vector<std::string> bad :
       std::vector<std::vector<std::string>>{{},
                                             {"--"},
                                             {"-n", "x", "--", "p"},
                                             {"-n", "-3", "--", "p"},
                                             {"-j", "65", "--", "p"},
                                             {"-t", "-1", "--", "p"},
                                             {"-i", "-", "--force", "--", "p"},
                                             {"--depth", "0", "--", "p"},
                                             {"--carrier", "horse", "--", "p"}}) {
    EXPECT_THROW(parse(bad), ToolError) << testing::PrintToString(bad);
  }
}

TEST(Options, EverySchedulerOfTheTableThatIsAUsersCanBeChosen) {
  for (unsigned i = 0; i < static_cast<unsigned>(SchedulerKind::kCount); ++i) {
    auto kind = static_cast<SchedulerKind>(i);
    std::vector<std::string> line = {"--scheduler", std::string(scheduler_name(kind)), "--", "p"};
    if (scheduler_row(kind).chosen_by == ChosenBy::kUser) {
      EXPECT_EQ(parse(line)->search.scheduler, kind);
    } else {
      EXPECT_THROW(parse(line), ToolError) << line[1];
    }
  }
}

TEST(Options, TheFirstWordThatIsNoOptionIsTheProgram) {
  Options o = *parse({"-t", "10m", "prog", "--force", "--", "x"});
  EXPECT_EQ(o.max_seconds, 600);
  EXPECT_FALSE(o.force);
  EXPECT_EQ(o.program, "prog");
  EXPECT_EQ(o.arguments, (std::vector<std::string>{"--force", "--", "x"}));
}

TEST(Options, ExitIsBugTakesItsValueAfterEquals) {
  EXPECT_EQ(parse({"p"})->exit_is_bug, "auto");
  EXPECT_EQ(parse({"--exit-is-bug", "p"})->exit_is_bug, "yes");
  EXPECT_EQ(parse({"--exit-is-bug=no", "p"})->exit_is_bug, "no");
  EXPECT_THROW(parse({"--exit-is-bug=maybe", "p"}), ToolError);
}

TEST(Stats, SurviveTheirFile) {
  Stats s;
  s.schedules = 1000;
  s.seconds = 12.5;
  s.seed = ~std::uint64_t{0};
  s.scheduler = "rff";
  s.target = "/a b/\xff";
  s.arguments = {"x"};
  s.search = {{"flips", 5, 4, 3, 2}, {"periods", 9, 0, 0, 0, 1, 7}, {"urw", 1, 0, 0, 0, 1}};
  s.findings.push_back({FindingKind::kDeadlock,
                        {0xffffffff, 0xfffffffe},
                        "findings/001-deadlock",
                        "both wait",
                        3,
                        9});
  std::optional<Stats> back = stats_from_json(stats_to_json(s));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->schedules, 1000u);
  EXPECT_EQ(back->seed, s.seed);
  EXPECT_EQ(back->search, s.search);
  EXPECT_EQ(back->profile_schedules(), 2u);
  ASSERT_EQ(back->findings.size(), 1u);
  EXPECT_EQ(back->findings[0].place, s.findings[0].place);
  EXPECT_EQ(back->findings[0].count, 9u);
}

TEST(Stats, SayWhatEachStrategyBrought) {
  std::vector<SearchTally> tallies;
  EXPECT_EQ(search_line(tallies), "");
  add_tally(tallies, {"opening", 1, 1, 1, 0});
  add_tally(tallies, {"flips", 5, 0, 0, 0});
  add_tally(tallies, {"flips", 2, 1, 0, 3});
  add_tally(tallies, {"turns", 0, 0, 0, 0});
  EXPECT_EQ(search_line(tallies),
            "search, runs by strategy: opening 1 (1 with new pairs, 1 with new paths); "
            "flips 7 (1 with new pairs, 3 failed)");
}

TEST(Stats, AreNotReadFromGarbage) {
  for (const char* text : {"", "{", "[]", "{\"schedules\": \"many\"}", "null"})
    EXPECT_FALSE(stats_from_json(text));
}

TEST(Progress, IsOneLine) {
  Stats s;
  s.schedules = 4242;
  s.seconds = 3725;
  s.rf_pairs = 7;
  EXPECT_EQ(
      progress_line(s, {.seconds_without_new_pair = 61}),
      "schedules 4242 (1/s) | rf pairs 7 (new 0:01:01 ago) | corpus 0 | findings 0 | 1:02:05");
}

TEST(Progress, ShowsWhatWentWrongAndWhatIsLeft) {
  Stats s;
  s.unstable = 1;
  s.lost = 2;
  s.unresponsive = 3;
  std::string line = progress_line(s, {.schedules_left = 40, .seconds_left = 3600});
  EXPECT_NE(line.find(" | unstable 1 | lost 2 | unresponsive 3 | 0:00:00, 1:00:00 left"),
            std::string::npos)
      << line;
  EXPECT_TRUE(line.ends_with(" | schedules left 40")) << line;
}

TEST(Words, ALongTextIsCutBetweenWords) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("one two three four", 14), "one two ...");
  EXPECT_EQ(shortened(std::string(50, 'x'), 14), std::string(10, 'x') + " ...");
  EXPECT_EQ(shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 7), "\xc3\xa4 ...");
}

TEST(AflVersion, IsReadFromItsHelp) {
  EXPECT_EQ(afl_version("\x1b[0;36mafl-fuzz++4.04c\x1b[0m based on afl"), (AflVersion{4, 4}));
  EXPECT_EQ(afl_version("afl-fuzz++4.21a based on"), (AflVersion{4, 21}));
  EXPECT_EQ(afl_version("afl-fuzz 2.52b by <lcamtuf@google.com>"), (AflVersion{2, 52}));
  EXPECT_FALSE(afl_version("Usage: wrapper"));
  EXPECT_LT((AflVersion{3, 15}), kOldestAfl);
  EXPECT_EQ(afl_version_text(kOldestAfl), "4.04c");
}

TEST(OutputFolder, DiffersForEachProgramAndArguments) {
  std::string folder = folder_for("/bin/prog", {"a", "b"});
  EXPECT_TRUE(folder.starts_with("rff-out/prog-")) << folder;
  EXPECT_EQ(folder, folder_for("/bin/prog", {"a", "b"}));
  EXPECT_NE(folder, folder_for("/bin/prog", {"ab"}));
  EXPECT_NE(folder, folder_for("/usr/bin/prog", {"a", "b"}));
}

TEST(Libraries, AreReadFromTheLoadersList) {
  auto found = parse_loader_list(
      "\tlinux-vdso.so.1 (0x00007fff)\n\tlibz.so.1 => /lib/x y/libz.so.1 (0x00007f)\n"
      "\tlibgone.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "libz.so.1");
  EXPECT_EQ(found[0].path, "/lib/x y/libz.so.1");
  EXPECT_EQ(found[1].name, "libgone.so");
  EXPECT_EQ(found[1].path, "");
}

TEST(Libraries, AreChosenByPattern) {
  EXPECT_FALSE(wants_library("none", "libz.so.1"));
  EXPECT_TRUE(wants_library("all", "libz.so.1"));
  EXPECT_TRUE(wants_library("libm*,libz*", "libz.so.1"));
  EXPECT_FALSE(wants_library("libm*", "libz.so.1"));
  EXPECT_FALSE(wants_library("all", "libc.so.6"));
  EXPECT_FALSE(wants_library("all", "libclang_rt.asan-x86_64.so"));
  EXPECT_FALSE(wants_library("lib*", "ld-linux-x86-64.so.2"));
}

TEST(Libraries, ThatWaitByThemselvesAreKnown) {
  using namespace std::string_literals;
  std::string path = testing::TempDir() + "waits_by_itself";
  std::string number = "\xb8\xca\0\0\0"s;  // mov $SYS_futex, %eax
  std::string call = "\x0f\x05"s;          // syscall
  auto waits = [&](const std::string& code) {
    EXPECT_EQ(write_file(path, std::string(5000, '\x90') + code), 0);
    return waits_by_itself(path);
  };
  EXPECT_TRUE(waits(number + "\x44\x89\xc6"s + call));
  EXPECT_FALSE(waits(call + number));
  EXPECT_FALSE(waits(number + std::string(100, '\x90') + call));
  EXPECT_FALSE(waits(number));
  ::unlink(path.c_str());
  EXPECT_FALSE(waits_by_itself(path));
}

TEST(Libraries, HaveContainersThatProgramsCall) {
  std::string path = testing::TempDir() + "calls_containers";
  EXPECT_EQ(write_file(path, "_ZNSt8__detail15_List_node_base7_M_hookEPS0_"), 0);
  EXPECT_NE(container_functions(path, "libstdc++.so.6"), "");
  EXPECT_EQ(container_functions(path, "libz.so.1"), "");
  EXPECT_EQ(write_file(path, "_ZSt29_Rb_tree_insert_and_rebalance"), 0);
  EXPECT_NE(container_functions(path, "libstdc++.so.6"), "");
  EXPECT_EQ(write_file(path, "_ZNSt6thread4joinEv"), 0);
  EXPECT_EQ(container_functions(path, "libstdc++.so.6"), "");
  ::unlink(path.c_str());
}

TEST(TargetFile, KnowsAProgramFromOtherThings) {
  EXPECT_NE(inspect_elf("").error, "");
  EXPECT_NE(inspect_elf("#!/bin/sh\n").error.find("script"), std::string::npos);
  EXPECT_NE(inspect_elf("\x7f"
                        "ELF")
                .error,
            "");
  std::string self = *read_file("/proc/self/exe");
  ElfFacts facts = inspect_elf(self);
  EXPECT_EQ(facts.error, "");
  EXPECT_FALSE(facts.patched);
  // A truncated or damaged file must give a result, never a crash.
  for (std::size_t length = 0; length < 2000; length += 7)
    inspect_elf(std::string_view(self).substr(0, length));
  for (std::size_t at = 0; at < 1200; ++at) {
    std::string damaged = self.substr(0, 20000);
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    inspect_elf(damaged);
  }
}

// Returns a minimal patched program: headers, an interpreter and the rewriter's note.
std::string patched_program(std::uint32_t version) {
  struct {
    Elf64_Ehdr header{};
    Elf64_Phdr interpreter{};
    Elf64_Phdr notes{};
    Elf64_Nhdr note{sizeof hook::kNoteOwner, sizeof(std::uint32_t), hook::kNoteType};
    char owner[sizeof hook::kNoteOwner];
    std::uint32_t version;
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_type = ET_DYN;
  file.header.e_machine = EM_X86_64;
  file.header.e_phoff = sizeof file.header;
  file.header.e_phnum = 2;
  file.interpreter.p_type = PT_INTERP;
  file.notes.p_type = PT_NOTE;
  file.notes.p_offset = sizeof file.header + sizeof file.interpreter + sizeof file.notes;
  file.notes.p_filesz = sizeof file - file.notes.p_offset;
  std::memcpy(file.owner, hook::kNoteOwner, sizeof file.owner);
  file.version = version;
  return {reinterpret_cast<const char*>(&file), sizeof file};
}

TEST(TargetFile, RefusesWhatAnotherVersionHasPatched) {
  ElfFacts now = inspect_elf(patched_program(hook::kHookVersion));
  EXPECT_TRUE(now.patched);
  EXPECT_EQ(now.error, "");
  ElfFacts later = inspect_elf(patched_program(hook::kHookVersion + 1));
  EXPECT_NE(later.error.find("another version"), std::string::npos) << later.error;
}

}  // namespace
}  // namespace rff
