#include "fuzzer/common/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fuzzer/common/tool_error.h"

namespace rff {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() : path_(fs::temp_directory_path() / "rff-run-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw tool_failed(std::string("cannot make a temporary folder: ") + std::strerror(errno));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace rff
