// A checked view of an x86_64 ELF file: every offset the file states is verified before it is used,
// since the file may be truncated or hostile.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/result.h"

namespace rff::instrument {

struct Section {
  std::string name;
  Elf64_Shdr header;
  bool executable() const { return (header.sh_flags & SHF_EXECINSTR) != 0; }
  bool allocated() const { return (header.sh_flags & SHF_ALLOC) != 0; }
  bool contains(std::uint64_t address) const {
    return allocated() && address - header.sh_addr < header.sh_size;
  }
};

struct Symbol {
  std::string_view name;
  std::uint64_t address;
  std::uint64_t size;
  bool is_function;
};

// A table in a file's image; it must lie inside.
template <typename T>
std::vector<T> CopyTable(const std::vector<std::uint8_t>& image, std::uint64_t offset,
                         std::size_t count) {
  std::vector<T> table(count);
  if (count != 0) {
    std::memcpy(table.data(), image.data() + offset, count * sizeof(T));
  }
  return table;
}

class ElfFile {
 public:
  // Reads and checks `path`. The error has no file name in it: the caller adds that.
  static Result<ElfFile> Open(const std::string& path);
  static Result<ElfFile> Parse(std::vector<std::uint8_t> image);

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  bool position_independent() const { return header_.e_type == ET_DYN; }
  bool already_patched() const { return already_patched_; }

  // File-backed bytes at a link-time address up to the end of their segment; empty if there are
  // none.
  std::basic_string_view<std::uint8_t> At(std::uint64_t address) const;
  std::optional<std::uint64_t> FileOffset(std::uint64_t address) const;

  template <typename T>
  std::optional<T> Read(std::uint64_t address) const {
    auto bytes = At(address);
    if (bytes.size() < sizeof(T)) {
      return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  bool IsExecutable(std::uint64_t address) const;
  const Section* SectionNamed(std::string_view name) const;
  const Section* SectionAt(std::uint64_t address) const;
  const Elf64_Phdr* SegmentOfType(std::uint32_t type) const;

  // .symtab and .dynsym, defined symbols only.
  std::vector<Symbol> Symbols() const;
  // Where relocations make the loader store an address of this module: the address stored.
  std::vector<std::uint64_t> RelocatedPointers() const;
  std::optional<std::uint64_t> Dynamic(std::int64_t tag) const;

 private:
  // These return a problem, or an empty string.
  std::string Check();
  std::string ReadSegments();
  std::string CheckLoaded(const Elf64_Phdr& segment, std::uint64_t last_end) const;
  std::string ReadDynamic(const Elf64_Phdr& segment);
  std::string CheckLinkage() const;

  bool IsPatchNote(const Elf64_Phdr& segment) const;
  void ReadSections();
  bool InFile(std::uint64_t offset, std::uint64_t size) const {
    return offset <= image_.size() && size <= image_.size() - offset;
  }
  void AppendSymbols(const Section& table, std::vector<Symbol>& out) const;
  void AppendRela(std::uint64_t address, std::uint64_t size, std::vector<std::uint64_t>& out) const;
  void AppendRelr(std::uint64_t address, std::uint64_t size, std::vector<std::uint64_t>& out) const;

  std::vector<std::uint8_t> image_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Section> sections_;
  std::vector<Elf64_Dyn> dynamic_;
  bool already_patched_ = false;
};

}  // namespace rff::instrument
