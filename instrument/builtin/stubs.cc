#include "instrument/builtin/stubs.h"

#include <cstddef>

#include "schedule/hook.h"

namespace rff::instrument::builtin {

namespace {

using hook::HookRegisters;
using hook::HookSlots;
using hook::SiteRecord;

std::int32_t FrameOffset(std::size_t offset) { return static_cast<std::int32_t>(offset); }

// jrcxz to code already emitted.
void JumpBackIfZero(CodeBuffer& code, std::uint64_t target) {
  auto distance = static_cast<std::int64_t>(target - (code.here() + 2));
  RFF_CHECK(distance >= -128);
  code.Bytes({0xe3, static_cast<std::uint8_t>(distance)});
}

// A conditional short jump (`opcode`) to code that follows; returns where its distance goes.
std::size_t JumpAhead(CodeBuffer& code, std::uint8_t opcode) {
  code.Bytes({opcode, 0x00});
  return code.size() - 1;
}

void LandHere(CodeBuffer& code, std::size_t distance_at) {
  std::size_t distance = code.size() - distance_at - 1;
  RFF_CHECK(distance < 128);
  code.Overwrite(distance_at, static_cast<std::uint8_t>(distance));
}

// ret imm16: returns and drops what the inline code put on the stack, so that rsp = S.
void ReturnToSite(CodeBuffer& code, std::int32_t moved) {
  code.Bytes({0xc2});
  code.Value(static_cast<std::uint16_t>(moved - 8));
}

// sub rsp, size; and rsp, -16
void ReserveAligned(CodeBuffer& code, std::int32_t size) {
  code.Bytes({0x48, 0x81, 0xec});
  code.Value(size);
  code.Bytes({0x48, 0x83, 0xe4, 0xf0});
}

// The way out when the slot is empty: undo the inline code. rcx has been pushed.
std::uint64_t EmitSkip(CodeBuffer& code, std::int32_t moved) {
  std::uint64_t begin = code.here();
  code.Pop(kRcx);
  code.Load(kRdi, kRsp, 16);
  code.Load(kRsi, kRsp, 8);
  ReturnToSite(code, moved);
  return begin;
}

// The flags but DF wait in ax: lahf and sahf have all but OF, and adding 127 to a byte that is 0 or
// 1 sets that one. pushfq and popfq would cost ten times as much.
void FlagsToRax(CodeBuffer& code) {
  code.Bytes({0x9f});              // lahf
  code.Bytes({0x0f, 0x90, 0xc0});  // seto al
}
void FlagsFromRax(CodeBuffer& code) {
  code.Bytes({0x04, 0x7f});  // add al, 127
  code.Bytes({0x9e});        // sahf
}

enum class Flags { kKeep, kDead };

// `above` is how much lies between S and what the inline code left.
std::uint64_t EmitAccessStub(CodeBuffer& code, const ModuleAddresses& module, std::int32_t above,
                             Flags flags, Stubs& stubs) {
  constexpr std::int32_t kMoved = kRedZone + 24;  // rdi, rsi, return address
  AccessStubFrame frame{};
  frame.begin = code.here();
  frame.moved = kMoved + above;
  code.Push(kRcx);
  frame.rcx_pushed = code.here();
  code.LoadFrom(kRcx, module.slots + offsetof(HookSlots, access));
  std::size_t empty = JumpAhead(code, 0xe3);  // jrcxz
  if (flags == Flags::kKeep) {
    code.Push(kRax);
    frame.rax_pushed = code.here();
    FlagsToRax(code);
  }
  static_assert(offsetof(hook::AccessHook, enter) == 0);
  code.Bytes({0xff, 0x11});  // call [rcx]
  if (flags == Flags::kKeep) {
    FlagsFromRax(code);
    code.Pop(kRax);
    frame.rax_popped = code.here();
  }
  LandHere(code, empty);
  code.Pop(kRcx);
  frame.rcx_popped = code.here();
  code.Load(kRdi, kRsp, 16);
  code.Load(kRsi, kRsp, 8);
  ReturnToSite(code, kMoved);
  frame.end = code.here();
  stubs.access_frames.push_back(frame);
  return frame.begin;
}

// Pushes rcx, the flags and rdx, then leaves S in rdx and the hook in rcx. Goes to `skip` if there
// is no hook.
void EmitEntry(CodeBuffer& code, const ModuleAddresses& module, std::uint64_t skip,
               ComplexStubFrame& frame) {
  const std::int32_t moved = frame.moved;
  code.Push(kRcx);  // S - moved - 8
  frame.before.push_back({code.here(), moved + 8});
  code.LoadFrom(kRcx, module.slots + offsetof(HookSlots, complex));
  JumpBackIfZero(code, skip);
  code.Bytes({0x9c});  // pushfq: S - moved - 16
  frame.before.push_back({code.here(), moved + 16});
  code.Push(kRdx);  // S - moved - 24
  frame.before.push_back({code.here(), moved + 24});
  code.Lea(kRdx, kRsp, moved + 24);
  frame.by_rdx = code.here();
}

// Fills HookRegisters at rsp. The hook moves from rcx to rbx.
void EmitSaveRegisters(CodeBuffer& code, const ModuleAddresses& module, ComplexStubFrame& frame) {
  constexpr Reg kPlain[] = {kRax, kRbx, kRbp, kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15};
  const std::int32_t moved = frame.moved;
  ReserveAligned(code, sizeof(HookRegisters) + 16);
  for (Reg reg : kPlain) {
    code.Store(kRsp, 8 * reg, reg);
  }
  code.Store(kRsp, 8 * kRsp, kRdx);
  code.Store(kRsp, offsetof(HookRegisters, rip_relative), kRdi);
  code.Store(kRsp, kSavedSite, kRsi);
  code.Bytes({0x48, 0x89, 0xcb});  // mov rbx, rcx: the hook
  auto move = [&](std::int32_t from, std::size_t to) {
    code.Load(kRax, kRdx, from);
    code.Store(kRsp, FrameOffset(to), kRax);
  };
  move(-moved - 8, 8 * kRcx);
  move(-moved - 24, 8 * kRdx);
  move(-moved + 8, 8 * kRsi);
  move(-moved + 16, 8 * kRdi);
  move(-moved - 16, offsetof(HookRegisters, rflags));
  code.LeaOf(kRax, module.slots);
  code.Store(kRsp, kSavedSlots, kRax);
  frame.framed = code.here();
}

// Copies the vector registers into HookRegisters and calls the hook in rbx; S is in rdx afterwards.
void EmitCallHook(CodeBuffer& code, const ModuleAddresses& module, std::int32_t area) {
  code.Bytes({0xfc});  // cld
  if (area != 0) {
    code.Lea(kRsi, kRdx, -kRedZone - area);
    code.Lea(kRdi, kRsp, offsetof(HookRegisters, index));
    code.Bytes({0xb9});  // mov ecx, words
    code.Value(area / 8);
    code.Bytes({0xf3, 0x48, 0xa5});  // rep movsq
    code.Load(kRsi, kRsp, kSavedSite);
  }
  code.Bytes({0x48, 0x89, 0xe7});  // mov rdi, rsp
  code.LeaOf(kRdx, module.slots);
  code.Bytes({0xff, 0xd3});  // call rbx
  code.Load(kRdx, kRsp, 8 * kRsp);
}

// Moves the return address past the instruction if eax says that the hook has done its work.
void EmitStepOver(CodeBuffer& code, const ModuleAddresses& module, std::int32_t moved) {
  // As every function keeps them, unless it has done the instruction's work.
  constexpr Reg kKeptByHook[] = {kRbp, kR12, kR13, kR14, kR15};
  code.Bytes({0x85, 0xc0});                     // test eax, eax
  std::size_t execute = JumpAhead(code, 0x74);  // jz
  code.Load(kRcx, kRsp, kSavedSite);
  code.Bytes({0x89, 0xc9});  // mov ecx, ecx
  static_assert(sizeof(SiteRecord) == 32);
  code.Bytes({0x48, 0xc1, 0xe1, 0x05});  // shl rcx, 5
  code.LeaOf(kRax, module.sites + offsetof(SiteRecord, length));
  code.Bytes({0x0f, 0xb6, 0x0c, 0x08});   // movzx ecx, byte [rax + rcx]
  code.Memory(0x01, kRcx, kRdx, -moved);  // add [return address], rcx
  for (Reg reg : kKeptByHook) {
    code.Load(reg, kRsp, 8 * reg);
  }
  LandHere(code, execute);
}

void EmitRestoreAndReturn(CodeBuffer& code, ComplexStubFrame& frame) {
  const std::int32_t moved = frame.moved;
  code.Load(kRax, kRsp, 8 * kRcx);
  code.Store(kRdx, -moved - 8, kRax);
  code.Bytes({0xff, 0xb4, 0x24});  // push [rsp + rflags]
  code.Value(static_cast<std::int32_t>(offsetof(HookRegisters, rflags)));
  code.Bytes({0x9d});  // popfq
  for (Reg reg : {kRax, kRbx, kRsi, kRdi, kR8, kR9, kR10, kR11}) {
    code.Load(reg, kRsp, 8 * reg);
  }
  code.Bytes({0x48, 0x89, 0xd1});  // mov rcx, rdx: S
  code.Load(kRdx, kRsp, 8 * kRdx);
  code.Lea(kRsp, kRcx, -moved - 8);
  frame.after.push_back({code.here(), moved + 8});
  code.Pop(kRcx);
  frame.after.push_back({code.here(), moved});
  ReturnToSite(code, moved);
  frame.end = code.here();
}

// Saves every register, lets the hook see and change them, and steps over the instruction if the
// hook has done its work. `area` is what the inline code left for vector registers.
std::uint64_t EmitComplexStub(CodeBuffer& code, const ModuleAddresses& module, std::int32_t area,
                              Stubs& stubs) {
  ComplexStubFrame frame{};
  frame.moved = kRedZone + area + 24;
  std::uint64_t skip = EmitSkip(code, frame.moved);
  frame.begin = code.here();
  EmitEntry(code, module, skip, frame);
  EmitSaveRegisters(code, module, frame);
  EmitCallHook(code, module, area);
  EmitStepOver(code, module, frame.moved);
  EmitRestoreAndReturn(code, frame);
  stubs.complex_frames.push_back(frame);
  return frame.begin;
}

}  // namespace

Stubs EmitStubs(CodeBuffer& code, const ModuleAddresses& module) {
  Stubs stubs;
  stubs.access = EmitAccessStub(code, module, 0, Flags::kKeep, stubs);
  stubs.access_flags_dead = EmitAccessStub(code, module, 0, Flags::kDead, stubs);
  stubs.access_in_thunk = EmitAccessStub(code, module, 8, Flags::kKeep, stubs);
  stubs.complex = EmitComplexStub(code, module, 0, stubs);
  stubs.vector = EmitComplexStub(code, module, kVectorArea, stubs);
  return stubs;
}

}  // namespace rff::instrument::builtin
