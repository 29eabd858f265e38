#include "instrument/builtin/unwind.h"

#include <algorithm>
#include <cstring>

#include "instrument/builtin/exception_copy.h"
#include "instrument/builtin/frame_writer.h"
#include "instrument/builtin/stub_frames.h"
#include "instrument/frame_program.h"

namespace rff::instrument::builtin {

namespace {

constexpr std::uint8_t kPcRelative4 = 0x1b;  // DW_EH_PE_pcrel | sdata4

template <typename T>
void put(std::vector<std::uint8_t>& out, T value) {
  const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
  out.insert(out.end(), raw, raw + sizeof(T));
}

template <typename T>
void overwrite(std::vector<std::uint8_t>& out, std::size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof(T));
}

class Builder {
 public:
  Builder(const UnwindInput& input, std::uint64_t address)
      : in_(input), eh_(input.program.eh_frame()), address_(address) {}

  UnwindTables run() {
    UnwindTables tables;
    if (!move_old_frames()) {
      return tables;
    }
    for (std::uint32_t f = 0; f < in_.program.functions().size(); ++f) {
      const Function& function = in_.program.functions()[f];
      if (in_.copied[f] && function.frame != kNone32) {
        add_copy(function);
      }
    }
    add_stubs();
    add_thunks();
    put(bytes_, std::uint32_t{0});  // the end of .eh_frame
    tables.frames_size = bytes_.size();
    while (bytes_.size() % 8 != 0) {
      bytes_.push_back(0);
    }
    tables.header_offset = bytes_.size();
    add_header();
    tables.header_size = bytes_.size() - tables.header_offset;
    add_exception_tables();
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

  // Distances inside .eh_frame stay the same; those to the rest of the module grow by how far
  // .eh_frame moves.
  bool rebase(std::uint64_t field, std::uint8_t encoding, bool zero_is_null) {
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
    overwrite(bytes_, at, static_cast<std::int32_t>(moved));
    return true;
  }

  bool move_old_frames() {
    auto old = in_.program.file().at(eh_.address);
    if (eh_.size == 0 || old.size() < eh_.size) {
      return false;
    }
    bytes_.assign(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(eh_.size));
    for (const CommonInfo& common : eh_.commons) {
      if (common.pointer_encoding != kPcRelative4 ||
          (common.personality_at != 0 &&
           !rebase(common.personality_at, common.personality_encoding, false))) {
        return false;
      }
    }
    for (const FrameInfo& frame : eh_.frames) {
      const CommonInfo& common = eh_.commons[frame.common];
      if (!rebase(frame.address + 8, common.pointer_encoding, false) ||
          (frame.lsda_at != 0 && !rebase(frame.lsda_at, common.lsda_encoding, true))) {
        return false;
      }
      rows_.push_back({frame.begin, address_ + (frame.address - eh_.address)});
    }
    return true;
  }

  // Adds one FDE: header, augmentation data, instructions, padding. Returns where the augmentation
  // data is.
  std::size_t add_frame(std::uint64_t common, std::uint64_t begin, std::uint64_t end,
                        std::size_t augmentation_bytes,
                        const std::vector<std::uint8_t>& instructions, bool augmented) {
    rows_.push_back({begin, here()});
    std::size_t start = bytes_.size();
    put(bytes_, std::uint32_t{0});
    put(bytes_, static_cast<std::uint32_t>(here() - common));
    put(bytes_, static_cast<std::int32_t>(static_cast<std::int64_t>(begin - here())));
    put(bytes_, static_cast<std::uint32_t>(end - begin));
    if (augmented) {
      append_uleb(bytes_, augmentation_bytes);
    }
    std::size_t augmentation = bytes_.size();
    if (augmented) {
      bytes_.insert(bytes_.end(), augmentation_bytes, 0);
    }
    bytes_.insert(bytes_.end(), instructions.begin(), instructions.end());
    close(start);
    return augmentation;
  }

  void close(std::size_t start) {
    while ((bytes_.size() - start) % 8 != 4) {
      bytes_.push_back(0);  // DW_CFA_nop
    }
    overwrite(bytes_, start, static_cast<std::uint32_t>(bytes_.size() - start - 4));
  }

  void add_copy(const Function& function) {
    const FrameInfo& frame = eh_.frames[function.frame];
    const CommonInfo& common = eh_.commons[frame.common];
    auto program = read_frame_program(in_.program.file(), common, frame);
    if (!program) {
      return;
    }
    const auto& placements = in_.copies.placements;
    std::uint64_t begin = placements[function.first].hook;
    FrameWriter writer(begin);
    std::size_t step = 0;
    Cfa cfa = program->cfa;
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      const Instruction& in = in_.program.instructions()[i];
      for (; step < program->steps.size() && program->steps[step].at <= in.address; ++step) {
        const FrameStep& change = program->steps[step];
        writer.move_to(placements[i].hook);
        writer.raw(change.bytes.data(), change.bytes.size());
        cfa = change.cfa;
      }
      if (cfa.base == Cfa::kRsp && placements[i].copy != placements[i].hook) {
        add_hooks(placements[i], static_cast<std::uint64_t>(cfa.offset), writer);
      }
    }
    std::size_t augmentation = frame.lsda_at == 0 ? 0 : lsda_pointer_size(common);
    std::size_t at = add_frame(address_ + (common.address - eh_.address), begin, copy_end(function),
                               augmentation, writer.bytes(), common.augmented);
    if (frame.lsda != 0) {
      lsda_pointers_.push_back({at, &function});
    }
  }

