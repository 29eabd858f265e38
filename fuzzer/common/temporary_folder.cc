#include "fuzzer/common/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fuzzer/common/tool_error.h"

namespace rff {

namespace fs = std::filesystem;

namespace {

fs::path folder_for_temporaries() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) {
    const char* set = std::getenv("TMPDIR");
    throw bad_usage("TMPDIR " + std::string(set != nullptr ? set : "/tmp").substr(0, 80) +
                    ": must be a folder that can be written: set it to one, or unset it");
  }
  return folder;
}

}  // namespace

void require_temporary_files() { folder_for_temporaries(); }

TemporaryFolder::TemporaryFolder() : path_(folder_for_temporaries() / "rff-run-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw tool_failed(std::string("cannot make a temporary folder: ") + std::strerror(errno));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace rff
