#include "instrument/builtin/stubs.h"

#include <cstddef>

#include "schedule/hook.h"

namespace rff::instrument::builtin {

namespace {

using hook::HookFrame;
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

// Flags other than DF from the value in ecx, through eax: sahf leaves OF, and adding 127 to a byte
// that is 0 or 1 sets it. popfq would cost ten times as much.
void RestoreArithmeticFlags(CodeBuffer& code) {
  code.Bytes({0x89, 0xc8});        // mov eax, ecx
  code.Bytes({0xc1, 0xe8, 0x0b});  // shr eax, 11
  code.Bytes({0x83, 0xe0, 0x01});  // and eax, 1
  code.Bytes({0x04, 0x7f});        // add al, 127
  code.Bytes({0x88, 0xcc});        // mov ah, cl
  code.Bytes({0x9e});              // sahf
}

// `above` is how much lies between S and what the inline code left.
std::uint64_t EmitAccessStub(CodeBuffer& code, const ModuleAddresses& module, std::int32_t above,
                             Stubs& stubs) {
  constexpr std::int32_t kMoved = kRedZone + 24;  // rdi, rsi, return address
  constexpr std::int32_t kSiteOffset = sizeof(HookFrame);
  std::uint64_t skip = EmitSkip(code, kMoved);
  const std::uint64_t begin = code.here();
  StubFrame frame{};
  frame.begin = begin;
  frame.moved = kMoved + above;
  frame.s_offset = offsetof(HookFrame, rsp);
  frame.site_offset = kSiteOffset;
  code.Push(kRcx);  // S - kMoved - 8
  frame.before.push_back({code.here(), frame.moved + 8});
  code.LoadFrom(kRcx, module.slots + offsetof(HookSlots, access));
  JumpBackIfZero(code, skip);
  code.Bytes({0x9c});  // pushfq: S - kMoved - 16
  frame.before.push_back({code.here(), frame.moved + 16});
  code.Push(kRdx);  // S - kMoved - 24
  frame.before.push_back({code.here(), frame.moved + 24});
  code.Lea(kRdx, kRsp, kMoved + 24 + above);
  frame.by_rdx = code.here();
  ReserveAligned(code, sizeof(HookFrame) + 16);
  code.Store(kRsp, offsetof(HookFrame, rsp), kRdx);
  code.Store(kRsp, offsetof(HookFrame, rax), kRax);
  code.Store(kRsp, offsetof(HookFrame, r8), kR8);
  code.Store(kRsp, offsetof(HookFrame, r9), kR9);
  code.Store(kRsp, offsetof(HookFrame, r10), kR10);
  code.Store(kRsp, offsetof(HookFrame, r11), kR11);
  code.Store(kRsp, kSiteOffset, kRsi);
  code.Bytes({0x48, 0x89, 0xc8});  // mov rax, rcx: the hook
  auto move = [&](std::int32_t from, std::size_t to) {
    code.Load(kRcx, kRdx, from);
    code.Store(kRsp, FrameOffset(to), kRcx);
  };
  move(-kMoved - above - 8, offsetof(HookFrame, rcx));
  move(-kMoved - above - 24, offsetof(HookFrame, rdx));
  move(-kMoved - above + 8, offsetof(HookFrame, rsi));
  move(-kMoved - above + 16, offsetof(HookFrame, rdi));
  code.LeaOf(kRcx, module.slots);
  code.Store(kRsp, kSiteOffset + 8, kRcx);
  move(-kMoved - above - 16, offsetof(HookFrame, rflags));
  frame.framed = code.here();
  code.LeaOf(kRdx, module.slots);
  code.Bytes({0xf6, 0xc5, 0x04});                 // test ch, 4: the direction flag
  code.Bytes({0x48, 0x89, 0xe1});                 // mov rcx, rsp
  std::size_t backwards = JumpAhead(code, 0x75);  // jnz
  code.Bytes({0xff, 0xd0});                       // call rax
  std::uint64_t restore = code.here();
  code.Load(kR8, kRsp, offsetof(HookFrame, r8));
  code.Load(kR9, kRsp, offsetof(HookFrame, r9));
  code.Load(kR10, kRsp, offsetof(HookFrame, r10));
  code.Load(kR11, kRsp, offsetof(HookFrame, r11));
  code.Load(kRdx, kRsp, offsetof(HookFrame, rdx));
  code.Load(kRsi, kRsp, offsetof(HookFrame, rsi));
  code.Load(kRdi, kRsp, offsetof(HookFrame, rdi));
  code.Load(kRcx, kRsp, offsetof(HookFrame, rflags));
  RestoreArithmeticFlags(code);
  code.Load(kRax, kRsp, offsetof(HookFrame, rax));
  code.Load(kRcx, kRsp, offsetof(HookFrame, rsp));
  code.Lea(kRsp, kRcx, -kMoved - above - 8);
  frame.after.push_back({code.here(), frame.moved + 8});
  code.Pop(kRcx);
  frame.after.push_back({code.here(), frame.moved});
  ReturnToSite(code, kMoved);
  frame.framed_again = code.here();
  LandHere(code, backwards);
  code.Bytes({0xfc});        // cld: the ABI wants it clear
  code.Bytes({0xff, 0xd0});  // call rax
  code.Bytes({0xfd});        // std
  code.Jump(restore);
  frame.end = code.here();
  stubs.frames.push_back(frame);
  return begin;
}

// Saves every register, lets the hook see and change them, and steps over the instruction if the
// hook has done its work. `area` is what the inline code left for vector registers.
std::uint64_t EmitComplexStub(CodeBuffer& code, const ModuleAddresses& module, std::int32_t area,
                              Stubs& stubs) {
  const std::int32_t moved = kRedZone + area + 24;
  constexpr std::int32_t kSiteOffset = sizeof(HookRegisters);
  constexpr Reg kPlain[] = {kRax, kRbx, kRbp, kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15};
  std::uint64_t skip = EmitSkip(code, moved);
  const std::uint64_t begin = code.here();
  StubFrame frame{};
  frame.begin = begin;
  frame.moved = moved;
  frame.s_offset = 8 * kRsp;
  frame.site_offset = kSiteOffset;
  frame.full = true;
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
  ReserveAligned(code, sizeof(HookRegisters) + 16);
  for (Reg reg : kPlain) {
    code.Store(kRsp, 8 * reg, reg);
  }
  code.Store(kRsp, 8 * kRsp, kRdx);
  code.Store(kRsp, offsetof(HookRegisters, rip_relative), kRdi);
  code.Store(kRsp, kSiteOffset, kRsi);
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
  code.Store(kRsp, kSiteOffset + 8, kRax);
  frame.framed = code.here();
  code.Bytes({0xfc});  // cld
  if (area != 0) {
    code.Lea(kRsi, kRdx, -kRedZone - area);
    code.Lea(kRdi, kRsp, offsetof(HookRegisters, index));
    code.Bytes({0xb9});  // mov ecx, words
    code.Value(area / 8);
    code.Bytes({0xf3, 0x48, 0xa5});  // rep movsq
    code.Load(kRsi, kRsp, kSiteOffset);
  }
  code.Bytes({0x48, 0x89, 0xe7});  // mov rdi, rsp
  code.LeaOf(kRdx, module.slots);
  code.Bytes({0xff, 0xd3});  // call rbx
  code.Load(kRdx, kRsp, 8 * kRsp);
  code.Bytes({0x85, 0xc0});                     // test eax, eax
  std::size_t execute = JumpAhead(code, 0x74);  // jz
  code.Load(kRcx, kRsp, kSiteOffset);
  code.Bytes({0x89, 0xc9});  // mov ecx, ecx
  static_assert(sizeof(SiteRecord) == 32);
  code.Bytes({0x48, 0xc1, 0xe1, 0x05});  // shl rcx, 5
  code.LeaOf(kRax, module.sites + offsetof(SiteRecord, length));
  code.Bytes({0x0f, 0xb6, 0x0c, 0x08});   // movzx ecx, byte [rax + rcx]
  code.Memory(0x01, kRcx, kRdx, -moved);  // add [return address], rcx
  LandHere(code, execute);
  code.Load(kRax, kRsp, 8 * kRcx);
  code.Store(kRdx, -moved - 8, kRax);
  code.Bytes({0xff, 0xb4, 0x24});  // push [rsp + rflags]
  code.Value(static_cast<std::int32_t>(offsetof(HookRegisters, rflags)));
  code.Bytes({0x9d});  // popfq
  for (Reg reg : kPlain) {
    code.Load(reg, kRsp, 8 * reg);
  }
  for (Reg reg : {kRsi, kRdi}) {
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
  stubs.frames.push_back(frame);
  return begin;
}

}  // namespace

Stubs EmitStubs(CodeBuffer& code, const ModuleAddresses& module) {
  Stubs stubs;
  stubs.access = EmitAccessStub(code, module, 0, stubs);
  stubs.access_in_thunk = EmitAccessStub(code, module, 8, stubs);
  stubs.complex = EmitComplexStub(code, module, 0, stubs);
  stubs.vector = EmitComplexStub(code, module, kVectorArea, stubs);
  return stubs;
}

}  // namespace rff::instrument::builtin
