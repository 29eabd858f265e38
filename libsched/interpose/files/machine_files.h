// Files and folders in which the kernel describes the machine and the process. The program sees the
// same in every run and on every machine.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

namespace rff {

// How a path looks to the program.
struct MachineEntry {
  enum class Kind { kReal, kMissing, kFile, kFolder };
  Kind kind = Kind::kReal;
  std::string text;                // of a file
  std::vector<std::string> names;  // in a folder, sorted; those of folders end with a slash

  static MachineEntry file(std::string text) { return {Kind::kFile, std::move(text), {}}; }
  static MachineEntry folder(std::vector<std::string> names) {
    return {Kind::kFolder, "", std::move(names)};
  }
  static MachineEntry missing() { return {Kind::kMissing, "", {}}; }
};

// Every function that takes a path asks here. kReal: the kernel answers. The path is absolute,
// without dots; others are real.
MachineEntry machine_entry(const char* path);
// Returns the path without doubled and trailing slashes, and "self" for the number of the process.
std::string plain_machine_path(const char* path);

// Returns a descriptor from which `text` can be read; -1 with errno set.
int open_text(const std::string& text, int flags);
// The status of a file or folder of the machine.
void fill_machine_status(const MachineEntry& entry, struct stat* status);
// Whether the file with this status was opened by open_text.
bool opened_as_text(const struct stat& status);

// Parts of machine_entry.
MachineEntry processor_entry(const std::string& path);  // below /sys, and /proc/cpuinfo
MachineEntry process_entry(const std::string& name);    // name: below /proc/self/

}  // namespace rff
