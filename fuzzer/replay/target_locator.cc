#include "fuzzer/replay/target_locator.h"

#include <filesystem>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/debug_link.h"
#include "fuzzer/run/installation.h"
#include "fuzzer/run/patching.h"
#include "fuzzer/run/target_file.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Looks for a file near the schedule. A campaign's folder may have been copied as a whole (the
// program in patched/, libraries below it, standard input at its top), or the files may lie beside
// the schedule.
std::string beside(const std::string& recorded, const fs::path& schedule_path) {
  fs::path name = fs::path(recorded).filename();
  fs::path folder = fs::absolute(schedule_path).parent_path();
  for (const fs::path& candidate :
       {folder / name, folder / "../../patched" / name, folder / "../../patched/libs" / name,
        folder / "../../" / name}) {
    if (is_file(candidate)) {
      return fs::weakly_canonical(candidate).string();
    }
  }
  return {};
}

// Changes `path` to where the file is now. Throws if it is nowhere.
void find_again(std::string& path, const std::string& what, const fs::path& schedule_path,
                std::vector<std::string>& notes) {
  if (is_file(path)) {
    return;
  }
  std::string moved = beside(path, schedule_path);
  if (moved.empty()) {
    throw bad_usage(what + " " + path + " is gone, and is not beside the schedule either" +
                    (what == "the program" ? ": add -- PROG ARGS..." : ""));
  }
  path = moved;
  notes.push_back(what + " is now " + moved);
}

// Returns whether the file is the recorded build.
bool same_build(const std::string& path, const Target& recorded) {
  return !path.empty() && TargetFile::open(path).build_id == recorded.build_id;
}

}  // namespace

PatchChoice patch_choice(const Schedule& schedule) {
  return {.calls = schedule.points.chosen(StopRule::Kind::kEntries),
          .branches = schedule.input.given()};
}

LocatedTarget locate_target(const Target& recorded, const std::string& schedule_path,
                            const std::vector<std::string>& command, const PatchChoice& patching) {
  LocatedTarget located;
  located.target = recorded;
  Target& target = located.target;
  if (!command.empty()) {
    target.path = command[0];
    target.arguments.assign(command.begin() + 1, command.end());
    for (const std::string& candidate :
         {is_file(recorded.path) ? recorded.path : "", beside(recorded.path, schedule_path)}) {
      if (located.recorded_program.empty() && same_build(candidate, recorded)) {
        located.recorded_program = candidate;
      }
    }
  } else if (recorded.path.empty()) {
    throw bad_usage("the schedule names no program: add -- PROG ARGS...");
  } else {
    find_again(target.path, "the program", schedule_path, located.notes);
    // The recorded path may hold a newer build, and a copy of the campaign the old one.
    std::string copy = beside(recorded.path, schedule_path);
    if (!copy.empty() && !same_build(target.path, recorded) && same_build(copy, recorded)) {
      target.path = copy;
      located.notes.push_back("the program is " + copy + " (" + recorded.path +
                              " is another build by now)");
    }
  }
  if (!target.standard_input.empty()) {
    find_again(target.standard_input, "the standard input", schedule_path, located.notes);
  }
  for (std::string& library : target.libraries) {
    find_again(library, "the library", schedule_path, located.notes);
  }
  TargetFile file = TargetFile::open(target.path);
  target.path = located.original = file.path;
  if (!file.patched && !file.reports_accesses) {
    located.patched_copy = std::make_shared<TemporaryFolder>();
    std::string copy =
        *located.patched_copy / (fs::path(file.path).filename().string() + ".patched");
    patch_file(Installation::find_instrument(), file.path, copy, patching);
    keep_debug_link(file.path, copy);
    located.notes.push_back(file.path + " was not patched: patched for this replay");
    target.path = copy;
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