  static std::size_t lsda_pointer_size(const CommonInfo& common) {
    std::uint8_t format = common.lsda_encoding & 0x0f;
    return format == 0x0b || format == 0x03 ? 4 : 8;
  }

  // Sets the pointers to the tables, which have been zero so far: zero means no table.
  void add_exception_tables() {
    for (const LsdaPointer& pointer : lsda_pointers_) {
      const Function& function = *pointer.function;
      const FrameInfo& frame = eh_.frames[function.frame];
      const CommonInfo& common = eh_.commons[frame.common];
      auto table = read_exception_table(in_.program.file(), frame);
      bool relative = (common.lsda_encoding & 0x70) == 0x10;
      if (!table || (!relative && in_.program.file().position_independent())) {
        continue;
      }
      while (bytes_.size() % 4 != 0) {
        bytes_.push_back(0);
      }
      std::uint64_t value = relative ? here() - (address_ + pointer.at) : here();
      CopiedRange range{in_.copies.placements[function.first].hook,
                        [&](std::uint64_t old) { return copy_of(function, old); }};
      std::vector<std::uint8_t> copy =
          copy_exception_table(in_.program.file(), *table, range, here());
      if (copy.empty()) {
        continue;
      }
      std::memcpy(bytes_.data() + pointer.at, &value, lsda_pointer_size(common));
      bytes_.insert(bytes_.end(), copy.begin(), copy.end());
    }
  }

  std::uint64_t copy_of(const Function& function, std::uint64_t old) const {
    const auto& instructions = in_.program.instructions();
    auto first = instructions.begin() + function.first;
    auto last = first + function.count;
    auto found = std::lower_bound(
        first, last, old, [](const Instruction& in, std::uint64_t at) { return in.address < at; });
    return found == last
               ? copy_end(function)
               : in_.copies.placements[static_cast<std::size_t>(found - instructions.begin())].hook;
  }

  std::uint64_t copy_end(const Function& function) const {
    // The copy ends after its last instruction and what may follow it; the next copy begins 16-byte
    // aligned.
    std::uint64_t last = in_.copies.placements[function.first + function.count - 1].copy;
    auto next = std::upper_bound(in_.copies.starts.begin(), in_.copies.starts.end(), last);
    return *next;
  }

