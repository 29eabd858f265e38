#include "instrument/builtin/frame_program.h"

#include "instrument/builtin/frame_writer.h"
#include "instrument/byte_reader.h"

namespace rff::instrument::builtin {

namespace {

struct Cfa {
  bool is_register = false;
  std::uint64_t reg = 0;
  std::uint64_t offset = 0;
};

class Interpreter {
 public:
  Interpreter(const ElfFile& file, const CommonInfo& common) : file_(file), common_(common) {}

  // Runs the instructions in [begin, end); `step(at, bytes, cfa)` is called for each but advances.
  template <typename Step>
  bool Run(std::uint64_t begin, std::uint64_t end, std::uint64_t location, Step step) {
    ByteReader in(file_, begin);
    while (in.ok() && in.address() < end) {
      std::uint64_t start = in.address();
      bool advances = false;
      if (!One(in, location, advances)) {
        return false;
      }
      if (!advances && in.ok()) {
        auto bytes = file_.At(start);
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
  bool One(ByteReader& in, std::uint64_t& location, bool& advances) {
    std::uint8_t opcode = in.Get<std::uint8_t>();
    if (auto distance = Distance(in, opcode)) {
      advances = true;
      location += *distance * common_.code_alignment;
      return true;
    }
    return opcode >= 0x0a && opcode <= 0x0f ? ChangeCfa(in, opcode) : SkipRule(in, opcode);
  }

  // Reads how far an instruction advances: a nop by 0, and nothing if it does something else.
  static std::optional<std::uint64_t> Distance(ByteReader& in, std::uint8_t opcode) {
    if ((opcode & 0xc0) == 0x40) {
      return opcode & 0x3f;
    }
    switch (opcode) {
      case 0x00: return 0;
      case 0x02: return in.Get<std::uint8_t>();
      case 0x03: return in.Get<std::uint16_t>();
      case 0x04: return in.Get<std::uint32_t>();
      default: return std::nullopt;
    }
  }

  bool ChangeCfa(ByteReader& in, std::uint8_t opcode) {
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
        cfa_.is_register = true;
        cfa_.reg = in.Uleb();
        cfa_.offset = in.Uleb();
        return true;
      case 0x0d:
        cfa_.is_register = true;
        cfa_.reg = in.Uleb();
        return true;
      case 0x0e: cfa_.offset = in.Uleb(); return true;
      case 0x0f: cfa_.is_register = false; return Skip(in, in.Uleb());
      default: return false;
    }
  }

  // Passes over the rule for a register, which does not concern the frame address.
  static bool SkipRule(ByteReader& in, std::uint8_t opcode) {
    switch (opcode & 0xc0) {
      case 0x80: in.Uleb(); return true;
      case 0xc0: return true;
      default: break;
    }
    switch (opcode) {
      case 0x05:  // offset_extended
      case 0x09:  // register
      case 0x14:  // val_offset
        in.Uleb();
        in.Uleb();
        return true;
      case 0x11:  // offset_extended_sf
      case 0x15:  // val_offset_sf
        in.Uleb();
        in.Sleb();
        return true;
      case 0x06:  // restore_extended
      case 0x07:  // undefined
      case 0x08:  // same_value
      case 0x2e:  // GNU_args_size
        in.Uleb();
        return true;
      case 0x10:  // expression
      case 0x16:  // val_expression
        in.Uleb();
        return Skip(in, in.Uleb());
      default: return false;
    }
  }

  static bool Skip(ByteReader& in, std::uint64_t size) {
    in.Seek(in.address() + size);
    return in.ok();
  }

  const ElfFile& file_;
  const CommonInfo& common_;
  Cfa cfa_;
  std::vector<Cfa> stack_;
};

}  // namespace

std::optional<FrameProgram> ReadFrameProgram(const ElfFile& file, const CommonInfo& common,
                                             const FrameInfo& frame) {
  FrameProgram program;
  Interpreter interpreter(file, common);
  auto on_rsp = [](const Cfa& cfa) { return cfa.is_register && cfa.reg == kDwarfRsp; };
  if (!interpreter.Run(common.instructions, common.end, 0,
                       [](std::uint64_t, std::vector<std::uint8_t>, const Cfa&) {})) {
    return std::nullopt;
  }
  program.cfa_on_rsp = on_rsp(interpreter.cfa());
  program.cfa_offset = interpreter.cfa().offset;
  bool understood =
      interpreter.Run(frame.instructions, frame.end, frame.begin,
                      [&](std::uint64_t at, std::vector<std::uint8_t> bytes, const Cfa& cfa) {
                        program.steps.push_back({at, std::move(bytes), on_rsp(cfa), cfa.offset});
                      });
  if (!understood) {
    return std::nullopt;
  }
  return program;
}

}  // namespace rff::instrument::builtin
