#include "fuzzer/campaign/launch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "schedule/shared_memory.h"

namespace rff {

std::string library_path(const Target& target) {
  std::vector<std::string> folders;
  for (const std::string& library : target.libraries) {
    std::string folder = std::filesystem::path(library).parent_path().string();
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  }
  if (const char* set = std::getenv("LD_LIBRARY_PATH"); set != nullptr && !folders.empty()) {
    folders.emplace_back(set);
  }
  std::string path;
  for (const std::string& folder : folders) {
    path += (path.empty() ? "" : ":") + folder;
  }
  return path;
}

ChildProcess::Command launch_command(const std::string& launcher, const Target& target) {
  ChildProcess::Command command;
  command.arguments = {launcher, target.path};
  command.arguments.insert(command.arguments.end(), target.arguments.begin(),
                           target.arguments.end());
  command.environment[kInputVariable] =
      target.standard_input.empty() ? "/dev/null" : target.standard_input;
  if (std::string path = library_path(target); !path.empty()) {
    command.environment[kLibraryPathVariable] = path;
  }
  return command;
}

}  // namespace rff