  void add_hooks(const Placement& placement, std::uint64_t offset, FrameWriter& writer) const {
    const std::vector<InlineCode>& hooks = in_.copies.hooks;
    auto hook =
        std::lower_bound(hooks.begin(), hooks.end(), placement.hook,
                         [](const InlineCode& h, std::uint64_t at) { return h.begin < at; });
    for (; hook != hooks.end() && hook->begin < placement.copy; ++hook) {
      add_inline_rows(*hook, offset, writer);
    }
  }

  static void add_inline_rows(const InlineCode& hook, std::uint64_t offset, FrameWriter& writer) {
    const InlineShape& shape = hook.shape;
    writer.move_to(hook.begin + shape.lowered_at);
    writer.define_cfa_offset(offset + shape.lowered_by);
    writer.move_to(hook.begin + shape.rdi_pushed_at);
    writer.define_cfa_offset(offset + shape.lowered_by + 8);
    writer.move_to(hook.begin + shape.rsi_pushed_at);
    writer.define_cfa_offset(offset + shape.lowered_by + 16);
    writer.move_to(hook.end);
    writer.define_cfa_offset(offset);
  }

  // Adds a CIE for generated code: CFA = rsp + 8, with the return address below it.
  std::uint64_t add_common(bool signal_frame) {
    std::uint64_t start_address = here();
    std::size_t start = bytes_.size();
    put(bytes_, std::uint32_t{0});
    put(bytes_, std::uint32_t{0});
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
    writer.define_cfa(kDwarfRsp, 8);
    writer.saved_below_cfa(kDwarfReturn, 8);
    bytes_.insert(bytes_.end(), writer.bytes().begin(), writer.bytes().end());
    close(start);
    return start_address;
  }

  void add_stubs() {
    std::uint64_t common = add_common(true);
    for (const AccessStubFrame& stub : in_.stubs.access_frames) {
      add_frame(common, stub.begin, stub.end, 0, stub_frame_program(stub, in_.module), true);
    }
    for (const ComplexStubFrame& stub : in_.stubs.complex_frames) {
      add_frame(common, stub.begin, stub.end, 0, stub_frame_program(stub, in_.module), true);
    }
    if (in_.joined.begin != in_.joined.end) {
      FrameWriter nowhere(in_.joined.begin);
      nowhere.undefined(kDwarfReturn);  // they keep nothing on the stack and never stop
      add_frame(common, in_.joined.begin, in_.joined.end, 0, nowhere.bytes(), true);
    }
  }

  // A thunk runs between a call and its target and keeps nothing on the stack.
  void add_thunks() {
    if (in_.copies.thunks.empty()) {
      return;
    }
    std::uint64_t common = add_common(false);
    for (const Thunk& thunk : in_.copies.thunks) {
      std::uint64_t offset = 8;
      FrameWriter writer(thunk.address);
      add_inline_rows(thunk.hook, offset, writer);
      add_frame(common, thunk.address, thunk.end, 0, writer.bytes(), true);
    }
  }

  void add_header() {
    std::sort(rows_.begin(), rows_.end(),
              [](const Row& a, const Row& b) { return a.begin < b.begin; });
    std::uint64_t header = here();
    bytes_.push_back(1);
    bytes_.push_back(kPcRelative4);  // pointer to .eh_frame
    bytes_.push_back(0x03);          // count: udata4
    bytes_.push_back(0x3b);          // table: distances from here, sdata4
    put(bytes_, static_cast<std::int32_t>(static_cast<std::int64_t>(address_ - here())));
    put(bytes_, static_cast<std::uint32_t>(rows_.size()));
    for (const Row& row : rows_) {
      put(bytes_, static_cast<std::int32_t>(static_cast<std::int64_t>(row.begin - header)));
      put(bytes_, static_cast<std::int32_t>(static_cast<std::int64_t>(row.frame - header)));
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

UnwindTables build_unwind_tables(const UnwindInput& input, std::uint64_t address) {
  return Builder(input, address).run();
}

}  // namespace rff::instrument::builtin
