// Builds machine code for a known address: a buffer with one function per instruction form.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "instrument/check.h"
#include "instrument/site.h"

namespace rff::instrument::builtin {

enum Reg : std::uint8_t {
  kRax,
  kRcx,
  kRdx,
  kRbx,
  kRsp,
  kRbp,
  kRsi,
  kRdi,
  kR8,
  kR9,
  kR10,
  kR11,
  kR12,
  kR13,
  kR14,
  kR15,
};

class CodeBuffer {
 public:
  explicit CodeBuffer(std::uint64_t base) : base_(base) {}

  std::uint64_t here() const { return base_ + bytes_.size(); }
  std::size_t size() const { return bytes_.size(); }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  void bytes(std::initializer_list<std::uint8_t> list) { bytes_.insert(bytes_.end(), list); }
  void append(const std::uint8_t* data, std::size_t size) {
    bytes_.insert(bytes_.end(), data, data + size);
  }
  template <typename T>
  void value(T value) {
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
  }
  template <typename T>
  void overwrite(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }

  // Places where 32-bit distances were emitted, for code that is moved to another address later.
  struct Relative {
    std::size_t at;
    std::uint64_t target;
  };
  const std::vector<Relative>& relatives() const { return relatives_; }
  void keep_relatives() { keep_relatives_ = true; }

  // Emits the 32-bit distance from the end of the field to `target`.
  void distance(std::uint64_t target) {
    if (keep_relatives_) {
      relatives_.push_back({bytes_.size(), target});
      value(std::int32_t{0});
      return;
    }
    std::int64_t distance = static_cast<std::int64_t>(target - (here() + 4));
    RFF_CHECK(distance == static_cast<std::int32_t>(distance));
    value(static_cast<std::int32_t>(distance));
  }
  void overwrite_distance(std::size_t at, std::uint64_t target) {
    std::int64_t distance = static_cast<std::int64_t>(target - (base_ + at + 4));
    RFF_CHECK(distance == static_cast<std::int32_t>(distance));
    overwrite(at, static_cast<std::int32_t>(distance));
  }

  void jump(std::uint64_t target) {
    bytes({0xe9});
    distance(target);
  }
  void call(std::uint64_t target) {
    bytes({0xe8});
    distance(target);
  }
  void push(Reg reg) {
    if (reg >= 8) {
      bytes({0x41});
    }
    bytes({static_cast<std::uint8_t>(0x50 | (reg & 7))});
  }
  void pop(Reg reg) {
    if (reg >= 8) {
      bytes({0x41});
    }
    bytes({static_cast<std::uint8_t>(0x58 | (reg & 7))});
  }
  // Emits a 64-bit load, store or address computation: opcode reg, [base + disp].
  void memory(std::uint8_t opcode, std::uint8_t reg, std::uint8_t base, std::int32_t disp) {
    Operand operand;
    operand.base = base;
    operand.displacement = disp;
    encode(opcode, reg, operand, true);
  }
  void load(Reg reg, Reg base, std::int32_t disp) { memory(0x8b, reg, base, disp); }
  void store(Reg base, std::int32_t disp, Reg reg) { memory(0x89, reg, base, disp); }
  void lea(Reg reg, Reg base, std::int32_t disp) { memory(0x8d, reg, base, disp); }
  void load_from(Reg reg, std::uint64_t address) { rip_relative(0x8b, reg, address); }
  void lea_of(Reg reg, std::uint64_t address) { rip_relative(0x8d, reg, address); }

  // Emits opcode reg, [base + disp] with 64-bit or 32-bit operands, or 8-bit ones if the opcode
  // says so. An immediate may follow.
  void access(std::uint8_t opcode, std::uint8_t reg, std::uint8_t base, std::int32_t disp,
              bool wide) {
    Operand operand;
    operand.base = base;
    operand.displacement = disp;
    encode(opcode, reg, operand, wide);
  }
  // The same at an address. `immediate`: the bytes that will follow.
  void access_at(std::uint8_t opcode, std::uint8_t reg, std::uint64_t address, bool wide,
                 std::uint32_t immediate = 0) {
    bytes({static_cast<std::uint8_t>(0x40 | (wide ? 8 : 0) | ((reg >> 3) << 2)), opcode,
           static_cast<std::uint8_t>(((reg & 7) << 3) | 5)});
    distance(address - immediate);
  }
  // Emits opcode reg, rm between registers; `reg` may be a part of the opcode.
  void registers(std::uint8_t opcode, std::uint8_t reg, std::uint8_t rm, bool wide) {
    bytes({static_cast<std::uint8_t>(0x40 | (wide ? 8 : 0) | ((reg >> 3) << 2) | (rm >> 3)), opcode,
           static_cast<std::uint8_t>(0xc0 | ((reg & 7) << 3) | (rm & 7))});
  }

  // Emits lea reg, [operand]; rsp is `rsp_moved` bytes below its value at the site.
  void lea_operand(Reg reg, const Operand& operand, std::int32_t rsp_moved);
  // Emits jmp [operand].
  void jump_through(const Operand& operand, std::int32_t rsp_moved);

 private:
  void rip_relative(std::uint8_t opcode, std::uint8_t reg, std::uint64_t address) {
    bytes({static_cast<std::uint8_t>(0x48 | ((reg >> 3) << 2)), opcode,
           static_cast<std::uint8_t>(((reg & 7) << 3) | 5)});
    distance(address);
  }
  void encode(std::uint8_t opcode, std::uint8_t reg, const Operand& operand, bool wide);

  std::uint64_t base_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Relative> relatives_;
  bool keep_relatives_ = false;
};

}  // namespace rff::instrument::builtin
