// Tests what the driver understands of what is typed.
#include "fuzzer/drive/command.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

using Kind = DriveCommand::Kind;

DriveCommand parse(std::string_view line) { return parse_drive_command(line); }

TEST(DriveCommands, AThreadIsNamedOrNumbered) {
  EXPECT_EQ(parse("main"), (DriveCommand{.kind = Kind::kStep, .thread = "main"}));
  EXPECT_EQ(parse(" main.2.1 "), (DriveCommand{.kind = Kind::kStep, .thread = "main.2.1"}));
  EXPECT_EQ(parse("12"), (DriveCommand{.kind = Kind::kStep, .thread = "12"}));
  EXPECT_EQ(parse("g 3"), (DriveCommand{.kind = Kind::kGo, .thread = "3"}));
}

TEST(DriveCommands, AnEmptyLineFollows) {
  for (const char* line : {"", " ", "\t", "\r"}) {
    EXPECT_EQ(parse(line).kind, Kind::kFollow);
  }
}

TEST(DriveCommands, UntilTakesAPlaceOrAnEventOfAThread) {
  EXPECT_EQ(parse("u src/queue.c:120"),
            (DriveCommand{.kind = Kind::kUntil, .text = "src/queue.c", .number = 120}));
  EXPECT_EQ(parse("u main.2@writes `a`"),
            (DriveCommand{.kind = Kind::kUntil, .thread = "main.2", .text = "writes `a`"}));
  for (const char* wrong :
       {"u", "u queue.c", "u queue.c:x", "u :3", "u @a", "u nobody@a", "u 2@"}) {
    EXPECT_EQ(parse(wrong).kind, Kind::kWrong) << wrong;
  }
}

TEST(DriveCommands, LettersHaveWhatTheyNeed) {
  EXPECT_EQ(parse("r 17"), (DriveCommand{.kind = Kind::kRun, .number = 17}));
  EXPECT_EQ(parse("f"), (DriveCommand{.kind = Kind::kFinish}));
  EXPECT_EQ(parse("f pct:depth=4"), (DriveCommand{.kind = Kind::kFinish, .text = "pct:depth=4"}));
  EXPECT_EQ(parse("p queue.head"), (DriveCommand{.kind = Kind::kPrint, .text = "queue.head"}));
  EXPECT_EQ(parse("s my file.bin"), (DriveCommand{.kind = Kind::kSave, .text = "my file.bin"}));
  for (const auto& [line, kind] : {std::pair{"b", Kind::kBack},
                                   {"w", Kind::kWaits},
                                   {"d", Kind::kDebug},
                                   {"h", Kind::kHelp},
                                   {"q", Kind::kQuit}}) {
    EXPECT_EQ(parse(line), (DriveCommand{.kind = kind})) << line;
  }
}

TEST(DriveCommands, GarbageIsAnsweredInOneShortLine) {
  std::string binary = std::string("\0\x01\xff\x1b[2J", 7) + std::string(5000, 'x');
  for (const std::string& line :
       {std::string("foo"), std::string("b 3"), std::string("r"), std::string("r -1"),
        std::string("r 99999999999999999999999"), std::string("g"), std::string("g nobody"),
        std::string("p"), std::string("s"), std::string("q now"), std::string("main.1 main.2"),
        binary}) {
    DriveCommand c = parse(line);
    EXPECT_EQ(c.kind, Kind::kWrong) << line;
    EXPECT_FALSE(c.text.empty()) << line;
    EXPECT_LT(c.text.size(), 200u) << line;
    for (char letter : c.text) {
      EXPECT_GE(static_cast<unsigned char>(letter), ' ') << line;
    }
  }
}

TEST(DriveCommands, HelpNamesEachLetter) {
  std::string help = "\n" + std::string(drive_help());
  for (char letter : std::string("gubrfwpsdhq")) {
    EXPECT_NE(help.find(std::string("\n") + letter + " "), std::string::npos) << letter;
  }
}

}  // namespace
}  // namespace rff
