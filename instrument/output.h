// Adds segments to an ELF file and writes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "instrument/debug_sections.h"
#include "instrument/elf_file.h"
#include "instrument/new_file.h"
#include "instrument/result.h"

namespace rff::instrument {

struct NewSegment {
  std::uint32_t flags;  // PF_R …
  std::uint64_t address;
  std::vector<std::uint8_t> bytes;
};

// The patched file under construction. New segments lie behind everything else, at the file offset
// that equals their distance from the module's base: older kernels find the program headers only
// there.
class OutputFile {
 public:
  explicit OutputFile(const ElfFile& file);

  // Returns the address of a page for writable data, the first of all new pages. An unmapped page
  // separates it from the program's own memory, so that an overrun of that memory faults.
  std::uint64_t writable_address() const { return first_address_ + kPage; }
  // Returns the address of the program headers, at the start of a new segment.
  std::uint64_t headers_address() const { return writable_address() + writable_size_; }
  // Makes room for more than a page of writable data. Call before headers_address().
  void set_writable_size(std::uint64_t size) {
    writable_size_ = std::max(kPage, (size + kPage - 1) / kPage * kPage);
  }
  std::uint64_t headers_size() const;

  std::vector<std::uint8_t>& image() { return image_; }
  // Overwrites file-backed bytes at a link-time address.
  void patch(std::uint64_t address, const std::vector<std::uint8_t>& bytes);
  // Add segments in the order of their addresses. The one at headers_address() must begin with
  // headers_size() bytes, which are filled in later.
  void add_segment(NewSegment segment) { added_.push_back(std::move(segment)); }
  void set_note(std::uint64_t address, std::uint64_t size) {
    note_address_ = address;
    note_size_ = size;
  }
  // Sets the new addresses of .eh_frame and its search table.
  void move_unwind_tables(std::uint64_t frames, std::uint64_t frames_size, std::uint64_t header,
                          std::uint64_t header_size);
  // Adds names for the copies of functions, for debuggers.
  void describe_copies(std::uint64_t address, std::uint64_t size,
                       std::vector<CopiedFunction> functions);
  // Adds one more note, which E9Patch may turn into the segment it needs.
  void add_spare_note() { spare_note_ = true; }
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kMostNewSegments = 2;

  // Returns an error message, or "".
  std::string write(NewFile& file);
  std::uint64_t written_size() const { return written_size_; }

 private:
  std::uint64_t offset_of(std::uint64_t address) const { return address - base_; }
  std::vector<Elf64_Phdr> headers() const;

  const ElfFile& file_;
  std::vector<std::uint8_t> image_;
  std::vector<NewSegment> added_;
  std::uint64_t base_ = 0;
  std::uint64_t first_address_ = 0;
  std::uint64_t writable_size_ = kPage;
  std::uint64_t note_address_ = 0;
  std::uint64_t note_size_ = 0;
  std::uint64_t unwind_address_ = 0;
  std::uint64_t unwind_size_ = 0;
  std::uint64_t written_size_ = 0;
  bool spare_note_ = false;
  CopiedCode copied_;
};

}  // namespace rff::instrument
