#include "fuzzer/drive/driver.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "fuzzer/common/files.h"
#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/drive/command.h"
#include "fuzzer/drive/console.h"
#include "fuzzer/drive/debugger.h"
#include "fuzzer/drive/describer.h"
#include "fuzzer/drive/session.h"
#include "fuzzer/replay/schedule_files.h"
#include "fuzzer/run/installation.h"

namespace rff {
namespace {

using Kind = DriveCommand::Kind;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

class Drive {
 public:
  Drive(const DriveOptions& options, PreparedDrive prepared, const std::string& launcher)
      : console_({.plain = options.plain, .output_file = options.output}),
        launcher_(launcher),
        session_(std::move(prepared), launcher, Console::interrupted),
        describer_(session_) {}

  int run();

 private:
  // Each returns a remark in one line, empty if there is nothing to say.
  std::string execute(const DriveCommand& command);
  std::string until(const DriveCommand& command);
  std::string save(const std::string& path);
  // Returns what to print in place of the picture; empty: show the picture.
  std::vector<std::string> answer(const DriveCommand& command);
  std::optional<std::uint32_t> thread(const std::string& word, std::string& error) const;
  void show(const std::string& remark);
  void introduce();

  Console console_;
  std::string launcher_;
  Session session_;
  Describer describer_;
};

std::optional<std::uint32_t> Drive::thread(const std::string& word, std::string& error) const {
  std::uint32_t number = 0;
  auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  bool is_number = failed == std::errc() && end == word.data() + word.size();
  for (const auto& [index, name] : session_.names()) {
    if (is_number ? index == number : name == word) {
      return index;
    }
  }
  error = "there is no thread " + word + " yet";
  return std::nullopt;
}

std::string Drive::until(const DriveCommand& c) {
  if (c.thread.empty()) {
    auto reached = [&] {
      const driving::PointThread* t = session_.find(session_.last_thread());
      Place at = t != nullptr ? describer_.place(*t) : Place();
      return at.line == static_cast<int>(c.number) &&
             (at.file == c.text || at.file_name() == c.text || at.file.ends_with("/" + c.text));
    };
    std::string remark = session_.run_until([&] { return session_.next(); }, reached);
    return !remark.empty() || !session_.ended()
               ? remark
               : "no thread came to " + c.text + ":" + std::to_string(c.number);
  }
  std::string error;
  std::optional<std::uint32_t> wanted = thread(c.thread, error);
  if (!wanted) {
    return error;
  }
  auto there = [&] {
    const driving::PointThread* t = session_.find(*wanted);
    return t != nullptr &&
           (describer_.operation(*t) + " " + describer_.place(*t).text()).find(c.text) !=
               std::string::npos;
  };
  // A thread that waits is helped by the others.
  auto choose = [&] {
    const driving::PointThread* t = session_.find(*wanted);
    return t != nullptr && (t->flags & driving::kChoosable) != 0 ? wanted : session_.next();
  };
  std::string remark = session_.run_until(choose, there);
  return !remark.empty() || !session_.ended() ? remark : c.thread + " did nothing like " + c.text;
}

std::string Drive::save(const std::string& path) {
  Schedule schedule = session_.saved();
  if (int error = write_file(path, encode_schedule(schedule)); error != 0) {
    return "cannot write " + path + ": " + std::strerror(error);
  }
  return "saved to " + path +
         (schedule.finding ? ", with its failure" : ", up to this step and on without preemption") +
         ": rff-replay " + shell_word(path);
}

std::string Drive::execute(const DriveCommand& c) {
  std::string error;
  switch (c.kind) {
    case Kind::kFollow: {
      std::optional<std::uint32_t> next = session_.next();
      return session_.step(next.value_or(0));
    }
    case Kind::kStep:
    case Kind::kGo: {
      std::optional<std::uint32_t> chosen = thread(c.thread, error);
      return !chosen                 ? error
             : c.kind == Kind::kStep ? session_.step(*chosen)
                                     : session_.go(*chosen);
    }
    case Kind::kUntil: return until(c);
    case Kind::kBack:
      return session_.step() == 0 ? "this is the first step" : session_.go_to(session_.step() - 1);
    case Kind::kRun: return session_.go_to(c.number);
    case Kind::kFinish: return session_.finish(c.text);
    case Kind::kDebug: return start_debugger(session_, describer_, launcher_);
    default: return "";
  }
}

std::vector<std::string> Drive::answer(const DriveCommand& c) {
  switch (c.kind) {
    case Kind::kWaits: return describer_.waits();
    case Kind::kPrint: return {describer_.variable(c.text)};
    case Kind::kSave: return {save(c.text)};
    case Kind::kHelp: return lines_of(drive_help());
    case Kind::kWrong: return {c.text + "; h lists the commands"};
    default: return {};
  }
}

void Drive::show(const std::string& remark) {
  console_.add_output(session_.take_output(), session_.ended().has_value());
  console_.show(describer_.picture(), remark);
}

void Drive::introduce() {
  const PreparedDrive& p = session_.prepared();
  std::vector<std::string> lines = p.notes;
  if (p.follows) {
    lines.push_back("The given run: " + p.given_end);
  }
  if (!lines.empty()) {
    console_.say(lines);
  }
}

int Drive::run() {
  introduce();
  show("h lists the commands");
  for (;;) {
    std::optional<std::string> line =
        console_.read_line("step " + std::to_string(session_.step()) + "> ");
    DriveCommand command = line ? parse_drive_command(*line) : DriveCommand{.kind = Kind::kQuit};
    if (command.kind == Kind::kQuit) {
      return kNothingFound;
    }
    bool stood = !session_.ended();
    session_.look();
    if (stood && session_.killed()) {
      console_.say({"the program was killed while it stood here (" +
                    wait_status_words(session_.ended()->wait_status) +
                    "): b and r N start it anew"});
    }
    if (std::vector<std::string> lines = answer(command); !lines.empty()) {
      console_.say(lines);
      continue;
    }
    Session::Position before = session_.position();
    std::string remark = execute(command);
    if (!remark.empty() && session_.position() == before && console_.plain()) {
      console_.say({remark});
    } else {
      show(remark);
    }
  }
}

}  // namespace

int drive(const DriveOptions& options) {
  require_temporary_files();
  check_writable(options.output);
  std::string launcher = Installation::find_launcher();
  if (::isatty(2) == 1) {
    std::fputs("rff-drive: preparing the program\n", stderr);
  }
  Drive d(options, prepare_drive(options, launcher), launcher);
  return d.run();
}

}  // namespace rff
