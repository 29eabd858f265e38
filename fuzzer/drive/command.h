// The commands of the driver's prompt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rff {

struct DriveCommand {
  enum class Kind {
    kFollow,  // an empty line
    kStep,    // thread
    kGo,      // thread
    kUntil,   // text (a file) and number (its line), or thread and text (an event)
    kBack,
    kRun,     // number (of the step)
    kFinish,  // text (a scheduler, or empty)
    kWaits,
    kPrint,  // text (a variable)
    kSave,   // text (a file)
    kDebug,
    kHelp,
    kQuit,
    kWrong,  // text (what is wrong)
  };
  Kind kind = Kind::kFollow;
  std::string thread;  // a name or a number
  std::string text;
  std::uint64_t number = 0;

  bool operator==(const DriveCommand&) const = default;
};

DriveCommand parse_drive_command(std::string_view line);

// All commands, one per line.
std::string_view drive_help();

}  // namespace rff
