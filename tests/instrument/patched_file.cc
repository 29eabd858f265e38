#include "tests/instrument/patched_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/instrument/support.h"

namespace rff::test {

PatchedFile::PatchedFile(const std::string& path) { load(path); }

void PatchedFile::load(const std::string& path) {
  std::string image = read_file(path);
  Elf64_Ehdr header;
  ASSERT_GE(image.size(), sizeof(header));
  std::memcpy(&header, image.data(), sizeof(header));
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  std::memcpy(segments.data(), image.data() + header.e_phoff, segments.size() * sizeof(Elf64_Phdr));
  auto read = [&](std::uint64_t address, void* out, std::size_t size) {
    for (const Elf64_Phdr& segment : segments) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address + size <= segment.p_vaddr + segment.p_filesz) {
        std::memcpy(out, image.data() + segment.p_offset + (address - segment.p_vaddr), size);
        return;
      }
    }
    ADD_FAILURE() << "address outside the file";
  };
  bool found = false;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_NOTE &&
        segment.p_filesz == sizeof(Elf64_Nhdr) + 4 + sizeof(hook::HookNote)) {
      read(segment.p_vaddr + sizeof(Elf64_Nhdr) + 4, &note_, sizeof(note_));
      found = true;
    }
  }
  ASSERT_TRUE(found);
  ASSERT_EQ(note_.version, hook::kHookVersion);
  sites_.resize(note_.site_count);
  read(note_.sites, sites_.data(), sites_.size() * sizeof(hook::SiteRecord));
  groups_.resize(note_.joined.group_count);
  if (!groups_.empty()) {
    read(note_.joined.groups, groups_.data(), groups_.size() * sizeof(hook::GroupRecord));
  }
  map_.resize(note_.address_map_count);
  read(note_.address_map, map_.data(), map_.size() * sizeof(hook::AddressMapEntry));
  auto by_address = [](const auto& a, const auto& b) { return a.address < b.address; };
  EXPECT_TRUE(std::is_sorted(sites_.begin(), sites_.end(), by_address));
  auto by_copy = [](const auto& a, const auto& b) { return a.copy < b.copy; };
  EXPECT_TRUE(std::is_sorted(map_.begin(), map_.end(), by_copy));
}

const hook::SiteRecord* PatchedFile::site_at(std::uint64_t address) const {
  for (const hook::SiteRecord& site : sites_) {
    if (site.address == address) {
      return &site;
    }
  }
  return nullptr;
}

std::uint64_t PatchedFile::original(std::uint64_t address) const {
  if (address < note_.code_begin || address >= note_.code_end) {
    return address;
  }
  auto next = std::upper_bound(
      map_.begin(), map_.end(), address,
      [](std::uint64_t a, const hook::AddressMapEntry& entry) { return a < entry.copy; });
  return next == map_.begin() ? address : std::prev(next)->original;
}

}  // namespace rff::test
