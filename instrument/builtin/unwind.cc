#include "instrument/builtin/unwind.h"

#include <algorithm>
#include <cstring>

#include "instrument/builtin/exception_copy.h"
#include "instrument/builtin/frame_program.h"
#include "instrument/builtin/frame_writer.h"
#include "instrument/builtin/stub_frames.h"

namespace rff::instrument::builtin {

namespace {

constexpr std::uint8_t kPcRelative4 = 0x1b;  // DW_EH_PE_pcrel | sdata4

template <typename T>
void Put(std::vector<std::uint8_t>& out, T value) {
  const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
  out.insert(out.end(), raw, raw + sizeof(T));
}

template <typename T>
void Overwrite(std::vector<std::uint8_t>& out, std::size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof(T));
}

class Builder {
 public:
  Builder(const UnwindInput& input, std::uint64_t address)
      : in_(input), eh_(input.program.eh_frame()), address_(address) {}

  UnwindTables Run() {
    UnwindTables tables;
    if (!MoveOldFrames()) {
      return tables;
    }
    for (std::uint32_t f = 0; f < in_.program.functions().size(); ++f) {
      const Function& function = in_.program.functions()[f];
      if (in_.copied[f] && function.frame != kNone32) {
        AddCopy(function);
      }
    }
    AddStubs();
    AddThunks();
    Put(bytes_, std::uint32_t{0});  // the end of .eh_frame
    tables.frames_size = bytes_.size();
    while (bytes_.size() % 8 != 0) {
      bytes_.push_back(0);
    }
    tables.header_offset = bytes_.size();
    AddHeader();
    tables.header_size = bytes_.size() - tables.header_offset;
    AddExceptionTables();
    tables.bytes = std::move(bytes_);
    return tables;
  }

 private:
  struct LsdaPointer {
    std::size_t at;  // in bytes_
    const Function* function;
  };
  struct Row {
    std::uint64_t begin;
    std::uint64_t frame;
  };

  std::uint64_t here() const { return address_ + bytes_.size(); }

  // Distances inside .eh_frame stay; those from it to the rest of the module grow by how far it
  // moves.
  bool Rebase(std::uint64_t field, std::uint8_t encoding, bool zero_is_null) {
    if ((encoding & 0x70) == 0) {
      return true;  // absolute
    }
    if ((encoding & 0x7f) != kPcRelative4) {
      return false;
    }
    std::size_t at = field - eh_.address;
    std::int32_t value;
    std::memcpy(&value, bytes_.data() + at, 4);
    if (value == 0 && zero_is_null) {
      return true;
    }
    std::int64_t moved = std::int64_t{value} - static_cast<std::int64_t>(address_ - eh_.address);
    if (moved != static_cast<std::int32_t>(moved)) {
      return false;
    }
    Overwrite(bytes_, at, static_cast<std::int32_t>(moved));
    return true;
  }

  bool MoveOldFrames() {
    auto old = in_.program.file().At(eh_.address);
    if (eh_.size == 0 || old.size() < eh_.size) {
      return false;
    }
    bytes_.assign(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(eh_.size));
    for (const CommonInfo& common : eh_.commons) {
      if (common.pointer_encoding != kPcRelative4 ||
          (common.personality_at != 0 &&
           !Rebase(common.personality_at, common.personality_encoding, false))) {
        return false;
      }
    }
    for (const FrameInfo& frame : eh_.frames) {
      const CommonInfo& common = eh_.commons[frame.common];
      if (!Rebase(frame.address + 8, common.pointer_encoding, false) ||
          (frame.lsda_at != 0 && !Rebase(frame.lsda_at, common.lsda_encoding, true))) {
        return false;
      }
      rows_.push_back({frame.begin, address_ + (frame.address - eh_.address)});
    }
    return true;
  }

  // One FDE: header, augmentation data, instructions, padding. Returns where the augmentation data
  // is.
  std::size_t AddFrame(std::uint64_t common, std::uint64_t begin, std::uint64_t end,
                       std::size_t augmentation_bytes,
                       const std::vector<std::uint8_t>& instructions, bool augmented) {
    rows_.push_back({begin, here()});
    std::size_t start = bytes_.size();
    Put(bytes_, std::uint32_t{0});
    Put(bytes_, static_cast<std::uint32_t>(here() - common));
    Put(bytes_, static_cast<std::int32_t>(static_cast<std::int64_t>(begin - here())));
    Put(bytes_, static_cast<std::uint32_t>(end - begin));
    if (augmented) {
      AppendUleb(bytes_, augmentation_bytes);
    }
    std::size_t augmentation = bytes_.size();
    if (augmented) {
      bytes_.insert(bytes_.end(), augmentation_bytes, 0);
    }
    bytes_.insert(bytes_.end(), instructions.begin(), instructions.end());
    Close(start);
    return augmentation;
  }

