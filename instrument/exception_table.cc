#include "instrument/exception_table.h"

#include "instrument/byte_reader.h"

namespace rff::instrument {

std::optional<ExceptionTable> read_exception_table(const ElfFile& file, const FrameInfo& frame) {
  if (frame.lsda == 0) {
    return std::nullopt;
  }
  ExceptionTable table;
  ByteReader in(file, frame.lsda);
  std::uint8_t base_encoding = in.get<std::uint8_t>();
  table.pad_base = base_encoding == ByteReader::kOmit ? frame.begin : in.pointer(base_encoding);
  table.type_encoding = in.get<std::uint8_t>();
  if (table.type_encoding != ByteReader::kOmit) {
    std::uint64_t distance = in.uleb();
    table.types_end = in.address() + distance;
  }
  std::uint8_t encoding = in.get<std::uint8_t>();
  std::uint64_t size = in.uleb();
  table.actions = in.address() + size;
  while (in.ok() && in.address() < table.actions) {
    CallSite site;
    site.begin = frame.begin + in.pointer(encoding);
    site.end = site.begin + in.pointer(encoding);
    site.pad = in.pointer(encoding);
    site.action = in.uleb();
    table.sites.push_back(site);
  }
  if (!in.ok()) {
    return std::nullopt;
  }
  return table;
}

}  // namespace rff::instrument
