#include "schedule/schedule_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "schedule/schedule_test_data.h"

namespace rff {
namespace {

using test_data::full_schedule;

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns a file with this body and the correct length and checksum.
std::string file_with(const std::string& body) {
  std::string file = encode_schedule({}).substr(0, 32);
  std::uint64_t length = body.size();
  std::uint64_t sum = hash_bytes(body);
  file.replace(16, 8, reinterpret_cast<const char*>(&length), 8);
  file.replace(24, 8, reinterpret_cast<const char*>(&sum), 8);
  return file + body;
}

std::string section(const std::string& tag, bool required, const std::string& body) {
  auto bytes = static_cast<std::uint32_t>(body.size());
  return tag + static_cast<char>(required ? 1 : 0) +
         std::string(reinterpret_cast<const char*>(&bytes), 4) + body;
}

TEST(ScheduleFile, RoundTripKeepsEverything) {
  for (const Schedule& s : {Schedule{}, full_schedule()}) {
    DecodeResult r = decode_schedule(encode_schedule(s));
    ASSERT_TRUE(r.schedule) << r.error;
    EXPECT_EQ(*r.schedule, s);
  }
}

TEST(ScheduleFile, EveryTruncationIsAnErrorAndNamesIt) {
  std::string bytes = encode_schedule(full_schedule());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    DecodeResult r = decode_schedule(std::string_view(bytes).substr(0, n));
    ASSERT_FALSE(r.schedule) << n;
    EXPECT_TRUE(r.error.find("truncated") != std::string::npos || n < 8) << n << ": " << r.error;
  }
}

TEST(ScheduleFile, EveryFlippedByteIsAnError) {
  std::string bytes = encode_schedule(full_schedule());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x41);
    EXPECT_FALSE(decode_schedule(bad).schedule) << i;
  }
}

TEST(ScheduleFile, ForeignNewerAndOverlongFilesAreNamed) {
  EXPECT_EQ(decode_schedule("").error, "is empty");
  EXPECT_EQ(decode_schedule("\x7f"
                            "ELF and so on")
                .error,
            "is not a schedule file");
  std::string other = encode_schedule({});
  other[8] = static_cast<char>(kScheduleVersion + 1);
  EXPECT_EQ(decode_schedule(other).error,
            "has version 4, from a newer rff; this one reads versions 2 and 3: use the rff that "
            "wrote it, or update");
  other[8] = 1;
  EXPECT_EQ(decode_schedule(other).error,
            "has version 1; this rff reads versions 2 and 3: record the schedule again");
  EXPECT_EQ(decode_schedule(encode_schedule({}) + "x").error, "has bytes after its end");
}

// A file stores each scheduler by name, with its own parameters.
TEST(ScheduleFile, EverySchedulerAndParameterIsKept) {
  for (unsigned i = 0; i < static_cast<unsigned>(SchedulerKind::kCount); ++i) {
    Schedule s;
    s.scheduler = static_cast<SchedulerKind>(i);
    const SchedulerRow& row = scheduler_row(s.scheduler);
    EXPECT_EQ(scheduler_from_name(row.name), s.scheduler);
    for (std::size_t p = 0; p < std::size(kParameterFields); ++p) {
      if (row.has(static_cast<SchedulerParameter>(p))) {
        const ParameterRow& parameter = kSchedulerParameters[p];
        s.*kParameterFields[p] =
            parameter.most - parameter.initial >= 7 ? parameter.initial + 7 : parameter.least;
      }
    }
    std::string bytes = encode_schedule(s);
    EXPECT_NE(bytes.find(row.name), std::string::npos);
    DecodeResult r = decode_schedule(bytes);
    ASSERT_TRUE(r.schedule) << r.error;
    EXPECT_EQ(*r.schedule, s);
  }
  EXPECT_EQ(scheduler_from_name("horse"), std::nullopt);
}

TEST(ScheduleFile, UnknownOptionalSectionsAreSkipped) {
  std::string body = encode_schedule(full_schedule()).substr(32);
  DecodeResult r = decode_schedule(
      file_with(section("WXYZ", false, "whatever") + body + section("WXYZ", false, "")));
  ASSERT_TRUE(r.schedule) << r.error;
  EXPECT_EQ(*r.schedule, full_schedule());
}

TEST(ScheduleFile, AnUnknownRequiredSectionNeedsANewerRff) {
  std::string body = encode_schedule(full_schedule()).substr(32);
  EXPECT_EQ(decode_schedule(file_with(body + section("W\nYZ", true, "whatever"))).error,
            "was made by a newer rff: section 'W?YZ' is unknown to this one; use the rff that "
            "wrote it, or update");
}

