// A bounds-checked cursor over bytes of the file at a link-time address. After a read beyond the
// end it stays at the end and `ok()` is false.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "instrument/elf_file.h"

namespace rff::instrument {

class ByteReader {
 public:
  ByteReader(const ElfFile& file, std::uint64_t address)
      : bytes_(file.at(address)), base_(address) {}

  bool ok() const { return ok_; }
  std::uint64_t address() const { return base_ + at_; }
  void seek(std::uint64_t address) {
    at_ = address - base_;
    ok_ = ok_ && address >= base_ && at_ <= bytes_.size();
  }

  template <typename T>
  T get() {
    T value{};
    if (!ok_ || bytes_.size() - at_ < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      std::uint8_t byte = get<std::uint8_t>();
      if (shift < 64) {
        value |= std::uint64_t{byte & 0x7fU} << shift;
      }
      if ((byte & 0x80) == 0 || !ok_) {
        return value;
      }
    }
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      std::uint8_t byte = get<std::uint8_t>();
      if (shift < 64) {
        value |= std::uint64_t{byte & 0x7fU} << shift;
      }
      shift += 7;
      if ((byte & 0x80) == 0 || !ok_) {
        if (shift < 64 && (byte & 0x40) != 0) {
          value |= ~std::uint64_t{0} << shift;
        }
        return static_cast<std::int64_t>(value);
      }
    }
  }

  // Reads a pointer in a DW_EH_PE encoding. Does not follow indirection.
  static constexpr std::uint8_t kOmit = 0xff;
  std::uint64_t pointer(std::uint8_t encoding) {
    if (encoding == kOmit) {
      return 0;
    }
    std::uint64_t start = address();
    std::uint64_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c: value = get<std::uint64_t>(); break;
      case 0x01: value = uleb(); break;
      case 0x02: value = get<std::uint16_t>(); break;
      case 0x03: value = get<std::uint32_t>(); break;
      case 0x09: value = static_cast<std::uint64_t>(sleb()); break;
      case 0x0a: value = static_cast<std::uint64_t>(std::int64_t{get<std::int16_t>()}); break;
      case 0x0b: value = static_cast<std::uint64_t>(std::int64_t{get<std::int32_t>()}); break;
      default: ok_ = false;
    }
    if ((encoding & 0x70) == 0x10 && value != 0) {
      value += start;
    } else if ((encoding & 0x70) == 0x30 && value != 0) {
      value += data_base_;
    } else if ((encoding & 0x70) != 0 && (encoding & 0x70) != 0x10) {
      ok_ = false;
    }
    return value;
  }
  void set_data_base(std::uint64_t base) { data_base_ = base; }

 private:
  std::basic_string_view<std::uint8_t> bytes_;
  std::uint64_t base_;
  std::uint64_t at_ = 0;
  std::uint64_t data_base_ = 0;
  bool ok_ = true;
};

}  // namespace rff::instrument
