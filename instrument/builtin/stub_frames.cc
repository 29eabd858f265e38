#include "instrument/builtin/stub_frames.h"

#include <cstddef>

#include "instrument/builtin/frame_writer.h"
#include "instrument/builtin/inline_hook.h"
#include "schedule/hook.h"

namespace rff::instrument::builtin {

namespace {

// Builds a DWARF expression for the original address of a site: sites[number].address + load bias.
class SiteAddress {
 public:
  // Starts from the stub's return address, at CFA - moved. Before that address lie the distance of
  // the call, which reveals the stub's load address, and the site's number.
  static std::vector<std::uint8_t> from_call(const AccessStubFrame& stub,
                                             const ModuleAddresses& module) {
    SiteAddress e;  // the unwinder has pushed the CFA
    e.constant(0 - static_cast<std::uint64_t>(stub.moved));
    e.ops({kPlus, kDeref});
    e.ops({kDup, kDup, kConst1u, kDistanceBeforeReturn, kMinus, kDerefSize, 4});
    e.ops({kConst1u, 32, kShl, kConst1u, 32, kShra, kPlus});  // the stub's address
    e.constant(0 - stub.begin);
    e.ops({kPlus, kSwap});  // bias, return address
    // Records begin with the address; the number is shifted by the logarithm of their size.
    static_assert(sizeof(hook::BranchRecord) == 16 && offsetof(hook::BranchRecord, address) == 0);
    const std::uint8_t shift = stub.of_branch ? kLit4 : kLit5;
    e.ops({kConst1u, kNumberBeforeReturn, kMinus, kDerefSize, 4, shift, kShl, kOver, kPlus});
    e.constant(stub.of_branch ? module.branches : module.sites);
    e.ops({kPlus, kDeref, kPlus});
    return e.bytes_;
  }

  // Starts from the words that the stub has saved behind HookRegisters.
  static std::vector<std::uint8_t> from_saved(const ModuleAddresses& module) {
    SiteAddress e;
    e.saved(kSavedSlots);
    e.constant(0 - module.slots);
    e.ops({kPlus});  // bias
    e.saved(kSavedSite);
    e.constant(0xffffffff);
    e.ops({kAnd, kLit5, kShl, kOver, kPlus});
    e.constant(module.sites);
    e.ops({kPlus, kDeref, kPlus});
    return e.bytes_;
  }

 private:
  static constexpr std::uint8_t kDeref = 0x06, kConst1u = 0x08, kConst8u = 0x0e, kDup = 0x12,
                                kOver = 0x14, kSwap = 0x16, kAnd = 0x1a, kMinus = 0x1c,
                                kPlus = 0x22, kShl = 0x24, kShra = 0x26, kLit4 = 0x34, kLit5 = 0x35,
                                kBregRsp = 0x77, kDerefSize = 0x94;
  static_assert(sizeof(hook::SiteRecord) == 32 && offsetof(hook::SiteRecord, address) == 0);

  void ops(std::initializer_list<std::uint8_t> ops) { bytes_.insert(bytes_.end(), ops); }
  void constant(std::uint64_t value) {
    bytes_.push_back(kConst8u);
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(value));
  }
  void saved(std::int32_t offset) {
    bytes_.push_back(kBregRsp);
    append_sleb(bytes_, offset);
    bytes_.push_back(kDeref);
  }

  std::vector<std::uint8_t> bytes_;
};

void saved_by_inline_code(FrameWriter& writer, std::uint64_t moved) {
  writer.saved_below_cfa(kDwarfNumber[kRsi], moved - 8);
  writer.saved_below_cfa(kDwarfNumber[kRdi], moved - 16);
}

}  // namespace

std::vector<std::uint8_t> stub_frame_program(const AccessStubFrame& stub,
                                             const ModuleAddresses& module) {
  FrameWriter writer(stub.begin);
  auto moved = static_cast<std::uint64_t>(stub.moved);
  writer.define_cfa(kDwarfRsp, moved);
  writer.value_of(kDwarfReturn, SiteAddress::from_call(stub, module));
  saved_by_inline_code(writer, moved);
  writer.move_to(stub.rcx_pushed);
  writer.define_cfa_offset(moved + 8);
  writer.saved_below_cfa(kDwarfNumber[kRcx], moved + 8);
  if (stub.second_pushed != 0) {
    writer.move_to(stub.second_pushed);
    writer.define_cfa_offset(moved + 16);
    writer.saved_below_cfa(kDwarfNumber[stub.second], moved + 16);
    writer.move_to(stub.second_popped);
    writer.define_cfa_offset(moved + 8);
    writer.same_value(kDwarfNumber[stub.second]);
  }
  writer.move_to(stub.rcx_popped);
  writer.define_cfa_offset(moved);
  writer.same_value(kDwarfNumber[kRcx]);
  return writer.bytes();
}

std::vector<std::uint8_t> stub_frame_program(const ComplexStubFrame& stub,
                                             const ModuleAddresses& module) {
  FrameWriter writer(stub.begin);
  auto moved = static_cast<std::uint64_t>(stub.moved);
  writer.define_cfa(kDwarfRsp, moved);
  writer.saved_below_cfa(kDwarfReturn, moved);
  saved_by_inline_code(writer, moved);
  for (const StubRow& row : stub.before) {
    writer.move_to(row.at);
    writer.define_cfa_offset(static_cast<std::uint64_t>(row.moved));
  }
  writer.remember_state();
  writer.move_to(stub.by_rdx);
  writer.saved_below_cfa(kDwarfNumber[kRcx], moved + 8);
  writer.saved_below_cfa(kDwarfNumber[kRdx], moved + 24);
  writer.define_cfa(kDwarfNumber[kRdx], 0);
  writer.move_to(stub.framed);
  writer.define_cfa_saved_at(8 * kRsp);
  writer.value_of(kDwarfReturn, SiteAddress::from_saved(module));
  for (int reg = 0; reg < 16; ++reg) {
    if (reg != kRsp) {
      writer.saved_above_rsp(kDwarfNumber[reg], 8 * reg);
    }
  }
  writer.move_to(stub.after.front().at);
  writer.restore_state();
  for (const StubRow& row : stub.after) {
    writer.move_to(row.at);
    writer.define_cfa(kDwarfRsp, static_cast<std::uint64_t>(row.moved));
  }
  return writer.bytes();
}

}  // namespace rff::instrument::builtin
