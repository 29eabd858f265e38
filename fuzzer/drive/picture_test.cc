// Tests how the driver lays out what it shows: line by line, and in windows down to 20 x 5.
#include "fuzzer/drive/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace rff {
namespace {

Picture made_up() {
  Picture p;
  p.step = 12;
  p.threads = {{.number = "0",
                .name = "main",
                .does = "joins main.1",
                .place = "main (order.c:31)",
                .waits = "waits for the end of main.1",
                .races = "",
                .next = false},
               {.number = "1",
                .name = "main.1",
                .does = "writes `b` (now 0)",
                .place = "set (order.c:18)",
                .waits = "",
                .races = "races with main.2",
                .next = true},
               {.number = "2",
                .name = "main.2",
                .does = "reads `b` (now 0)",
                .place = "check (order.c:23)",
                .waits = "",
                .races = "races with main.1",
                .next = false}};
  p.history = {{"11", "main.1", "writes `a` = 1", "set (order.c:17)"},
               {"12", "main.2", "starts", "main (order.c:30)"}};
  p.source_title = "order.c, where main.2 stands";
  p.source = {{22, "static void* check(void* unused) {", false},
              {23, "\tassert(a == b);", true},
              {24, "}", false}};
  return p;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(Pictures, ArePlainLinesInColumns) {
  EXPECT_EQ(plain_text(made_up()),
            R"(step 12
  - 0  main    joins main.1        main (order.c:31); waits for the end of main.1
  > 1  main.1  writes `b` (now 0)  set (order.c:18); races with main.2
    2  main.2  reads `b` (now 0)   check (order.c:23); races with main.1
last steps:
  11  main.1  writes `a` = 1  set (order.c:17)
  12  main.2  starts          main (order.c:30)
order.c, where main.2 stands:
    22  static void* check(void* unused) {
  > 23   assert(a == b);
    24  }
)");
}

TEST(Pictures, SayHowTheRunEnded) {
  Picture p;
  p.step = 3;
  p.end = "the program ended, exit status 0";
  p.follows = "as in the given run";
  EXPECT_EQ(plain_text(p),
            "step 3, the end: the program ended, exit status 0 (as in the given run)\n");
}

TEST(Pictures, FillAScreen) {
  EXPECT_EQ(screen_text(made_up(), {"hello"}, "", {.columns = 40, .rows = 24}),
            R"(step 12
- 0  main    joins main.1        main (o
> 1  main.1  writes `b` (now 0)  set (or
  2  main.2  reads `b` (now 0)   check (
-- program output
hello
-- last steps
11  main.1  writes `a` = 1  set (order.c
12  main.2  starts          main (order.
-- order.c, where main.2 stands
  22  static void* check(void* unused) {
> 23   assert(a == b);
  24  }
)");
}

TEST(Pictures, FitInto20By5WithTheNextThread) {
  Picture p = made_up();
  for (int i = 3; i < 50; ++i) {
    p.threads.push_back(p.threads[2]);
    p.threads.back().number = std::to_string(i);
  }
  p.threads[1].next = false;
  p.threads[40].next = true;
  std::string text = screen_text(p, {"hello"}, "", {.columns = 20, .rows = 5});
  std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 4u) << text;
  EXPECT_EQ(lines[0], "step 12");
  EXPECT_EQ(lines[3], "> 40  main.2  reads ");
}

TEST(Pictures, FitIntoEveryWindow) {
  Picture p = made_up();
  p.threads[0].name = "m\xc3\xa4in";
  for (std::size_t columns = 1; columns < 90; columns += 7) {
    for (std::size_t rows = 1; rows < 40; ++rows) {
      std::string text = screen_text(p, {"one", "two\x1b[2J"}, rows % 2 == 0 ? "a remark" : "",
                                     {.columns = columns, .rows = rows});
      std::vector<std::string> lines = lines_of(text);
      EXPECT_LE(lines.size(), std::max<std::size_t>(rows - 1, 1)) << columns << " x " << rows;
      for (const std::string& line : lines) {
        auto width = std::count_if(line.begin(), line.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        });
        EXPECT_LE(static_cast<std::size_t>(width), columns) << line;
        EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
      }
    }
  }
}

TEST(Pictures, ShowARemarkFirst) {
  std::string text = screen_text(made_up(), {}, "main cannot go on", {.columns = 20, .rows = 5});
  EXPECT_EQ(lines_of(text)[0], "main cannot go on");
  EXPECT_EQ(lines_of(text)[1], "step 12");
}

}  // namespace
}  // namespace rff
