#include "fuzzer/replay/target_locator.h"

#include <filesystem>

#include "fuzzer/campaign/target_file.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// A campaign's folder may have been copied elsewhere as a whole (the program in patched/, standard
// input at its top), or the files may lie beside the schedule.
std::string beside(const std::string& recorded, const fs::path& schedule_path) {
  fs::path name = fs::path(recorded).filename();
  fs::path folder = fs::absolute(schedule_path).parent_path();
  for (const fs::path& candidate :
       {folder / name, folder / "../../patched" / name, folder / "../../" / name}) {
    if (is_file(candidate)) {
      return fs::weakly_canonical(candidate).string();
    }
  }
  return {};
}

}  // namespace

LocatedTarget locate_target(const Target& recorded, const std::string& schedule_path,
                            const std::vector<std::string>& command) {
  LocatedTarget located;
  located.target = recorded;
  Target& target = located.target;
  if (!command.empty()) {
    target.path = command[0];
    target.arguments.assign(command.begin() + 1, command.end());
    if (is_file(recorded.path)) {
      located.recorded_program = recorded.path;
    } else {
      located.recorded_program = beside(recorded.path, schedule_path);
    }
    if (!located.recorded_program.empty() &&
        TargetFile::open(located.recorded_program).build_id != recorded.build_id) {
      located.recorded_program.clear();
    }
  } else if (recorded.path.empty()) {
    throw bad_usage("the schedule names no program: add -- PROG ARGS...");
  } else if (!is_file(recorded.path)) {
    target.path = beside(recorded.path, schedule_path);
    if (target.path.empty()) {
      throw bad_usage("the program " + recorded.path +
                      " is gone, and is not beside the schedule either: add -- PROG ARGS...");
    }
    located.notes.push_back("the program is now " + target.path);
  }
  if (!target.standard_input.empty() && !is_file(target.standard_input)) {
    std::string moved = beside(target.standard_input, schedule_path);
    if (moved.empty()) {
      throw bad_usage("the standard input " + target.standard_input +
                      " is gone, and is not beside the schedule either");
    }
    target.standard_input = moved;
    located.notes.push_back("standard input is now " + moved);
  }
  TargetFile file = TargetFile::open(target.path);
  target.path = file.path;
  if (!file.patched) {
    throw bad_usage(target.path +
                    " is not patched: run rff-instrument on it, and give the .patched file");
  }
  if (!recorded.build_id.empty() && file.build_id != recorded.build_id) {
    located.rebuilt = true;
    located.notes.push_back("this is another build of the program (build id " +
                            (file.build_id.empty() ? "none" : file.build_id.substr(0, 12)) +
                            ", recorded " + recorded.build_id.substr(0, 12) + ")");
  }
  if (command.size() > 1 && target.arguments != recorded.arguments) {
    located.notes.push_back("the arguments are not the recorded ones");
  }
  if (input_digest(target.arguments, target.standard_input) != recorded.input_digest &&
      recorded.input_digest != 0) {
    located.input_changed = true;
    located.notes.push_back("the input (standard input or files named by arguments) has changed");
  }
  return located;
}

}  // namespace rff
