// A program or loader, read from its file and mapped at a chosen address.
#pragma once

#include <elf.h>

#include <cstdint>

namespace rff::placement {

class ElfImage {
 public:
  // Returns false if the file cannot be read or cannot be mapped.
  bool read(long file);

  bool fixed() const { return header_.e_type == ET_EXEC; }
  // Size of its memory. An image without fixed address may begin at any multiple of alignment().
  std::uint64_t bytes() const { return high_ - low_; }
  std::uint64_t alignment() const { return alignment_; }
  const Elf64_Phdr* find(Elf64_Word type) const;

  // Maps the image at `place`, or at its fixed address if it has one. Returns false if that fails.
  bool map_at(std::uint64_t place);
  // Valid after map_at:
  std::uint64_t begin() const { return bias_ + low_; }
  std::uint64_t end() const { return bias_ + high_; }
  std::uint64_t entry() const { return bias_ + header_.e_entry; }
  std::uint64_t program_headers() const;
  std::uint64_t program_header_count() const { return header_.e_phnum; }
  struct Span {
    std::uint64_t begin, end;
  };
  // Returns the range from the first to the last segment with this flag, as far as it comes from
  // the file.
  Span segments(Elf64_Word flag) const;

 private:
  static constexpr int kMostHeaders = 128;
  bool map_segment(const Elf64_Phdr& segment) const;

  long file_ = -1;
  Elf64_Ehdr header_;
  Elf64_Phdr headers_[kMostHeaders];
  std::uint64_t low_ = 0, high_ = 0, alignment_ = 0, bias_ = 0;
};

}  // namespace rff::placement
