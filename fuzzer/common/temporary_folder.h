// A folder for files that only this process and its children need.
#pragma once

#include <string>

namespace rff {

// Throws ToolError (2) if there is no place for temporary files.
void require_temporary_files();

class TemporaryFolder {
 public:
  // Throws ToolError (3) if there is no place for it.
  TemporaryFolder();
  // Removes the folder with everything in it.
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace rff