TEST(ScheduleFile, SectionsThatAreWrongAreNamed) {
  auto error = [](const std::string& body) { return decode_schedule(file_with(body)).error; };
  std::string good = encode_schedule({}).substr(32);
  EXPECT_EQ(error(""), "is malformed: it has no scheduler");
  EXPECT_EQ(error(good + good), "is malformed: section 'SCHD' is there twice");
  EXPECT_EQ(error(good + "SEE"), "is malformed: ends inside a section");
  EXPECT_EQ(error(good + section("WXYZ", false, "abc").substr(0, 10)),
            "is malformed: implausible number of bytes: 3");
  EXPECT_EQ(error(section("SEED", true, "12345678") + section("SCHD", true, "\5horse")),
            "is malformed: section 'SCHD': unknown scheduler 'horse'");
  std::string depth("\3pct\5depth\0\0\0\0", 14);
  EXPECT_EQ(error(section("SCHD", true, depth)),
            "is malformed: section 'SCHD': parameter depth is 0");
  EXPECT_EQ(error(section("SEED", true, "123456789")),
            "is malformed: section 'SEED': bytes are left over");
}

// The runtime relies on the order of the ranges.
TEST(ScheduleFile, StopPointsThatMakeNoSenseAreRefused) {
  auto error = [](const StopRule& rule) {
    Schedule s;
    s.points.stops = {rule};
    return decode_schedule(encode_schedule(s)).error;
  };
  using Kind = StopRule::Kind;
  EXPECT_EQ(error({"calls", Kind::kEntries, {{9, 0, ~0u}}, {}}), "");
  std::string begin = "is malformed: section 'STOP': ";
  EXPECT_EQ(error({"", Kind::kCode, {{9, 5, 5}}, {}}), begin + "stop points are not in order");
  EXPECT_EQ(error({"", Kind::kCode, {{9, 5, 8}, {9, 7, 9}}, {}}),
            begin + "stop points are not in order");
  EXPECT_EQ(error({"", Kind::kCode, {{9, 5, 8}, {8, 1, 2}}, {}}),
            begin + "stop points are not in order");
  EXPECT_EQ(error({"", Kind::kCode, {{9, 5, 8}}, {{9, 2, 1}}}),
            begin + "stop points are not in order");
  EXPECT_EQ(error({"", Kind::kMemory, {}, {}}), begin + "stop points and their kind do not fit");
  EXPECT_EQ(error({"", Kind::kPrimitives, {{9, 5, 8}}, {}}),
            begin + "stop points and their kind do not fit");
  EXPECT_EQ(error({"", Kind::kCount, {{9, 5, 8}}, {}}), begin + "unknown kind of stop points 5");
  std::string good = encode_schedule({}).substr(32);
  EXPECT_EQ(decode_schedule(file_with(good + section("STOP", true, std::string(4, 0)))).error,
            begin + "no stop points");
  EXPECT_EQ(decode_schedule(file_with(good + section("STOP", true, std::string(4, 1)))).error,
            begin + "implausible number of stop points: 16843009");
}

// The file was written by rff 0.1.0, which had no sections.
TEST(ScheduleFile, ProcessorsAreFourUnlessTheFileSaysOtherwise) {
  Schedule s;
  EXPECT_EQ(encode_schedule(s).find("CPUS"), std::string::npos) << "older versions read it";
  s.target.processors = 3;
  DecodeResult r = decode_schedule(encode_schedule(s));
  ASSERT_TRUE(r.schedule) << r.error;
  EXPECT_EQ(r.schedule->target.processors, 3u);
  for (std::uint32_t wrong : {0u, kMaxProcessors + 1}) {
    s.target.processors = wrong;
    r = decode_schedule(encode_schedule(s));
    EXPECT_EQ(r.error,
              "is malformed: section 'CPUS': the number of processors is " + std::to_string(wrong));
  }
}

TEST(ScheduleFile, AnInputIsThereOnlyIfItIsGiven) {
  Schedule s;
  EXPECT_EQ(encode_schedule(s).find("INPT"), std::string::npos) << "older versions read it";
  s.input = {ProgramInput::Way::kFile, "", std::string(ProgramInput::kMost, 'x')};
  DecodeResult r = decode_schedule(encode_schedule(s));
  ASSERT_TRUE(r.schedule) << r.error;
  EXPECT_EQ(r.schedule->input, s.input);
  s.input.bytes += 'x';
  EXPECT_EQ(decode_schedule(encode_schedule(s)).error,
            "is malformed: section 'INPT': implausible number of input: 1048577");
}

