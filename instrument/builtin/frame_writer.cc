#include "instrument/builtin/frame_writer.h"

#include "instrument/check.h"

namespace rff::instrument::builtin {

namespace {

constexpr std::uint8_t kAdvance = 0x40;
constexpr std::uint8_t kAdvance1 = 0x02;
constexpr std::uint8_t kAdvance2 = 0x03;
constexpr std::uint8_t kAdvance4 = 0x04;
constexpr std::uint8_t kSameValue = 0x08;
constexpr std::uint8_t kOffsetExtendedSigned = 0x11;
constexpr std::uint8_t kDefCfa = 0x0c;
constexpr std::uint8_t kDefCfaOffset = 0x0e;
constexpr std::uint8_t kDefCfaExpression = 0x0f;
constexpr std::uint8_t kExpression = 0x10;
constexpr std::uint8_t kValExpression = 0x16;
constexpr std::uint8_t kOpBregRsp = 0x70 + kDwarfRsp;
constexpr std::uint8_t kOpDeref = 0x06;

}  // namespace

void append_uleb(std::vector<std::uint8_t>& out, std::uint64_t value) {
  do {
    std::uint8_t byte = value & 0x7f;
    value >>= 7;
    out.push_back(static_cast<std::uint8_t>(byte | (value != 0 ? 0x80 : 0)));
  } while (value != 0);
}

void append_sleb(std::vector<std::uint8_t>& out, std::int64_t value) {
  for (bool more = true; more;) {
    auto byte = static_cast<std::uint8_t>(value & 0x7f);
    value >>= 7;
    more = !((value == 0 && (byte & 0x40) == 0) || (value == -1 && (byte & 0x40) != 0));
    out.push_back(static_cast<std::uint8_t>(byte | (more ? 0x80 : 0)));
  }
}

void FrameWriter::move_to(std::uint64_t address) {
  RFF_CHECK(address >= at_);
  std::uint64_t delta = address - at_;
  at_ = address;
  if (delta == 0) {
    return;
  }
  if (delta < 0x40) {
    bytes_.push_back(static_cast<std::uint8_t>(kAdvance | delta));
    return;
  }
  std::uint8_t opcode = delta < 0x100 ? kAdvance1 : delta < 0x10000 ? kAdvance2 : kAdvance4;
  int size = opcode == kAdvance1 ? 1 : opcode == kAdvance2 ? 2 : 4;
  bytes_.push_back(opcode);
  for (int i = 0; i < size; ++i) {
    bytes_.push_back(static_cast<std::uint8_t>(delta >> (8 * i)));
  }
}

void FrameWriter::define_cfa(std::uint8_t reg, std::uint64_t offset) {
  bytes_.push_back(kDefCfa);
  append_uleb(bytes_, reg);
  append_uleb(bytes_, offset);
}

void FrameWriter::define_cfa_offset(std::uint64_t offset) {
  bytes_.push_back(kDefCfaOffset);
  append_uleb(bytes_, offset);
}

void FrameWriter::define_cfa_saved_at(std::int32_t offset) {
  std::vector<std::uint8_t> expression{kOpBregRsp};
  append_sleb(expression, offset);
  expression.push_back(kOpDeref);
  bytes_.push_back(kDefCfaExpression);
  append_uleb(bytes_, expression.size());
  raw(expression.data(), expression.size());
}

void FrameWriter::saved_below_cfa(std::uint8_t reg, std::uint64_t distance) {
  // The CIE's data alignment is -8.
  bytes_.push_back(kOffsetExtendedSigned);
  append_uleb(bytes_, reg);
  append_sleb(bytes_, static_cast<std::int64_t>(distance / 8));
}

void FrameWriter::saved_above_rsp(std::uint8_t reg, std::int32_t offset) {
  std::vector<std::uint8_t> expression{kOpBregRsp};
  append_sleb(expression, offset);
  bytes_.push_back(kExpression);
  append_uleb(bytes_, reg);
  append_uleb(bytes_, expression.size());
  raw(expression.data(), expression.size());
}

void FrameWriter::same_value(std::uint8_t reg) {
  bytes_.push_back(kSameValue);
  append_uleb(bytes_, reg);
}

void FrameWriter::undefined(std::uint8_t reg) {
  constexpr std::uint8_t kUndefined = 0x07;
  bytes_.push_back(kUndefined);
  append_uleb(bytes_, reg);
}

void FrameWriter::value_of(std::uint8_t reg, const std::vector<std::uint8_t>& expression) {
  bytes_.push_back(kValExpression);
  append_uleb(bytes_, reg);
  append_uleb(bytes_, expression.size());
  raw(expression.data(), expression.size());
}

}  // namespace rff::instrument::builtin
