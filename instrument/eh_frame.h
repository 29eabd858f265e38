// Reads .eh_frame: where functions begin and end, and how their frames unwind.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/elf_file.h"

namespace rff::instrument {

struct CommonInfo {  // a CIE
  std::uint64_t address = 0;
  std::uint64_t end = 0;
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint64_t return_register = 16;
  std::uint8_t pointer_encoding = 0;
  std::uint8_t lsda_encoding = 0xff;
  std::uint8_t personality_encoding = 0xff;
  std::uint64_t personality_at = 0;  // where its pointer is; 0 if there is none
  bool augmented = false;
  bool signal_frame = false;
  std::uint64_t instructions = 0;  // address of the initial instructions
};

struct FrameInfo {  // an FDE
  std::uint64_t address = 0;
  std::uint64_t end = 0;
  std::uint32_t common = 0;  // index into EhFrame::commons
  std::uint64_t begin = 0;   // start of the code covered
  std::uint64_t size = 0;
  std::uint64_t lsda = 0;
  std::uint64_t lsda_at = 0;  // where the pointer to it is; 0 if there is none
  std::uint64_t instructions = 0;
};

struct EhFrame {
  std::vector<CommonInfo> commons;
  std::vector<FrameInfo> frames;  // sorted by begin
  std::uint64_t header = 0;       // .eh_frame_hdr
  std::uint64_t address = 0;      // .eh_frame
  std::uint64_t size = 0;
};

// Returns an empty result if there is no .eh_frame, or none that can be parsed.
EhFrame read_eh_frame(const ElfFile& file);

}  // namespace rff::instrument
