#include "instrument/builtin/stub_frames.h"

#include <cstddef>

#include "instrument/builtin/frame_writer.h"
#include "instrument/builtin/inline_hook.h"
#include "schedule/hook.h"

namespace rff::instrument::builtin {

namespace {

// A DWARF expression for the original address of a site: sites[number].address + load bias.
class SiteAddress {
 public:
  // From the stub's return address, at CFA - moved. Before it lie the end of the call, its
  // distance, which tells where the stub has been loaded, and the site's number.
  static std::vector<std::uint8_t> FromCall(const AccessStubFrame& stub,
                                            const ModuleAddresses& module) {
    SiteAddress e;  // the unwinder has pushed the CFA
    e.Constant(0 - static_cast<std::uint64_t>(stub.moved));
    e.Ops({kPlus, kDeref});
    e.Ops({kDup, kDup, kConst1u, kDistanceBeforeReturn, kMinus, kDerefSize, 4});
    e.Ops({kConst1u, 32, kShl, kConst1u, 32, kShra, kPlus});  // the stub's address
    e.Constant(0 - stub.begin);
    e.Ops({kPlus, kSwap});  // bias, return address
    e.Ops({kConst1u, kNumberBeforeReturn, kMinus, kDerefSize, 4, kLit5, kShl, kOver, kPlus});
    e.Constant(module.sites);
    e.Ops({kPlus, kDeref, kPlus});
    return e.bytes_;
  }

  // From what the stub has saved behind HookRegisters.
  static std::vector<std::uint8_t> FromSaved(const ModuleAddresses& module) {
    SiteAddress e;
    e.Saved(kSavedSlots);
    e.Constant(0 - module.slots);
    e.Ops({kPlus});  // bias
    e.Saved(kSavedSite);
    e.Constant(0xffffffff);
    e.Ops({kAnd, kLit5, kShl, kOver, kPlus});
    e.Constant(module.sites);
    e.Ops({kPlus, kDeref, kPlus});
    return e.bytes_;
  }

 private:
  static constexpr std::uint8_t kDeref = 0x06, kConst1u = 0x08, kConst8u = 0x0e, kDup = 0x12,
                                kOver = 0x14, kSwap = 0x16, kAnd = 0x1a, kMinus = 0x1c,
                                kPlus = 0x22, kShl = 0x24, kShra = 0x26, kLit5 = 0x35,
                                kBregRsp = 0x77, kDerefSize = 0x94;
  static_assert(sizeof(hook::SiteRecord) == 32 && offsetof(hook::SiteRecord, address) == 0);

  void Ops(std::initializer_list<std::uint8_t> ops) { bytes_.insert(bytes_.end(), ops); }
  void Constant(std::uint64_t value) {
    bytes_.push_back(kConst8u);
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(value));
  }
  void Saved(std::int32_t offset) {
    bytes_.push_back(kBregRsp);
    AppendSleb(bytes_, offset);
    bytes_.push_back(kDeref);
  }

  std::vector<std::uint8_t> bytes_;
};

void SavedByInlineCode(FrameWriter& writer, std::uint64_t moved) {
  writer.SavedBelowCfa(kDwarfNumber[kRsi], moved - 8);
  writer.SavedBelowCfa(kDwarfNumber[kRdi], moved - 16);
}

}  // namespace

std::vector<std::uint8_t> StubFrameProgram(const AccessStubFrame& stub,
                                           const ModuleAddresses& module) {
  FrameWriter writer(stub.begin);
  auto moved = static_cast<std::uint64_t>(stub.moved);
  writer.DefineCfa(kDwarfRsp, moved);
  writer.ValueOf(kDwarfReturn, SiteAddress::FromCall(stub, module));
  SavedByInlineCode(writer, moved);
  writer.MoveTo(stub.rcx_pushed);
  writer.DefineCfaOffset(moved + 8);
  writer.SavedBelowCfa(kDwarfNumber[kRcx], moved + 8);
  if (stub.rax_pushed != 0) {
    writer.MoveTo(stub.rax_pushed);
    writer.DefineCfaOffset(moved + 16);
    writer.SavedBelowCfa(kDwarfNumber[kRax], moved + 16);
    writer.MoveTo(stub.rax_popped);
    writer.DefineCfaOffset(moved + 8);
    writer.SameValue(kDwarfNumber[kRax]);
  }
  writer.MoveTo(stub.rcx_popped);
  writer.DefineCfaOffset(moved);
  writer.SameValue(kDwarfNumber[kRcx]);
  return writer.bytes();
}

std::vector<std::uint8_t> StubFrameProgram(const ComplexStubFrame& stub,
                                           const ModuleAddresses& module) {
  FrameWriter writer(stub.begin);
  auto moved = static_cast<std::uint64_t>(stub.moved);
  writer.DefineCfa(kDwarfRsp, moved);
  writer.SavedBelowCfa(kDwarfReturn, moved);
  SavedByInlineCode(writer, moved);
  for (const StubRow& row : stub.before) {
    writer.MoveTo(row.at);
    writer.DefineCfaOffset(static_cast<std::uint64_t>(row.moved));
  }
  writer.RememberState();
  writer.MoveTo(stub.by_rdx);
  writer.SavedBelowCfa(kDwarfNumber[kRcx], moved + 8);
  writer.SavedBelowCfa(kDwarfNumber[kRdx], moved + 24);
  writer.DefineCfa(kDwarfNumber[kRdx], 0);
  writer.MoveTo(stub.framed);
  writer.DefineCfaSavedAt(8 * kRsp);
  writer.ValueOf(kDwarfReturn, SiteAddress::FromSaved(module));
  for (int reg = 0; reg < 16; ++reg) {
    if (reg != kRsp) {
      writer.SavedAboveRsp(kDwarfNumber[reg], 8 * reg);
    }
  }
  writer.MoveTo(stub.after.front().at);
  writer.RestoreState();
  for (const StubRow& row : stub.after) {
    writer.MoveTo(row.at);
    writer.DefineCfa(kDwarfRsp, static_cast<std::uint64_t>(row.moved));
  }
  return writer.bytes();
}

}  // namespace rff::instrument::builtin
