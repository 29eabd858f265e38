#include "fuzzer/common/trace_file.h"

#include <gtest/gtest.h>

#include <cstring>

namespace rff {
namespace {

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string header(std::uint32_t version = trace::kVersion) {
  trace::TraceHeader h{};
  std::memcpy(h.magic, trace::kMagic, sizeof h.magic);
  h.version = version;
  return bytes_of(h);
}

std::string record(trace::RecordKind kind, const std::string& payload) {
  return bytes_of(trace::RecordHeader{kind, static_cast<std::uint32_t>(payload.size())}) + payload;
}

TEST(TraceFile, RecordsOfUnknownKindsAreSkipped) {
  std::string error;
  Trace t = read_trace(header() + record(trace::RecordKind::kNote, "one") +
                           record(static_cast<trace::RecordKind>(1000), "from the future") +
                           record(trace::RecordKind::kNote, "two"),
                       error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(t.notes, (std::vector<std::string>{"one", "two"}));
}

TEST(TraceFile, ARunThatDiedWhileWritingIsReadAsFarAsItGoes) {
  std::string all =
      header() + record(trace::RecordKind::kNote, "one") + record(trace::RecordKind::kNote, "two");
  for (std::size_t n = 0; n <= all.size(); ++n) {
    std::string error;
    Trace t = read_trace(all.substr(0, n), error);
    EXPECT_EQ(error, "");
    EXPECT_EQ(t.notes.size(), n == all.size() ? 2u : n >= all.size() - 11 ? 1u : 0u) << n;
  }
}

TEST(TraceFile, OtherVersionsAndOtherFilesAreNamed) {
  std::string error;
  read_trace(header(trace::kVersion + 1), error);
  EXPECT_EQ(error, "has version " + std::to_string(trace::kVersion + 1) +
                       ", and this rff reads version " + std::to_string(trace::kVersion) +
                       ": libsched.so is of another version");
  error.clear();
  read_trace("something else entirely", error);
  EXPECT_EQ(error, "is no trace");
}

}  // namespace
}  // namespace rff
