#include "instrument/eh_frame.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "instrument/byte_reader.h"

namespace rff::instrument {

namespace {

bool read_common(const ElfFile& file, std::uint64_t address, CommonInfo& out) {
  ByteReader in(file, address);
  out.address = address;
  std::uint32_t length = in.get<std::uint32_t>();
  if (length == 0 || length == 0xffffffff) {
    return false;
  }
  out.end = address + 4 + length;
  if (in.get<std::uint32_t>() != 0) {
    return false;
  }
  std::uint8_t version = in.get<std::uint8_t>();
  if (version != 1 && version != 3) {
    return false;
  }
  std::string augmentation;
  while (in.ok()) {
    char c = in.get<char>();
    if (c == 0) {
      break;
    }
    augmentation.push_back(c);
  }
  out.code_alignment = in.uleb();
  out.data_alignment = in.sleb();
  out.return_register = version == 1 ? in.get<std::uint8_t>() : in.uleb();
  out.instructions = in.address();
  if (augmentation.empty()) {
    return in.ok();
  }
  if (augmentation[0] != 'z') {
    return false;
  }
  out.augmented = true;
  std::uint64_t data_size = in.uleb();
  out.instructions = in.address() + data_size;
  for (char c : augmentation.substr(1)) {
    switch (c) {
      case 'R': out.pointer_encoding = in.get<std::uint8_t>(); break;
      case 'L': out.lsda_encoding = in.get<std::uint8_t>(); break;
      case 'P':
        out.personality_encoding = in.get<std::uint8_t>();
        out.personality_at = in.address();
        in.pointer(out.personality_encoding & 0x7f);
        break;
      case 'S': out.signal_frame = true; break;
      case 'B': break;
      default: return false;
    }
  }
  return in.ok() && out.instructions <= out.end;
}

bool read_frame(const ElfFile& file, const CommonInfo& common, FrameInfo& out) {
  ByteReader in(file, out.address + 8);
  out.begin = in.pointer(common.pointer_encoding);
  out.size = in.pointer(common.pointer_encoding & 0x0f);
  if (common.augmented) {
    std::uint64_t data_size = in.uleb();
    std::uint64_t data_end = in.address() + data_size;
    if (common.lsda_encoding != ByteReader::kOmit && data_size != 0) {
      out.lsda_at = in.address();
      out.lsda = in.pointer(common.lsda_encoding & 0x7f);
    }
    in.seek(data_end);
  }
  out.instructions = in.address();
  return in.ok() && out.instructions <= out.end;
}

// Finds .eh_frame through its header. Returns false if there is none that can be parsed.
bool read_header(const ElfFile& file, EhFrame& out) {
  const Elf64_Phdr* header = file.segment_of_type(PT_GNU_EH_FRAME);
  if (header == nullptr) {
    return false;
  }
  ByteReader in(file, header->p_vaddr);
  in.set_data_base(header->p_vaddr);
  std::uint8_t version = in.get<std::uint8_t>();
  std::uint8_t pointer_encoding = in.get<std::uint8_t>();
  in.get<std::uint16_t>();  // encodings of the search table, which is not needed: the frames are
                            // read in sequence
  std::uint64_t start = in.pointer(pointer_encoding);
  if (!in.ok() || version != 1) {
    return false;
  }
  out.header = header->p_vaddr;
  out.address = start;
  return true;
}

// Returns the address that no frame reaches beyond.
std::uint64_t limit_of_frames(const ElfFile& file, std::uint64_t start) {
  std::uint64_t limit = start + file.at(start).size();
  if (const Section* section = file.section_at(start)) {
    limit = std::min(limit, section->header.sh_addr + section->header.sh_size);
  }
  return limit;
}

class FrameCollector {
 public:
  FrameCollector(const ElfFile& file, EhFrame& out) : file_(file), out_(out) {}

  // Adds the frame in [at, end) unless it cannot be parsed or covers no code.
  void add(std::uint64_t at, std::uint64_t end, std::uint64_t common_address) {
    std::optional<std::uint32_t> common = index_of_common(common_address);
    if (!common) {
      return;
    }
    FrameInfo frame;
    frame.address = at;
    frame.end = end;
    frame.common = *common;
    if (read_frame(file_, out_.commons[*common], frame) && frame.size != 0) {
      out_.frames.push_back(frame);
    }
  }

 private:
  // Reads the common part on its first use. Returns nothing if it is unusable.
  std::optional<std::uint32_t> index_of_common(std::uint64_t address) {
    if (auto known = known_.find(address); known != known_.end()) {
      return known->second;
    }
    CommonInfo common;
    if (address < out_.address || !read_common(file_, address, common)) {
      return std::nullopt;
    }
    auto index = static_cast<std::uint32_t>(out_.commons.size());
    out_.commons.push_back(common);
    known_.emplace(address, index);
    return index;
  }

  const ElfFile& file_;
  EhFrame& out_;
  std::map<std::uint64_t, std::uint32_t> known_;  // by address: index into EhFrame::commons
};

}  // namespace

EhFrame read_eh_frame(const ElfFile& file) {
  EhFrame result;
  if (!read_header(file, result)) {
    return result;
  }
  FrameCollector frames(file, result);
  std::uint64_t limit = limit_of_frames(file, result.address);
  std::uint64_t at = result.address;
  while (at + 8 <= limit) {
    auto length = file.read<std::uint32_t>(at);
    auto id = file.read<std::uint32_t>(at + 4);
    if (!length || !id || *length == 0 || *length == 0xffffffff || *length > limit - at - 4) {
      break;
    }
    std::uint64_t end = at + 4 + *length;
    if (*id != 0) {
      frames.add(at, end, at + 4 - *id);
    }
    at = end;
  }
  result.size = at - result.address;
  std::sort(result.frames.begin(), result.frames.end(),
            [](const FrameInfo& a, const FrameInfo& b) { return a.begin < b.begin; });
  return result;
}

}  // namespace rff::instrument
