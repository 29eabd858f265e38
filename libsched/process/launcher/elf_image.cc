#include "libsched/process/launcher/elf_image.h"

#include "libsched/process/launcher/raw.h"

namespace rff::placement {
namespace {

bool read_at(long file, std::uint64_t offset, void* to, std::size_t bytes) {
  return real::syscall6(SYS_pread64, file, as_long(to), static_cast<long>(bytes),
                        static_cast<long>(offset)) == static_cast<long>(bytes);
}

int protection_of(const Elf64_Phdr& segment) {
  return ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) |
         ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

}  // namespace

bool ElfImage::read(long file) {
  file_ = file;
  if (file < 0 || !read_at(file, 0, &header_, sizeof header_) ||
      header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_machine != EM_X86_64 ||
      header_.e_phentsize != sizeof headers_[0] || header_.e_phnum > kMostHeaders ||
      !read_at(file, header_.e_phoff, headers_, header_.e_phnum * sizeof headers_[0])) {
    return false;
  }
  low_ = ~std::uint64_t{0};
  high_ = 0;
  alignment_ = kPage;
  for (int i = 0; i < header_.e_phnum; ++i) {
    const Elf64_Phdr& segment = headers_[i];
    if (segment.p_type != PT_LOAD) {
      continue;
    }
    std::uint64_t begin = page_down(segment.p_vaddr);
    std::uint64_t end = page_up(segment.p_vaddr + segment.p_memsz);
    low_ = begin < low_ ? begin : low_;
    high_ = end > high_ ? end : high_;
    alignment_ = segment.p_align > alignment_ ? segment.p_align : alignment_;
  }
  return low_ < high_;
}

const Elf64_Phdr* ElfImage::find(Elf64_Word type) const {
  for (int i = 0; i < header_.e_phnum; ++i) {
    if (headers_[i].p_type == type) {
      return &headers_[i];
    }
  }
  return nullptr;
}

bool ElfImage::map_segment(const Elf64_Phdr& segment) const {
  std::uint64_t at = bias_ + segment.p_vaddr;
  std::uint64_t first = page_down(at);
  std::uint64_t file_end = at + segment.p_filesz;
  std::uint64_t end = page_up(at + segment.p_memsz);
  int protection = protection_of(segment);
  if (segment.p_filesz > 0 &&
      map(first, file_end - first, protection, MAP_FIXED, file_, page_down(segment.p_offset)) < 0) {
    return false;
  }
  std::uint64_t zeros = segment.p_filesz > 0 ? page_up(file_end) : first;
  if (segment.p_memsz > segment.p_filesz && segment.p_filesz > 0 && (segment.p_flags & PF_W) != 0) {
    clear(file_end, zeros - file_end);
  }
  return zeros >= end || map(zeros, end - zeros, protection, MAP_FIXED | MAP_ANONYMOUS) >= 0;
}

bool ElfImage::map_at(std::uint64_t place) {
  bias_ = fixed() ? 0 : place - low_;
  for (int i = 0; i < header_.e_phnum; ++i) {
    if (headers_[i].p_type == PT_LOAD && headers_[i].p_memsz > 0 && !map_segment(headers_[i])) {
      return false;
    }
  }
  return true;
}

// Program headers may be anywhere in the file: rff-instrument moves them to its end.
std::uint64_t ElfImage::program_headers() const {
  if (const Elf64_Phdr* own = find(PT_PHDR)) {
    return bias_ + own->p_vaddr;
  }
  for (int i = 0; i < header_.e_phnum; ++i) {
    const Elf64_Phdr& segment = headers_[i];
    if (segment.p_type == PT_LOAD && segment.p_offset <= header_.e_phoff &&
        header_.e_phoff < segment.p_offset + segment.p_filesz) {
      return bias_ + header_.e_phoff - segment.p_offset + segment.p_vaddr;
    }
  }
  return 0;
}

ElfImage::Span ElfImage::segments(Elf64_Word flag) const {
  Span span = {};
  for (int i = 0; i < header_.e_phnum; ++i) {
    const Elf64_Phdr& segment = headers_[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & flag) != 0) {
      span.begin = span.begin == 0 ? bias_ + segment.p_vaddr : span.begin;
      span.end = bias_ + segment.p_vaddr + segment.p_filesz;
    }
  }
  return span.begin == 0 ? Span{begin(), begin() + 1} : span;
}

}  // namespace rff::placement
