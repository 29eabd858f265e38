#include "fuzzer/common/status_line.h"

#include <gtest/gtest.h>

#include <functional>

#include "fuzzer/common/words.h"

namespace rff {
namespace {

using std::chrono::milliseconds;

// Returns everything that a status line prints during `use` and in its destructor.
std::string printed(StatusLine::Mode mode, const std::function<void(StatusLine&)>& use,
                    milliseconds pause = milliseconds(0)) {
  std::FILE* file = std::tmpfile();
  {
    StatusLine line({.stream = file, .mode = mode, .pause = pause});
    use(line);
  }
  std::rewind(file);
  char text[256];
  std::size_t length = std::fread(text, 1, sizeof text, file);
  std::fclose(file);
  return {text, length};
}

TEST(StatusLine, IsALineOfItsOwnWhereThereIsNoTerminal) {
  EXPECT_EQ(printed(StatusLine::Mode::kLines,
                    [](StatusLine& s) {
                      s.show("one");
                      s.say("a message");
                      s.show("two");
                    }),
            "one\na message\ntwo\n");
}

TEST(StatusLine, IsOverwrittenOnATerminalAndGoneInTheEnd) {
  EXPECT_EQ(printed(StatusLine::Mode::kLive,
                    [](StatusLine& s) {
                      s.show("one");
                      s.show("two");
                      s.say("a message");
                      s.show("three");
                    }),
            "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[Ka message\n\r\x1b[Kthree\r\x1b[K");
}

TEST(StatusLine, SaysOnlyMessagesWhenSilent) {
  EXPECT_EQ(printed(StatusLine::Mode::kSilent,
                    [](StatusLine& s) {
                      EXPECT_FALSE(s.due());
                      s.show("one");
                      s.say("a message");
                    }),
            "a message\n");
}

TEST(StatusLine, IsDueAfterItsPause) {
  printed(StatusLine::Mode::kLines, [](StatusLine& s) { EXPECT_TRUE(s.due()); });
  printed(
      StatusLine::Mode::kLines, [](StatusLine& s) { EXPECT_FALSE(s.due()); },
      std::chrono::hours(1));
}

TEST(StatusLine, KnowsThatAFileIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  EXPECT_EQ(StatusLine::mode_for(file), StatusLine::Mode::kLines);
  std::fclose(file);
}

TEST(Count, PutsANounIntoThePlural) {
  EXPECT_EQ(count(0, "schedule"), "0 schedules");
  EXPECT_EQ(count(1, "schedule"), "1 schedule");
  EXPECT_EQ(count(2, "schedule"), "2 schedules");
}

}  // namespace
}  // namespace rff
