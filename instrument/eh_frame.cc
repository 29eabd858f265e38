#include "instrument/eh_frame.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "instrument/byte_reader.h"

namespace rff::instrument {

namespace {

bool ReadCommon(const ElfFile& file, std::uint64_t address, CommonInfo& out) {
  ByteReader in(file, address);
  out.address = address;
  std::uint32_t length = in.Get<std::uint32_t>();
  if (length == 0 || length == 0xffffffff) {
    return false;
  }
  out.end = address + 4 + length;
  if (in.Get<std::uint32_t>() != 0) {
    return false;
  }
  std::uint8_t version = in.Get<std::uint8_t>();
  if (version != 1 && version != 3) {
    return false;
  }
  std::string augmentation;
  while (in.ok()) {
    char c = in.Get<char>();
    if (c == 0) {
      break;
    }
    augmentation.push_back(c);
  }
  out.code_alignment = in.Uleb();
  out.data_alignment = in.Sleb();
  out.return_register = version == 1 ? in.Get<std::uint8_t>() : in.Uleb();
  out.instructions = in.address();
  if (augmentation.empty()) {
    return in.ok();
  }
  if (augmentation[0] != 'z') {
    return false;
  }
  out.augmented = true;
  std::uint64_t data_size = in.Uleb();
  out.instructions = in.address() + data_size;
  for (char c : augmentation.substr(1)) {
    switch (c) {
      case 'R': out.pointer_encoding = in.Get<std::uint8_t>(); break;
      case 'L': out.lsda_encoding = in.Get<std::uint8_t>(); break;
      case 'P':
        out.personality_encoding = in.Get<std::uint8_t>();
        out.personality_at = in.address();
        in.Pointer(out.personality_encoding & 0x7f);
        break;
      case 'S': out.signal_frame = true; break;
      case 'B': break;
      default: return false;
    }
  }
  return in.ok() && out.instructions <= out.end;
}

bool ReadFrame(const ElfFile& file, const CommonInfo& common, FrameInfo& out) {
  ByteReader in(file, out.address + 8);
  out.begin = in.Pointer(common.pointer_encoding);
  out.size = in.Pointer(common.pointer_encoding & 0x0f);
  if (common.augmented) {
    std::uint64_t data_size = in.Uleb();
    std::uint64_t data_end = in.address() + data_size;
    if (common.lsda_encoding != ByteReader::kOmit && data_size != 0) {
      out.lsda_at = in.address();
      out.lsda = in.Pointer(common.lsda_encoding & 0x7f);
    }
    in.Seek(data_end);
  }
  out.instructions = in.address();
  return in.ok() && out.instructions <= out.end;
}

// Finds .eh_frame through its header; false if there is none that can be understood.
bool ReadHeader(const ElfFile& file, EhFrame& out) {
  const Elf64_Phdr* header = file.SegmentOfType(PT_GNU_EH_FRAME);
  if (header == nullptr) {
    return false;
  }
  ByteReader in(file, header->p_vaddr);
  in.set_data_base(header->p_vaddr);
  std::uint8_t version = in.Get<std::uint8_t>();
  std::uint8_t pointer_encoding = in.Get<std::uint8_t>();
  in.Get<std::uint16_t>();  // encodings of the search table, which is not needed: the frames are
                            // read in sequence
  std::uint64_t start = in.Pointer(pointer_encoding);
  if (!in.ok() || version != 1) {
    return false;
  }
  out.header = header->p_vaddr;
  out.address = start;
  return true;
}

// The address that no frame reaches beyond.
std::uint64_t LimitOfFrames(const ElfFile& file, std::uint64_t start) {
  std::uint64_t limit = start + file.At(start).size();
  if (const Section* section = file.SectionAt(start)) {
    limit = std::min(limit, section->header.sh_addr + section->header.sh_size);
  }
  return limit;
}

class FrameCollector {
 public:
  FrameCollector(const ElfFile& file, EhFrame& out) : file_(file), out_(out) {}

  // Adds the frame in [at, end) unless it cannot be understood or covers no code.
  void Add(std::uint64_t at, std::uint64_t end, std::uint64_t common_address) {
    std::optional<std::uint32_t> common = IndexOfCommon(common_address);
    if (!common) {
      return;
    }
    FrameInfo frame;
    frame.address = at;
    frame.end = end;
    frame.common = *common;
    if (ReadFrame(file_, out_.commons[*common], frame) && frame.size != 0) {
      out_.frames.push_back(frame);
    }
  }

 private:
  // Reads the common part on its first use; nothing if it is unusable.
  std::optional<std::uint32_t> IndexOfCommon(std::uint64_t address) {
    if (auto known = known_.find(address); known != known_.end()) {
      return known->second;
    }
    CommonInfo common;
    if (address < out_.address || !ReadCommon(file_, address, common)) {
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

EhFrame ReadEhFrame(const ElfFile& file) {
  EhFrame result;
  if (!ReadHeader(file, result)) {
    return result;
  }
  FrameCollector frames(file, result);
  std::uint64_t limit = LimitOfFrames(file, result.address);
  std::uint64_t at = result.address;
  while (at + 8 <= limit) {
    auto length = file.Read<std::uint32_t>(at);
    auto id = file.Read<std::uint32_t>(at + 4);
    if (!length || !id || *length == 0 || *length == 0xffffffff || *length > limit - at - 4) {
      break;
    }
    std::uint64_t end = at + 4 + *length;
    if (*id != 0) {
      frames.Add(at, end, at + 4 - *id);
    }
    at = end;
  }
  result.size = at - result.address;
  std::sort(result.frames.begin(), result.frames.end(),
            [](const FrameInfo& a, const FrameInfo& b) { return a.begin < b.begin; });
  return result;
}

}  // namespace rff::instrument
