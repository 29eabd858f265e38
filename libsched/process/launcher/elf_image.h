// A program or loader, read from its file and mapped where the caller likes.
#pragma once

#include <elf.h>

#include <cstdint>

namespace rff::placement {

class ElfImage {
 public:
  // False if the file cannot be read or is none that can be mapped.
  bool read(long file);

  bool fixed() const { return header_.e_type == ET_EXEC; }
  // The memory it takes: without a place of its own it may begin at any multiple of alignment().
  std::uint64_t bytes() const { return high_ - low_; }
  std::uint64_t alignment() const { return alignment_; }
  const Elf64_Phdr* find(Elf64_Word type) const;

  // Maps it so that it begins at `place`; one with a place of its own goes there. False if that
  // cannot be done.
  bool map_at(std::uint64_t place);
  // After that:
  std::uint64_t begin() const { return bias_ + low_; }
  std::uint64_t end() const { return bias_ + high_; }
  std::uint64_t entry() const { return bias_ + header_.e_entry; }
  std::uint64_t program_headers() const;
  std::uint64_t program_header_count() const { return header_.e_phnum; }
  struct Span {
    std::uint64_t begin, end;
  };
  // From the first to the last segment with this flag, as far as it comes from the file.
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
