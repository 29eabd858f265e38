#include "instrument/frame_program.h"

#include "instrument/byte_reader.h"

namespace rff::instrument {

namespace {

constexpr std::uint64_t kDwarfRbp = 6;
constexpr std::uint64_t kDwarfRsp = 7;

Cfa::Base base_of(std::uint64_t reg) {
  return reg == kDwarfRsp ? Cfa::kRsp : reg == kDwarfRbp ? Cfa::kRbp : Cfa::kOther;
}

class Interpreter {
 public:
  Interpreter(const ElfFile& file, const CommonInfo& common) : file_(file), common_(common) {}

  // Runs the instructions in [begin, end). Calls `step(at, bytes, cfa)` for each except advances.
  template <typename Step>
  bool run(std::uint64_t begin, std::uint64_t end, std::uint64_t location, Step step) {
    ByteReader in(file_, begin);
    while (in.ok() && in.address() < end) {
      std::uint64_t start = in.address();
      bool advances = false;
      if (!one(in, location, advances)) {
        return false;
      }
      if (!advances && in.ok()) {
        auto bytes = file_.at(start);
        step(location,
             std::vector<std::uint8_t>(
                 bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(in.address() - start)),
             cfa_);
      }
    }
    return in.ok();
  }
  const Cfa& cfa() const { return cfa_; }

 private:
  bool one(ByteReader& in, std::uint64_t& location, bool& advances) {
    std::uint8_t opcode = in.get<std::uint8_t>();
    if (auto moved = distance(in, opcode)) {
      advances = true;
      location += *moved * common_.code_alignment;
      return true;
    }
    return opcode >= 0x0a && opcode <= 0x0f ? change_cfa(in, opcode) : skip_rule(in, opcode);
  }

  // Returns how far an instruction advances: 0 for a nop, nothing if it is no advance.
  static std::optional<std::uint64_t> distance(ByteReader& in, std::uint8_t opcode) {
    if ((opcode & 0xc0) == 0x40) {
      return opcode & 0x3f;
    }
    switch (opcode) {
      case 0x00: return 0;
      case 0x02: return in.get<std::uint8_t>();
      case 0x03: return in.get<std::uint16_t>();
      case 0x04: return in.get<std::uint32_t>();
      default: return std::nullopt;
    }
  }

  bool change_cfa(ByteReader& in, std::uint8_t opcode) {
    switch (opcode) {
      case 0x0a: stack_.push_back(cfa_); return true;
      case 0x0b:
        if (stack_.empty()) {
          return false;
        }
        cfa_ = stack_.back();
        stack_.pop_back();
        return true;
      case 0x0c:
        cfa_.base = base_of(in.uleb());
        cfa_.offset = static_cast<std::int64_t>(in.uleb());
        return true;
      case 0x0d: cfa_.base = base_of(in.uleb()); return true;
      case 0x0e: cfa_.offset = static_cast<std::int64_t>(in.uleb()); return true;
      case 0x0f: cfa_.base = Cfa::kOther; return skip(in, in.uleb());
      default: return false;
    }
  }

  // Skips the rule for a register, which does not affect the frame address.
  static bool skip_rule(ByteReader& in, std::uint8_t opcode) {
    switch (opcode & 0xc0) {
      case 0x80: in.uleb(); return true;
      case 0xc0: return true;
      default: break;
    }
    switch (opcode) {
      case 0x05:  // offset_extended
      case 0x09:  // register
      case 0x14:  // val_offset
        in.uleb();
        in.uleb();
        return true;
      case 0x11:  // offset_extended_sf
      case 0x15:  // val_offset_sf
        in.uleb();
        in.sleb();
        return true;
      case 0x06:  // restore_extended
      case 0x07:  // undefined
      case 0x08:  // same_value
      case 0x2e:  // GNU_args_size
        in.uleb();
        return true;
      case 0x10:  // expression
      case 0x16:  // val_expression
        in.uleb();
        return skip(in, in.uleb());
      default: return false;
    }
  }

  static bool skip(ByteReader& in, std::uint64_t size) {
    in.seek(in.address() + size);
    return in.ok();
  }

  const ElfFile& file_;
  const CommonInfo& common_;
  Cfa cfa_;
  std::vector<Cfa> stack_;
};

}  // namespace

std::optional<FrameProgram> read_frame_program(const ElfFile& file, const CommonInfo& common,
                                               const FrameInfo& frame) {
  FrameProgram program;
  Interpreter interpreter(file, common);
  if (!interpreter.run(common.instructions, common.end, 0,
                       [](std::uint64_t, const std::vector<std::uint8_t>&, const Cfa&) {})) {
    return std::nullopt;
  }
  program.cfa = interpreter.cfa();
  bool understood =
      interpreter.run(frame.instructions, frame.end, frame.begin,
                      [&](std::uint64_t at, std::vector<std::uint8_t> bytes, const Cfa& cfa) {
                        program.steps.push_back({at, std::move(bytes), cfa});
                      });
  if (!understood) {
    return std::nullopt;
  }
  return program;
}

}  // namespace rff::instrument
