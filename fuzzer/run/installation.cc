#include "fuzzer/run/installation.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

std::string on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) {
      return fs::absolute(candidate).string();
    }
  }
  return {};
}

// Returns the folder of the running program.
fs::path bin_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

void require(const fs::path& part) {
  std::error_code error;
  if (!fs::exists(part, error)) {
    throw bad_usage(part.string() + " is missing: build or install all of RFF");
  }
}

}  // namespace

std::string Installation::find_launcher() {
  fs::path launcher = bin_folder() / "rff-launch";
  require(launcher);
  return launcher.string();
}

std::string Installation::find_instrument() {
  fs::path instrument = bin_folder() / "rff-instrument";
  require(instrument);
  return instrument.string();
}

Installation Installation::find() {
  fs::path bin = bin_folder();
  // Installed, they have a folder of their own; in a build folder they lie with all libraries.
  std::error_code error;
  fs::path own = bin.parent_path() / "lib" / "rff";
  fs::path lib = fs::exists(own / "librff_mutator.so", error) ? own : own.parent_path();
  Installation found{.launcher = bin / "rff-launch",
                     .instrument = bin / "rff-instrument",
                     .replay = bin / "rff-replay",
                     .mutator = lib / "librff_mutator.so",
                     .afl_fuzz = on_path("afl-fuzz")};
  if (found.afl_fuzz.empty()) {
    throw bad_usage("afl-fuzz is not on PATH: install AFL++ (Debian: apt install afl++)");
  }
  for (const std::string& part : {found.launcher, found.mutator}) {
    require(part);
  }
  return found;
}

}  // namespace rff
