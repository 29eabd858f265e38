// Writes call frame instructions (DWARF) and tracks the code address at which they apply.
#pragma once

#include <cstdint>
#include <vector>

namespace rff::instrument::builtin {

// DWARF numbers of the registers, indexed by their number in instruction encodings.
inline constexpr std::uint8_t kDwarfNumber[16] = {0, 2, 1,  3,  7,  6,  4,  5,
                                                  8, 9, 10, 11, 12, 13, 14, 15};
inline constexpr std::uint8_t kDwarfRsp = 7;
inline constexpr std::uint8_t kDwarfReturn = 16;

class FrameWriter {
 public:
  explicit FrameWriter(std::uint64_t begin) : at_(begin) {}

  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  // Instructions written from now on apply from `address` on, which must not precede the last one.
  void move_to(std::uint64_t address);
  void raw(const std::uint8_t* data, std::size_t size) {
    bytes_.insert(bytes_.end(), data, data + size);
  }
  void define_cfa(std::uint8_t reg, std::uint64_t offset);
  void define_cfa_offset(std::uint64_t offset);
  // CFA = the word at rsp + offset.
  void define_cfa_saved_at(std::int32_t offset);
  // The register is saved at CFA - distance.
  void saved_below_cfa(std::uint8_t reg, std::uint64_t distance);
  // The register is saved at rsp + offset.
  void saved_above_rsp(std::uint8_t reg, std::int32_t offset);
  void same_value(std::uint8_t reg);
  // The register's value is unknown; that of the return address: the stack ends here.
  void undefined(std::uint8_t reg);
  // The register's value is what the expression computes.
  void value_of(std::uint8_t reg, const std::vector<std::uint8_t>& expression);
  void remember_state() { bytes_.push_back(0x0a); }
  void restore_state() { bytes_.push_back(0x0b); }

 private:
  std::uint64_t at_;
  std::vector<std::uint8_t> bytes_;
};

void append_uleb(std::vector<std::uint8_t>& out, std::uint64_t value);
void append_sleb(std::vector<std::uint8_t>& out, std::int64_t value);

}  // namespace rff::instrument::builtin
