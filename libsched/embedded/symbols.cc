#include "libsched/embedded/symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

#include "libsched/support/real.h"

namespace rff::embedded {
namespace {

class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    long fd =
        real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
    struct stat info = {};
    if (fd >= 0 && real::syscall6(SYS_fstat, fd, reinterpret_cast<long>(&info)) == 0) {
      long at = real::syscall6(SYS_mmap, 0, info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
      begin_ = at < 0 ? nullptr : reinterpret_cast<const char*>(at);
      bytes_ = at < 0 ? 0 : static_cast<std::uint64_t>(info.st_size);
    }
    real::syscall6(SYS_close, fd);
  }
  ~MappedFile() {
    real::syscall6(SYS_munmap, reinterpret_cast<long>(begin_), static_cast<long>(bytes_));
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Returns `count` objects at `offset`; null if the file is too short.
  template <typename T>
  const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
    bool fits = offset <= bytes_ && count <= (bytes_ - offset) / sizeof(T);
    return fits ? reinterpret_cast<const T*>(begin_ + offset) : nullptr;
  }

 private:
  const char* begin_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Looks in one table of symbols.
const char* find(const MappedFile& file, const Elf64_Shdr& table, const Elf64_Shdr& strings,
                 std::uint64_t offset) {
  std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  const auto* symbols = file.at<Elf64_Sym>(table.sh_offset, count);
  const char* text = file.at<char>(strings.sh_offset, strings.sh_size);
  for (std::uint64_t i = 0; symbols != nullptr && text != nullptr && i < count; ++i) {
    const Elf64_Sym& s = symbols[i];
    unsigned type = ELF64_ST_TYPE(s.st_info);
    if ((type == STT_FUNC || type == STT_OBJECT) && offset >= s.st_value &&
        offset - s.st_value < s.st_size && s.st_name < strings.sh_size) {
      return text + s.st_name;
    }
  }
  return nullptr;
}

std::string readable(const char* name) {
  int status = 0;
  char* plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = plain != nullptr ? plain : name;
  std::free(plain);
  return text;
}

}  // namespace

std::string symbol_at(const std::string& path, std::uint64_t offset) {
  MappedFile file(path.c_str());
  const auto* header = file.at<Elf64_Ehdr>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return "";
  }
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  for (std::uint32_t wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (unsigned i = 0; sections != nullptr && i < header->e_shnum; ++i) {
      const Elf64_Shdr& s = sections[i];
      if (s.sh_type == wanted && s.sh_link < header->e_shnum) {
        if (const char* name = find(file, s, sections[s.sh_link], offset)) {
          return readable(name);
        }
      }
    }
  }
  return "";
}

}  // namespace rff::embedded
