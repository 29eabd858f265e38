#include "instrument/builtin/stub_frames.h"

#include <cstddef>

#include "instrument/builtin/frame_writer.h"
#include "schedule/hook.h"

namespace rff::instrument::builtin {

namespace {

// The original address of the site: sites[number].address + load bias, both found from the
// address of the slots that the stub has saved above the site's number.
std::vector<std::uint8_t> SiteAddress(const StubFrame& stub, const ModuleAddresses& module) {
  constexpr std::uint8_t kBregRsp = 0x77, kDeref = 0x06, kDerefSize = 0x94, kLit5 = 0x35,
                         kShl = 0x24, kPlus = 0x22, kConst8s = 0x0f;
  static_assert(sizeof(hook::SiteRecord) == 32 && offsetof(hook::SiteRecord, address) == 0);
  std::vector<std::uint8_t> e;
  auto load_slots = [&] {
    e.push_back(kBregRsp);
    AppendSleb(e, stub.site_offset + 8);
    e.push_back(kDeref);
  };
  auto add = [&](std::uint64_t value) {
    e.push_back(kConst8s);
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
    e.insert(e.end(), raw, raw + sizeof(value));
    e.push_back(kPlus);
  };
  e.push_back(kBregRsp);
  AppendSleb(e, stub.site_offset);
  e.push_back(kDerefSize);
  e.push_back(4);
  e.push_back(kLit5);
  e.push_back(kShl);
  load_slots();
  e.push_back(kPlus);
  add(module.sites - module.slots);
  e.push_back(kDeref);
  load_slots();
  e.push_back(kPlus);
  add(0 - module.slots);
  return e;
}

void WriteFramed(const StubFrame& stub, const ModuleAddresses& module, FrameWriter& writer) {
  writer.DefineCfaSavedAt(stub.s_offset);
  writer.ValueOf(kDwarfReturn, SiteAddress(stub, module));
  if (stub.full) {
    for (int reg = 0; reg < 16; ++reg) {
      if (reg != kRsp) {
        writer.SavedAboveRsp(kDwarfNumber[reg], 8 * reg);
      }
    }
    return;
  }
  constexpr Reg kOrder[] = {kRax, kRcx, kRdx, kRsi, kRdi, kR8, kR9, kR10, kR11};
  std::int32_t offset = offsetof(hook::HookFrame, rax);
  for (Reg reg : kOrder) {
    writer.SavedAboveRsp(kDwarfNumber[reg], offset);
    offset += 8;
  }
}

}  // namespace

std::vector<std::uint8_t> StubFrameProgram(const StubFrame& stub, const ModuleAddresses& module) {
  FrameWriter writer(stub.begin);
  std::uint64_t base = static_cast<std::uint64_t>(stub.moved);
  // Below what was pushed before the return address: rdi and rsi.
  writer.DefineCfa(kDwarfRsp, base);
  writer.SavedBelowCfa(kDwarfReturn, base);
  writer.SavedBelowCfa(kDwarfNumber[kRsi], base - 8);
  writer.SavedBelowCfa(kDwarfNumber[kRdi], base - 16);
  for (const StubRow& row : stub.before) {
    writer.MoveTo(row.at);
    writer.DefineCfaOffset(static_cast<std::uint64_t>(row.moved));
  }
  writer.RememberState();
  writer.MoveTo(stub.by_rdx);
  writer.SavedBelowCfa(kDwarfNumber[kRcx], base + 8);
  writer.SavedBelowCfa(kDwarfNumber[kRdx], base + 24);
  writer.DefineCfa(kDwarfNumber[kRdx], 0);
  writer.MoveTo(stub.framed);
  WriteFramed(stub, module, writer);
  writer.MoveTo(stub.after.front().at);
  writer.RestoreState();
  writer.RememberState();
  for (const StubRow& row : stub.after) {
    writer.MoveTo(row.at);
    writer.DefineCfa(kDwarfRsp, static_cast<std::uint64_t>(row.moved));
  }
  if (stub.framed_again != 0) {
    writer.MoveTo(stub.framed_again);
    WriteFramed(stub, module, writer);
  }
  return writer.bytes();
}

}  // namespace rff::instrument::builtin
