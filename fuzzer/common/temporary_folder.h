// A temporary folder for this process and its children, removed with the object.
#pragma once

#include <string>

namespace rff {

// Throws ToolError (2) if temporary files cannot be created.
void require_temporary_files();

class TemporaryFolder {
 public:
  // Throws ToolError (3) if the folder cannot be created.
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
