#include "schedule/schedule_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "schedule/schedule_test_data.h"

namespace rff {
namespace {

using test_data::full_schedule;

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
  std::string newer = encode_schedule({});
  newer[8] = static_cast<char>(kScheduleVersion + 1);
  EXPECT_EQ(decode_schedule(newer).error, "has version " + std::to_string(kScheduleVersion + 1) +
                                              "; this program reads version " +
                                              std::to_string(kScheduleVersion));
  EXPECT_EQ(decode_schedule(encode_schedule({}) + "x").error, "has bytes after its end");
}

// A body with a right checksum and wrong contents: what the checksum alone would let through.
TEST(ScheduleFile, MalformedBodiesWithRightChecksumAreErrors) {
  std::string good = encode_schedule(full_schedule());
  std::string body = good.substr(32);
  int accepted = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    for (unsigned char value : {0x00, 0x01, 0x7f, 0xff}) {
      std::string changed = body;
      changed[i] = static_cast<char>(value);
      std::string file = good.substr(0, 32) + changed;
      std::uint64_t sum = hash_bytes(changed);
      file.replace(24, 8, reinterpret_cast<const char*>(&sum), 8);
      DecodeResult r = decode_schedule(file);
      accepted += r.schedule.has_value();
      if (r.schedule) {
        EXPECT_EQ(decode_schedule(encode_schedule(*r.schedule)).schedule, r.schedule);
      } else {
        EXPECT_TRUE(r.error.starts_with("is malformed: ")) << r.error;
      }
    }
  }
  EXPECT_GT(accepted, 0);
}

// Inputs that a coverage-guided fuzzer found worth keeping (see schedule_file_fuzz.cc).
TEST(ScheduleFile, FuzzCorpusNeverCrashesAndRoundTrips) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RFF_SCHEDULE_CORPUS)) {
    std::ifstream in(entry.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    DecodeResult r = decode_schedule(bytes);
    if (r.schedule) {
      EXPECT_EQ(encode_schedule(*r.schedule), bytes) << entry.path();
    } else {
      EXPECT_FALSE(r.error.empty());
    }
    ++files;
  }
  EXPECT_GT(files, 10u);
}

}  // namespace
}  // namespace rff