  void Close(std::size_t start) {
    while ((bytes_.size() - start) % 8 != 4) {
      bytes_.push_back(0);  // DW_CFA_nop
    }
    Overwrite(bytes_, start, static_cast<std::uint32_t>(bytes_.size() - start - 4));
  }

  void AddCopy(const Function& function) {
    const FrameInfo& frame = eh_.frames[function.frame];
    const CommonInfo& common = eh_.commons[frame.common];
    auto program = ReadFrameProgram(in_.program.file(), common, frame);
    if (!program) {
      return;
    }
    const auto& placements = in_.copies.placements;
    std::uint64_t begin = placements[function.first].hook;
    FrameWriter writer(begin);
    std::size_t step = 0;
    bool on_rsp = program->cfa_on_rsp;
    std::uint64_t offset = program->cfa_offset;
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      const Instruction& in = in_.program.instructions()[i];
      for (; step < program->steps.size() && program->steps[step].at <= in.address; ++step) {
        const FrameStep& change = program->steps[step];
        writer.MoveTo(placements[i].hook);
        writer.Raw(change.bytes.data(), change.bytes.size());
        on_rsp = change.cfa_on_rsp;
        offset = change.cfa_offset;
      }
      if (on_rsp && placements[i].copy != placements[i].hook) {
        std::uint32_t number = in_.plan.NumberOf(in.site);
        AddInlineRows(in_.copies.shapes[number], placements[i], offset, writer);
      }
    }
    std::size_t augmentation = frame.lsda_at == 0 ? 0 : LsdaPointerSize(common);
    std::size_t at = AddFrame(address_ + (common.address - eh_.address), begin, CopyEnd(function),
                              augmentation, writer.bytes(), common.augmented);
    if (frame.lsda != 0) {
      lsda_pointers_.push_back({at, &function});
    }
  }

  static std::size_t LsdaPointerSize(const CommonInfo& common) {
    std::uint8_t format = common.lsda_encoding & 0x0f;
    return format == 0x0b || format == 0x03 ? 4 : 8;
  }

  // The pointers to them have been left zero so far, which means that there is none.
  void AddExceptionTables() {
    for (const LsdaPointer& pointer : lsda_pointers_) {
      const Function& function = *pointer.function;
      const FrameInfo& frame = eh_.frames[function.frame];
      const CommonInfo& common = eh_.commons[frame.common];
      auto table = ReadExceptionTable(in_.program.file(), frame);
      bool relative = (common.lsda_encoding & 0x70) == 0x10;
      if (!table || (!relative && in_.program.file().position_independent())) {
        continue;
      }
      while (bytes_.size() % 4 != 0) {
        bytes_.push_back(0);
      }
      std::uint64_t value = relative ? here() - (address_ + pointer.at) : here();
      CopiedRange range{in_.copies.placements[function.first].hook,
                        [&](std::uint64_t old) { return CopyOf(function, old); }};
      std::vector<std::uint8_t> copy =
          CopyExceptionTable(in_.program.file(), *table, range, here());
      if (copy.empty()) {
        continue;
      }
      std::memcpy(bytes_.data() + pointer.at, &value, LsdaPointerSize(common));
      bytes_.insert(bytes_.end(), copy.begin(), copy.end());
    }
  }

  std::uint64_t CopyOf(const Function& function, std::uint64_t old) const {
    const auto& instructions = in_.program.instructions();
    auto first = instructions.begin() + function.first;
    auto last = first + function.count;
    auto found = std::lower_bound(
        first, last, old, [](const Instruction& in, std::uint64_t at) { return in.address < at; });
    return found == last
               ? CopyEnd(function)
               : in_.copies.placements[static_cast<std::size_t>(found - instructions.begin())].hook;
  }

