#include "instrument/output.h"

#include <algorithm>
#include <cstring>

#include "instrument/check.h"

namespace rff::instrument {

namespace {

std::uint64_t page_up(std::uint64_t value) {
  return (value + OutputFile::kPage - 1) & ~(OutputFile::kPage - 1);
}

}  // namespace

OutputFile::OutputFile(const ElfFile& file) : file_(file), image_(file.image()) {
  std::uint64_t end = 0;
  bool first = true;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD) {
      continue;
    }
    if (first) {
      base_ = segment.p_vaddr - segment.p_offset;
      first = false;
    }
    end = std::max(end, segment.p_vaddr + segment.p_memsz);
  }
  first_address_ = page_up(std::max(end, base_ + image_.size()));
}

std::uint64_t OutputFile::headers_size() const {
  return (file_.segments().size() + kMostNewSegments + 2) * sizeof(Elf64_Phdr);
}

void OutputFile::patch(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
  auto offset = file_.file_offset(address);
  RFF_CHECK(offset && *offset + bytes.size() <= image_.size());
  std::copy(bytes.begin(), bytes.end(), image_.begin() + static_cast<std::ptrdiff_t>(*offset));
}

void OutputFile::move_unwind_tables(std::uint64_t frames, std::uint64_t frames_size,
                                    std::uint64_t header, std::uint64_t header_size) {
  unwind_address_ = header;
  unwind_size_ = header_size;
  // Debuggers find the tables by their section headers.
  for (std::size_t i = 0; i < file_.sections().size(); ++i) {
    const Section& section = file_.sections()[i];
    bool is_frames = section.name == ".eh_frame";
    if (!is_frames && section.name != ".eh_frame_hdr") {
      continue;
    }
    Elf64_Shdr moved = section.header;
    moved.sh_addr = is_frames ? frames : header;
    moved.sh_offset = offset_of(moved.sh_addr);
    moved.sh_size = is_frames ? frames_size : header_size;
    std::memcpy(image_.data() + file_.header().e_shoff + i * sizeof(moved), &moved, sizeof(moved));
  }
}

void OutputFile::describe_copies(std::uint64_t address, std::uint64_t size,
                                 std::vector<CopiedFunction> functions) {
  copied_ = {address, offset_of(address), size, std::move(functions)};
}

std::vector<Elf64_Phdr> OutputFile::headers() const {
  std::vector<Elf64_Phdr> headers = file_.segments();
  std::vector<Elf64_Phdr> loads;
  for (const NewSegment& segment : added_) {
    Elf64_Phdr load{};
    load.p_type = PT_LOAD;
    load.p_flags = segment.flags;
    load.p_offset = offset_of(segment.address);
    load.p_vaddr = load.p_paddr = segment.address;
    load.p_filesz = load.p_memsz = segment.bytes.size();
    load.p_align = kPage;
    loads.push_back(load);
  }
  // Loadable segments must stay in the order of their addresses.
  std::size_t last = 0;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (headers[i].p_type == PT_LOAD) {
      last = i;
    }
  }
  headers.insert(headers.begin() + static_cast<std::ptrdiff_t>(last) + 1, loads.begin(),
                 loads.end());
  Elf64_Phdr note{};
  note.p_type = PT_NOTE;
  note.p_flags = PF_R;
  note.p_offset = offset_of(note_address_);
  note.p_vaddr = note.p_paddr = note_address_;
  note.p_filesz = note.p_memsz = note_size_;
  note.p_align = 8;
  headers.push_back(note);
  if (spare_note_) {
    note.p_filesz = note.p_memsz = 0;
    headers.push_back(note);
  }
  for (Elf64_Phdr& header : headers) {
    if (header.p_type == PT_PHDR) {
      header.p_offset = offset_of(headers_address());
      header.p_vaddr = header.p_paddr = headers_address();
      header.p_filesz = header.p_memsz = headers.size() * sizeof(Elf64_Phdr);
    } else if (header.p_type == PT_GNU_EH_FRAME && unwind_size_ != 0) {
      header.p_offset = offset_of(unwind_address_);
      header.p_vaddr = header.p_paddr = unwind_address_;
      header.p_filesz = header.p_memsz = unwind_size_;
    }
  }
  return headers;
}

std::string OutputFile::write(NewFile& file) {
  std::vector<Elf64_Phdr> table = headers();
  auto first = std::find_if(added_.begin(), added_.end(), [&](const NewSegment& segment) {
    return segment.address == headers_address();
  });
  RFF_CHECK(first != added_.end() && first->bytes.size() >= headers_size());
  RFF_CHECK(added_.size() <= kMostNewSegments);
  std::memcpy(first->bytes.data(), table.data(), table.size() * sizeof(Elf64_Phdr));
  Elf64_Ehdr header = file_.header();
  header.e_phoff = offset_of(headers_address());
  header.e_phnum = static_cast<Elf64_Half>(table.size());
  DebugSections debug;
  std::uint64_t end = offset_of(added_.back().address) + added_.back().bytes.size();
  std::uint64_t debug_offset = (end + 15) & ~std::uint64_t{15};
  if (copied_.size != 0) {
    debug = build_debug_sections(file_, image_, copied_, debug_offset);
    if (debug.count != 0) {
      header.e_shoff = debug.table_offset;
      header.e_shnum = debug.count;
    }
  }
  std::memcpy(image_.data(), &header, sizeof(header));

  std::string problem = file.write(image_, 0);
  written_size_ = image_.size();
  auto append = [&](const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
    if (problem.empty() && !bytes.empty()) {
      problem = file.write(bytes, offset);
      written_size_ = offset + bytes.size();
    }
  };
  for (const NewSegment& segment : added_) {
    append(segment.bytes, offset_of(segment.address));
  }
  append(debug.bytes, debug_offset);
  return problem;
}

}  // namespace rff::instrument
