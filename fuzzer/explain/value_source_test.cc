#include "fuzzer/explain/value_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>

namespace rff {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr Surroundings kFirst = {4000, 1'800'000'000 * kSecond, 5'000 * kSecond};
constexpr Surroundings kSecondRun = {4010, 1'800'000'002 * kSecond, 5'002 * kSecond};

SourceKind kind_of(std::uint64_t first, std::uint64_t second, std::uint32_t size = 8) {
  return source_by_value({first, second, size}, kFirst, kSecondRun).kind;
}

TEST(SourceByValue, KnowsTheNumbersOfTheProcesses) {
  EXPECT_EQ(kind_of(4000, 4010, 4), SourceKind::kIdentity);
  EXPECT_EQ(kind_of(4010, 4000, 4), SourceKind::kUnknown) << "of the other run each";
}

TEST(SourceByValue, KnowsAddresses) {
  EXPECT_EQ(kind_of(0x7f12'3456'7000, 0x7f99'0000'1000), SourceKind::kAddress);
  EXPECT_EQ(kind_of(0xffff'8881'0000'1000, 0xffff'8881'0000'2000), SourceKind::kAddress);
  EXPECT_EQ(kind_of(0x7f12'3456'7000, 12), SourceKind::kUnknown) << "only one is an address";
}

TEST(SourceByValue, KnowsClocksInEveryUnit) {
  for (std::uint64_t unit :
       {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1'000'000}, kSecond}) {
    EXPECT_EQ(kind_of((1'800'000'000 * kSecond - 70) / unit, 1'800'000'002 * kSecond / unit),
              SourceKind::kTime)
        << unit;
  }
  EXPECT_EQ(kind_of(4'999'999'000'000, 5'001'999'000'000), SourceKind::kTime) << "uptime";
  EXPECT_EQ(kind_of(1'700'000'000, 1'700'000'001), SourceKind::kUnknown) << "years ago";
}

TEST(SourceByValue, KnowsRandomNumbers) {
  EXPECT_EQ(kind_of(0x9a3c'11f0'7be4'0d25, 0x61d2'e80f'05a9'b3c7), SourceKind::kRandom);
  EXPECT_EQ(kind_of(17, 99), SourceKind::kUnknown);
}

Trace::Outside query(std::uint64_t step, std::uint64_t address, std::uint64_t bytes,
                     std::uint32_t thread, std::string what) {
  Trace::Outside o;
  o.info = {step, address, bytes, thread, 0};
  o.what = std::move(what);
  return o;
}

trace::EventInfo read_at(std::uint64_t address) {
  trace::EventInfo e{};
  e.address = address;
  e.event.op = OpKind::kRead;
  e.flags = trace::kFromUnseen;
  return e;
}

TEST(SourceByQuery, NamesTheMemberOfTheStatusThatWasRead) {
  Trace trace;
  trace.outside = {query(1, 0x1000, sizeof(struct stat), 1, "stat /tmp/a"),
                   query(2, 0x1000, sizeof(struct stat), 1, "stat /tmp/b"),
                   query(9, 0x1000, sizeof(struct stat), 1, "stat /tmp/later")};
  trace::EventInfo e = read_at(0x1000 + offsetof(struct stat, st_ino));
  EXPECT_EQ(source_by_query(trace, &e, 5, 1).words, "file: the inode number that stat /tmp/b gave");
}

TEST(SourceByQuery, OtherwiseNamesTheThreadsLastQuery) {
  Trace trace;
  trace.outside = {query(1, 0, 0, 1, "open /proc/interrupts"),
                   query(2, 0, 0, 2, "open /etc/hosts")};
  trace::EventInfo e = read_at(0x5000);
  EXPECT_EQ(source_by_query(trace, &e, 5, 1).words,
            "file: the thread's last query before it was open /proc/interrupts");
  EXPECT_EQ(source_by_query(trace, &e, 5, 3).kind, SourceKind::kUnknown);
}

TEST(LikelySource, BlamesUnpatchedCodeForValuesThatItWrote) {
  rff::Run run;
  run.unpatched_modules = {"libz.so.1"};
  trace::EventInfo e = read_at(0x5000);
  DifferingValue value = {1, 2, 4};
  EXPECT_EQ(likely_source(run, &e, 5, 1, value, kFirst, kSecondRun).kind, SourceKind::kLibrary);
  e.flags = 0;
  EXPECT_EQ(likely_source(run, &e, 5, 1, value, kFirst, kSecondRun).kind, SourceKind::kUnknown);
  run.unmodelled_calls = {"read"};
  EXPECT_EQ(likely_source(run, &e, 5, 1, value, kFirst, kSecondRun).kind, SourceKind::kOutside);
}

}  // namespace
}  // namespace rff
