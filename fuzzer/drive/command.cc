#include "fuzzer/drive/command.h"

#include <charconv>
#include <vector>

#include "command_line/command_line.h"

namespace rff {
namespace {

using Kind = DriveCommand::Kind;

constexpr std::string_view kBlanks = " \t\r";

constexpr std::string_view kHelp =
    R"(Enter          follow the given schedule; without one: a step of the current thread
THREAD         one step of the thread, by its name (main.2) or its number (2)
g THREAD       run the thread until it has to wait or ends
u FILE:LINE    run as Enter does until a thread comes to that line
u THREAD@TEXT  run the thread until it is about to do something whose description has the text: u 2@counter
b              one step back
r N            go to step N
f [SCHEDULER]  let a scheduler finish the run: steady (the default), random, pos, pct, ...
w              say what waits for what
p VARIABLE     print a variable
s FILE         save the run so far as a schedule for rff-replay
d              start gdb at this point; its end leads back here
h              this list
q              quit
)";

std::string_view trimmed(std::string_view text) {
  std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool read_number(std::string_view text, std::uint64_t& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

DriveCommand wrong(std::string text) { return {.kind = Kind::kWrong, .text = std::move(text)}; }

bool names_thread(std::string_view word) {
  return !word.empty() && (word.find_first_not_of("0123456789") == std::string_view::npos ||
                           word == "main" || word.starts_with("main."));
}

DriveCommand parse_until(std::string_view rest) {
  DriveCommand c{.kind = Kind::kUntil};
  if (std::size_t at = rest.find('@'); at != std::string_view::npos) {
    c.thread = trimmed(rest.substr(0, at));
    c.text = trimmed(rest.substr(at + 1));
    if (names_thread(c.thread) && !c.text.empty()) {
      return c;
    }
  } else if (std::size_t colon = rest.rfind(':'); colon != std::string_view::npos && colon > 0) {
    c.text = rest.substr(0, colon);
    if (read_number(rest.substr(colon + 1), c.number)) {
      return c;
    }
  }
  return wrong("u needs FILE:LINE or THREAD@TEXT");
}

struct Letter {
  char letter;
  Kind kind;
  enum Needs { kNothing, kThread, kNumber, kText, kMaybeText } needs;
  std::string_view message;  // if what it needs is missing
};
constexpr Letter kLetters[] = {
    {'g', Kind::kGo, Letter::kThread, "g needs a THREAD"},
    {'b', Kind::kBack, Letter::kNothing, "b stands alone"},
    {'r', Kind::kRun, Letter::kNumber, "r needs the number of a step"},
    {'f', Kind::kFinish, Letter::kMaybeText, ""},
    {'w', Kind::kWaits, Letter::kNothing, "w stands alone"},
    {'p', Kind::kPrint, Letter::kText, "p needs a VARIABLE"},
    {'s', Kind::kSave, Letter::kText, "s needs a FILE"},
    {'d', Kind::kDebug, Letter::kNothing, "d stands alone"},
    {'h', Kind::kHelp, Letter::kNothing, "h stands alone"},
    {'q', Kind::kQuit, Letter::kNothing, "q stands alone"},
};

DriveCommand parse_letter(const Letter& letter, std::string_view rest) {
  DriveCommand c{.kind = letter.kind};
  bool good = false;
  switch (letter.needs) {
    case Letter::kNothing: good = rest.empty(); break;
    case Letter::kThread:
      good = names_thread(rest);
      c.thread = rest;
      break;
    case Letter::kNumber: good = read_number(rest, c.number); break;
    case Letter::kText: good = !rest.empty(); [[fallthrough]];
    case Letter::kMaybeText:
      good = good || letter.needs == Letter::kMaybeText;
      c.text = rest;
      break;
  }
  return good ? c : wrong(std::string(letter.message));
}

}  // namespace

DriveCommand parse_drive_command(std::string_view line) {
  line = trimmed(line);
  if (line.empty()) {
    return {};
  }
  std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  std::string_view rest = trimmed(line.substr(word.size()));
  if (names_thread(word) && rest.empty()) {
    return {.kind = Kind::kStep, .thread = std::string(word)};
  }
  if (word == "u") {
    return parse_until(rest);
  }
  for (const Letter& letter : kLetters) {
    if (word.size() == 1 && word[0] == letter.letter) {
      return parse_letter(letter, rest);
    }
  }
  return wrong(shown(word) + " is no command");
}

std::string_view drive_help() { return kHelp; }

}  // namespace rff
