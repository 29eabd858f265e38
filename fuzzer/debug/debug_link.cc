#include "fuzzer/debug/debug_link.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace rff {
namespace {

std::string named_debug_file(const std::string& program) {
  elf_version(EV_CURRENT);
  int fd = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
  Elf* elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, nullptr) : nullptr;
  GElf_Word checksum = 0;
  const char* name = elf != nullptr ? dwelf_elf_gnu_debuglink(elf, &checksum) : nullptr;
  std::string result = name != nullptr ? name : "";
  elf_end(elf);
  if (fd >= 0) {
    ::close(fd);
  }
  return result;
}

}  // namespace

void keep_debug_link(const std::string& original, const std::string& copy) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string name = named_debug_file(original);
  fs::path folder = fs::absolute(original, error).parent_path();
  fs::path beside = fs::path(copy).parent_path() / name;
  if (name.empty() || name.find('/') != std::string::npos) {
    return;
  }
  for (const fs::path& file : {folder / name, folder / ".debug" / name}) {
    if (fs::exists(file, error) && !fs::exists(beside, error)) {
      fs::create_symlink(file, beside, error);  // otherwise reports would have no source lines
      return;
    }
  }
}

}  // namespace rff
