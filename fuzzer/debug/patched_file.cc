#include "fuzzer/debug/patched_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "fuzzer/common/files.h"

namespace rff {
namespace {

class Image {
 public:
  explicit Image(std::string bytes) : bytes_(std::move(bytes)) {
    if (!copy(0, &header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) {
      return;
    }
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr segment;
      if (copy(header_.e_phoff + i * sizeof segment, &segment)) {
        segments_.push_back(segment);
      }
    }
  }

  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  template <typename T>
  bool copy(std::uint64_t offset, T* value) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) {
      return false;
    }
    std::memcpy(value, bytes_.data() + offset, sizeof(T));
    return true;
  }

  std::string_view bytes(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && bytes_.size() - offset >= size
               ? std::string_view(bytes_).substr(offset, size)
               : std::string_view();
  }

  // Returns the array at a link-time address.
  template <typename T>
  std::vector<T> array(std::uint64_t address, std::uint64_t count) const {
    std::vector<T> items;
    for (const Elf64_Phdr& s : segments_) {
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address < s.p_vaddr + s.p_filesz &&
          count <= (s.p_vaddr + s.p_filesz - address) / sizeof(T)) {
        std::string_view raw = bytes(s.p_offset + (address - s.p_vaddr), count * sizeof(T));
        items.resize(raw.size() / sizeof(T));
        std::memcpy(static_cast<void*>(items.data()), raw.data(), items.size() * sizeof(T));
      }
    }
    return items;
  }

 private:
  std::string bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
};

std::optional<hook::HookNote> find_note(const Image& image) {
  for (const Elf64_Phdr& s : image.segments()) {
    if (s.p_type != PT_NOTE) {
      continue;
    }
    std::uint64_t align = s.p_align == 8 ? 8 : 4;
    auto padded = [&](std::uint64_t n) { return (n + align - 1) & ~(align - 1); };
    std::uint64_t at = s.p_offset;
    Elf64_Nhdr note;
    while (at < s.p_offset + s.p_filesz && image.copy(at, &note)) {
      std::uint64_t descriptor = at + padded(sizeof note + note.n_namesz);
      hook::HookNote found;
      if (note.n_type == hook::kNoteType &&
          image.bytes(at + sizeof note, note.n_namesz) ==
              std::string_view(hook::kNoteOwner, sizeof hook::kNoteOwner) &&
          image.copy(descriptor, &found) && found.version == hook::kHookVersion) {
        return found;
      }
      at = descriptor + padded(note.n_descsz);
    }
  }
  return std::nullopt;
}

}  // namespace

PatchedFile PatchedFile::read(const std::string& path) {
  PatchedFile file;
  Image image(read_file(path).value_or(""));
  if (auto note = find_note(image)) {
    file.sites_ = image.array<hook::SiteRecord>(note->sites, note->site_count);
    file.map_ = image.array<hook::AddressMapEntry>(note->address_map, note->address_map_count);
    file.code_begin_ = note->code_begin;
    file.code_end_ = note->code_end;
  }
  return file;
}

bool PatchedFile::is_site(std::uint64_t address) const {
  auto it =
      std::lower_bound(sites_.begin(), sites_.end(), address,
                       [](const hook::SiteRecord& s, std::uint64_t a) { return s.address < a; });
  return it != sites_.end() && it->address == address;
}

std::uint64_t PatchedFile::original(std::uint64_t address) const {
  if (!in_copies(address)) {
    return address;
  }
  auto it =
      std::upper_bound(map_.begin(), map_.end(), address,
                       [](std::uint64_t a, const hook::AddressMapEntry& e) { return a < e.copy; });
  return it == map_.begin() ? address : (it - 1)->original;
}

}  // namespace rff
