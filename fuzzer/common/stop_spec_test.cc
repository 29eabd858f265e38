#include "fuzzer/common/stop_spec.h"

#include <gtest/gtest.h>

#include "fuzzer/common/files.h"
#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

using Kind = StopSpec::Kind;

StopSpec parsed(const std::string& text) {
  ParsedStopSpec result = parse_stop_spec(text);
  EXPECT_TRUE(result.spec) << text << ": " << result.error;
  return result.spec.value_or(StopSpec{});
}

TEST(StopSpec, EveryKindIsRead) {
  EXPECT_EQ(parsed("primitives").kind, Kind::kPrimitives);
  EXPECT_EQ(parsed("accesses in:worker"),
            (StopSpec{"accesses in:worker", Kind::kAccesses, "", 0, 0, "worker"}));
  EXPECT_EQ(parsed(" calls "), (StopSpec{"calls", Kind::kCalls, "", 0, 0, ""}));
  EXPECT_EQ(parsed("function:push*"),
            (StopSpec{"function:push*", Kind::kFunction, "push*", 0, 0, ""}));
  EXPECT_EQ(parsed("variable:queue in:push"),
            (StopSpec{"variable:queue in:push", Kind::kVariable, "queue", 0, 0, "push"}));
  EXPECT_EQ(parsed("function:Queue::push").pattern, "Queue::push");
}

TEST(StopSpec, FilesMayHaveLines) {
  EXPECT_EQ(parsed("file:a.c"), (StopSpec{"file:a.c", Kind::kFile, "a.c", 0, 0, ""}));
  EXPECT_EQ(parsed("file:src/*.c:12"),
            (StopSpec{"file:src/*.c:12", Kind::kFile, "src/*.c", 12, 12, ""}));
  EXPECT_EQ(parsed("file:a.c:12-30 in:f"),
            (StopSpec{"file:a.c:12-30 in:f", Kind::kFile, "a.c", 12, 30, "f"}));
}

TEST(StopSpec, OnlyCallsAndFunctionsNeedEntries) {
  EXPECT_TRUE(parsed("calls").needs_calls());
  EXPECT_TRUE(parsed("function:f").needs_calls());
  EXPECT_FALSE(parsed("file:f").needs_calls());
  EXPECT_FALSE(parsed("variable:f").needs_calls());
}

TEST(StopSpec, EverythingElseIsRefused) {
  for (const char* text : {"", "call", "calls:f", "function:", "file:", "file::3", "variable:",
                           "lines:3", "primitives x", "file:a.c:0", "file:a.c:9-8", "file:a.c:x",
                           "file:a.c:1-", "file:a.c:99999999999", "calls in:", "primitives in:f"}) {
    ParsedStopSpec result = parse_stop_spec(text);
    EXPECT_FALSE(result.spec) << text;
    EXPECT_FALSE(result.error.empty()) << text;
  }
  EXPECT_TRUE(parse_stop_spec("horse").error.starts_with("function:NAME, file:NAME, "));
  EXPECT_EQ(parse_stop_spec("file:a.c:9-8").error,
            "file:NAME, file:NAME:LINE or file:NAME:FIRST-LAST");
  EXPECT_EQ(parse_stop_spec("primitives in:f").error,
            "primitives alone, which are stop points everywhere");
}

TEST(StopSpec, AFileHasOnePerLineAndComments) {
  TemporaryFolder folder;
  std::string path = folder / "stops";
  ASSERT_EQ(write_file(path, "# all of it\ncalls\n\n  file:a.c:3 # one line\nprimitives"), 0);
  std::vector<StopSpec> specs = read_stop_file(path);
  ASSERT_EQ(specs.size(), 3u);
  EXPECT_EQ(specs[1].text, "file:a.c:3");
  EXPECT_EQ(specs[2].kind, Kind::kPrimitives);
}

TEST(StopSpec, AWrongFileIsNamedWithItsLine) {
  TemporaryFolder folder;
  std::string path = folder / "stops";
  auto error = [&](const char* text) -> std::string {
    EXPECT_EQ(write_file(path, text), 0);
    try {
      read_stop_file(path);
    } catch (const ToolError& e) {
      EXPECT_EQ(e.status, kBadUsage);
      return std::string(e.what()).substr(("--stop-at-file " + path).size());
    }
    return "";
  };
  EXPECT_TRUE(error("calls\nhorse\n").starts_with(", line 2: must be function:NAME"));
  EXPECT_EQ(error("# nothing\n"), ": has no stop points");
  EXPECT_THROW(read_stop_file(folder / "none"), ToolError);
}

TEST(StopSpec, NamesMatchAsAWholeOrByTheirLastPart) {
  EXPECT_TRUE(matches_name("push", "push"));
  EXPECT_TRUE(matches_name("p*h", "push"));
  EXPECT_TRUE(matches_name("push", "ring::Queue<std::pair<int, a::b>>::push"));
  EXPECT_TRUE(matches_name("ring::*", "ring::Queue::push"));
  EXPECT_TRUE(matches_name("push", "push.part.0"));
  EXPECT_TRUE(matches_name("push", "push.cold"));
  EXPECT_FALSE(matches_name("push", "pushed"));
  EXPECT_FALSE(matches_name("Queue", "ring::Queue::push"));
  EXPECT_FALSE(matches_name("b", "f<a::b>"));
}

TEST(StopSpec, FilesMatchByAsManyPartsAsThePatternHas) {
  EXPECT_TRUE(matches_file("a.c", "/home/u/src/a.c"));
  EXPECT_TRUE(matches_file("src/a.c", "/home/u/src/a.c"));
  EXPECT_TRUE(matches_file("s*/?.c", "/home/u/src/a.c"));
  EXPECT_TRUE(matches_file("/home/*.c", "/home/u/src/a.c"));
  EXPECT_TRUE(matches_file("a.c", "a.c"));
  EXPECT_FALSE(matches_file("*", ""));
  EXPECT_FALSE(matches_file("a.c", "/home/u/src/ba.c"));
  EXPECT_FALSE(matches_file("lib/a.c", "/home/u/src/a.c"));
}

TEST(StopSpec, NearestNamesComeInOrder) {
  std::vector<std::string> names = {"main", "pop", "Queue::push", "push_all", "compare", "pop"};
  EXPECT_EQ(nearest_names("pusch", names, 2), (std::vector<std::string>{"Queue::push", "pop"}));
  EXPECT_TRUE(nearest_names("x", {}, 3).empty());
}

}  // namespace
}  // namespace rff
