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

// Copies a table out of a file's image. The table must lie inside the image.
template <typename T>
std::vector<T> copy_table(const std::vector<std::uint8_t>& image, std::uint64_t offset,
                          std::size_t count) {
  std::vector<T> table(count);
  if (count != 0) {
    std::memcpy(table.data(), image.data() + offset, count * sizeof(T));
  }
  return table;
}

class ElfFile {
 public:
  // Reads and checks `path`. The error does not contain the file name: the caller adds it.
  static Result<ElfFile> open(const std::string& path);
  static Result<ElfFile> parse(std::vector<std::uint8_t> image);

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  bool position_independent() const { return header_.e_type == ET_DYN; }
  bool already_patched() const { return already_patched_; }

  // Returns the file-backed bytes from a link-time address to the end of their segment; empty if
  // there are none.
  std::basic_string_view<std::uint8_t> at(std::uint64_t address) const;
  std::optional<std::uint64_t> file_offset(std::uint64_t address) const;

  template <typename T>
  std::optional<T> read(std::uint64_t address) const {
    auto bytes = at(address);
    if (bytes.size() < sizeof(T)) {
      return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  bool is_executable(std::uint64_t address) const;
  const Section* section_named(std::string_view name) const;
  const Section* section_at(std::uint64_t address) const;
  const Elf64_Phdr* segment_of_type(std::uint32_t type) const;

  // Returns the defined symbols of .symtab and .dynsym.
  std::vector<Symbol> symbols() const;
  // Returns the addresses in this module that relocations make the loader store.
  std::vector<std::uint64_t> relocated_pointers() const;
  std::optional<std::uint64_t> dynamic(std::int64_t tag) const;

 private:
  // These return a problem, or an empty string.
  std::string check();
  std::string read_segments();
  std::string check_loaded(const Elf64_Phdr& segment, std::uint64_t last_end) const;
  std::string read_dynamic(const Elf64_Phdr& segment);
  std::string check_linkage() const;

  bool is_patch_note(const Elf64_Phdr& segment) const;
  void read_sections();
  bool in_file(std::uint64_t offset, std::uint64_t size) const {
    return offset <= image_.size() && size <= image_.size() - offset;
  }
  void append_symbols(const Section& table, std::vector<Symbol>& out) const;
  void append_rela(std::uint64_t address, std::uint64_t size,
                   std::vector<std::uint64_t>& out) const;
  void append_relr(std::uint64_t address, std::uint64_t size,
                   std::vector<std::uint64_t>& out) const;

  std::vector<std::uint8_t> image_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Section> sections_;
  std::vector<Elf64_Dyn> dynamic_;
  bool already_patched_ = false;
};

}  // namespace rff::instrument