TEST(ScheduleFile, Version2IsStillRead) {
  std::filesystem::path folder = RFF_SCHEDULE_TESTDATA;
  Schedule full = full_schedule();
  full.points.racing = false;
  full.points.handed_over.clear();
  full.points.stops.clear();
  full.target.processors = kDefaultProcessors;
  full.input = {};
  full.target.checks = {};
  full.estimates = {};
  full.learned.clear();
  full.stream.clear();
  full.exploration = {};
  full.finding->failure = {};
  full.finding->failure.version_2_text = "threads 1 and 2 wait for each other";
  Schedule window = full_schedule();
  window.points.racing = false;
  window.points.handed_over.clear();
  window.points.stops.clear();
  window.target.processors = kDefaultProcessors;
  window.input = {};
  window.target.checks = {};
  window.estimates = {};
  window.learned.clear();
  window.stream.clear();
  window.exploration = {};
  window.finding.reset();
  window.guided = true;
  window.scheduler = SchedulerKind::kWindow;
  window.pct_depth = Schedule{}.pct_depth;  // not a parameter of this scheduler
  window.pct_length = Schedule{}.pct_length;
  window.patience = 77;
  for (auto [name, expected] :
       {std::pair{"v2-empty.bin", Schedule{}}, {"v2-full.bin", full}, {"v2-window.bin", window}}) {
    std::string bytes = contents(folder / name);
    ASSERT_EQ(bytes[8], 2) << name;
    DecodeResult r = decode_schedule(bytes);
    ASSERT_TRUE(r.schedule) << name << " " << r.error;
    EXPECT_EQ(*r.schedule, expected) << name;
  }
}

TEST(ScheduleFile, ChecksThatThisVersionDoesNotKnowAreRefused) {
  Schedule s;
  s.target.checks.bits = kCheckMemory | 64;
  EXPECT_NE(decode_schedule(encode_schedule(s)).error.find("unknown checks"), std::string::npos);
  s.target.checks = {kCheckMemory, 0, {}, {}};
  EXPECT_NE(decode_schedule(encode_schedule(s)).error.find("quarantine"), std::string::npos);
  s.target.checks = {kCheckMemory, 1, {}, {{1, 5, 9}, {1, 2, 3}}};
  EXPECT_NE(decode_schedule(encode_schedule(s)).error.find("order"), std::string::npos);
}

TEST(ScheduleFile, EveryTruncationOfVersion2IsAnError) {
  std::string bytes = contents(std::filesystem::path(RFF_SCHEDULE_TESTDATA) / "v2-full.bin");
  std::string body = bytes.substr(32);
  for (std::size_t n = 0; n < body.size(); ++n) {
    std::string cut = file_with(body.substr(0, n));
    cut[8] = 2;
    EXPECT_TRUE(decode_schedule(cut).error.starts_with("is malformed: ")) << n;
  }
}

// Wrong contents with a correct checksum must be detected by the reader itself.
TEST(ScheduleFile, MalformedBodiesWithRightChecksumAreErrors) {
  std::string body = encode_schedule(full_schedule()).substr(32);
  int accepted = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    for (unsigned char value : {0x00, 0x01, 0x7f, 0xff}) {
      std::string changed = body;
      changed[i] = static_cast<char>(value);
      DecodeResult r = decode_schedule(file_with(changed));
      accepted += r.schedule.has_value();
      if (r.schedule) {
        EXPECT_EQ(decode_schedule(encode_schedule(*r.schedule)).schedule, r.schedule);
      } else {
        EXPECT_TRUE(r.error.starts_with("is malformed: ") ||
                    r.error.starts_with("was made by a newer rff: "))
            << r.error;
      }
    }
  }
  EXPECT_GT(accepted, 0);
}

// Inputs that a coverage-guided fuzzer found worth keeping (see schedule_file_fuzz.cc).
TEST(ScheduleFile, FuzzCorpusNeverCrashesAndRoundTrips) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RFF_SCHEDULE_CORPUS)) {
    DecodeResult r = decode_schedule(contents(entry.path()));
    if (r.schedule) {
      EXPECT_EQ(decode_schedule(encode_schedule(*r.schedule)).schedule, r.schedule) << entry.path();
    } else {
      EXPECT_FALSE(r.error.empty());
    }
    ++files;
  }
  EXPECT_GT(files, 10u);
}

}  // namespace
}  // namespace rff