  std::uint64_t CopyEnd(const Function& function) const {
    // The copy of the last instruction plus what may follow it; the next copy begins 16-byte
    // aligned.
    std::uint64_t last = in_.copies.placements[function.first + function.count - 1].copy;
    auto next = std::upper_bound(in_.copies.starts.begin(), in_.copies.starts.end(), last);
    return *next;
  }

  static void AddInlineRows(const InlineShape& shape, const Placement& placement,
                            std::uint64_t offset, FrameWriter& writer) {
    writer.MoveTo(placement.hook + shape.lowered_at);
    writer.DefineCfaOffset(offset + shape.lowered_by);
    writer.MoveTo(placement.hook + shape.rdi_pushed_at);
    writer.DefineCfaOffset(offset + shape.lowered_by + 8);
    writer.MoveTo(placement.hook + shape.rsi_pushed_at);
    writer.DefineCfaOffset(offset + shape.lowered_by + 16);
    writer.MoveTo(placement.copy);
    writer.DefineCfaOffset(offset);
  }

  // A CIE for code of ours: CFA = rsp + 8, return address below it.
  std::uint64_t AddCommon(bool signal_frame) {
    std::uint64_t start_address = here();
    std::size_t start = bytes_.size();
    Put(bytes_, std::uint32_t{0});
    Put(bytes_, std::uint32_t{0});
    bytes_.push_back(1);
    for (char c : std::string(signal_frame ? "zRS" : "zR")) {
      bytes_.push_back(static_cast<std::uint8_t>(c));
    }
    bytes_.push_back(0);
    bytes_.push_back(1);     // code alignment
    bytes_.push_back(0x78);  // data alignment -8
    bytes_.push_back(kDwarfReturn);
    bytes_.push_back(1);
    bytes_.push_back(kPcRelative4);
    FrameWriter writer(0);
    writer.DefineCfa(kDwarfRsp, 8);
    writer.SavedBelowCfa(kDwarfReturn, 8);
    bytes_.insert(bytes_.end(), writer.bytes().begin(), writer.bytes().end());
    Close(start);
    return start_address;
  }

  void AddStubs() {
    std::uint64_t common = AddCommon(true);
    for (const AccessStubFrame& stub : in_.stubs.access_frames) {
      AddFrame(common, stub.begin, stub.end, 0, StubFrameProgram(stub, in_.module), true);
    }
    for (const ComplexStubFrame& stub : in_.stubs.complex_frames) {
      AddFrame(common, stub.begin, stub.end, 0, StubFrameProgram(stub, in_.module), true);
    }
  }

  // A thunk stands between a call and its target, with nothing of its own on the stack.
  void AddThunks() {
    if (in_.copies.thunks.empty()) {
      return;
    }
    std::uint64_t common = AddCommon(false);
    for (const Thunk& thunk : in_.copies.thunks) {
      std::uint64_t offset = 8;
      const Instruction& in = in_.program.instructions()[thunk.instruction];
      std::uint32_t number = in_.plan.NumberOf(in.site);
      FrameWriter writer(thunk.address);
      AddInlineRows(in_.copies.shapes[number],
                    {thunk.address, in_.plan.records()[number].copy_address}, offset, writer);
      AddFrame(common, thunk.address, thunk.end, 0, writer.bytes(), true);
    }
  }

  void AddHeader() {
    std::sort(rows_.begin(), rows_.end(),
              [](const Row& a, const Row& b) { return a.begin < b.begin; });
    std::uint64_t header = here();
    bytes_.push_back(1);
    bytes_.push_back(kPcRelative4);  // pointer to .eh_frame
    bytes_.push_back(0x03);          // count: udata4
    bytes_.push_back(0x3b);          // table: distances from here, sdata4
    Put(bytes_, static_cast<std::int32_t>(static_cast<std::int64_t>(address_ - here())));
    Put(bytes_, static_cast<std::uint32_t>(rows_.size()));
    for (const Row& row : rows_) {
      Put(bytes_, static_cast<std::int32_t>(static_cast<std::int64_t>(row.begin - header)));
      Put(bytes_, static_cast<std::int32_t>(static_cast<std::int64_t>(row.frame - header)));
    }
  }

  const UnwindInput& in_;
  const EhFrame& eh_;
  std::uint64_t address_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Row> rows_;
  std::vector<LsdaPointer> lsda_pointers_;
};

}  // namespace

UnwindTables BuildUnwindTables(const UnwindInput& input, std::uint64_t address) {
  return Builder(input, address).Run();
}

}  // namespace rff::instrument::builtin
