#include "instrument/builtin/stubs.h"

#include <cstddef>

#include "schedule/hook.h"

namespace rff::instrument::builtin {

namespace {

using hook::HookRegisters;
using hook::HookSlots;
using hook::SiteRecord;

std::int32_t frame_offset(std::size_t offset) { return static_cast<std::int32_t>(offset); }

// Emits jrcxz to code already emitted.
void jump_back_if_zero(CodeBuffer& code, std::uint64_t target) {
  auto distance = static_cast<std::int64_t>(target - (code.here() + 2));
  RFF_CHECK(distance >= -128);
  code.bytes({0xe3, static_cast<std::uint8_t>(distance)});
}

// Emits a conditional short jump (`opcode`) to code that follows. Returns where its distance goes.
std::size_t jump_ahead(CodeBuffer& code, std::uint8_t opcode) {
  code.bytes({opcode, 0x00});
  return code.size() - 1;
}

void land_here(CodeBuffer& code, std::size_t distance_at) {
  std::size_t distance = code.size() - distance_at - 1;
  RFF_CHECK(distance < 128);
  code.overwrite(distance_at, static_cast<std::uint8_t>(distance));
}

// Emits ret imm16, which returns and drops what the inline code pushed, so that rsp = S.
void return_to_site(CodeBuffer& code, std::int32_t moved) {
  code.bytes({0xc2});
  code.value(static_cast<std::uint16_t>(moved - 8));
}

// Emits sub rsp, size; and rsp, -16.
void reserve_aligned(CodeBuffer& code, std::int32_t size) {
  code.bytes({0x48, 0x81, 0xec});
  code.value(size);
  code.bytes({0x48, 0x83, 0xe4, 0xf0});
}

// Emits the exit for an empty slot, which undoes the inline code. rcx has been pushed.
std::uint64_t emit_skip(CodeBuffer& code, std::int32_t moved) {
  std::uint64_t begin = code.here();
  code.pop(kRcx);
  code.load(kRdi, kRsp, 16);
  code.load(kRsi, kRsp, 8);
  return_to_site(code, moved);
  return begin;
}

// The flags except DF are kept in ax: lahf and sahf cover all except OF, and adding 127 to a byte
// that is 0 or 1 sets OF accordingly. pushfq and popfq would cost ten times as much.
void flags_to_rax(CodeBuffer& code) {
  code.bytes({0x9f});              // lahf
  code.bytes({0x0f, 0x90, 0xc0});  // seto al
}
void flags_from_rax(CodeBuffer& code) {
  code.bytes({0x04, 0x7f});  // add al, 127
  code.bytes({0x9e});        // sahf
}

enum class Flags { kKeep, kDead };

// The stubs that call an AccessHook differ in this.
struct Variant {
  std::size_t slot = offsetof(HookSlots, access);
  Flags flags = Flags::kKeep;
  std::int32_t above = 0;    // bytes between S and what the inline code has pushed
  std::int32_t operand = 0;  // bytes below the red zone that hold a second operand
  bool of_branch = false;
};

std::uint64_t emit_access_stub(CodeBuffer& code, const ModuleAddresses& module,
                               const Variant& variant, Stubs& stubs,
                               std::uint64_t* returns_to = nullptr) {
  const Flags flags = variant.flags;
  // rdi, rsi, return address
  const std::int32_t moved = kRedZone + variant.operand + 24;
  AccessStubFrame frame{};
  frame.begin = code.here();
  frame.moved = moved + variant.above;
  frame.of_branch = variant.of_branch;
  code.push(kRcx);
  frame.rcx_pushed = code.here();
  code.load_from(kRcx, module.slots + variant.slot);
  std::size_t empty = jump_ahead(code, 0xe3);  // jrcxz
  if (flags == Flags::kKeep) {
    code.push(kRax);
    frame.second = kRax;
    frame.second_pushed = code.here();
    flags_to_rax(code);
  } else if (variant.operand != 0) {
    code.push(kRdx);
    frame.second = kRdx;
    frame.second_pushed = code.here();
    code.load(kRdx, kRsp, 16 + 24);
  }
  static_assert(offsetof(hook::AccessHook, enter) == 0);
  code.bytes({0xff, 0x11});  // call [rcx]
  if (returns_to != nullptr) {
    *returns_to = code.here();
  }
  if (flags == Flags::kKeep) {
    flags_from_rax(code);
  }
  if (frame.second_pushed != 0) {
    code.pop(frame.second);
    frame.second_popped = code.here();
  }
  land_here(code, empty);
  code.pop(kRcx);
  frame.rcx_popped = code.here();
  code.load(kRdi, kRsp, 16);
  code.load(kRsi, kRsp, 8);
  return_to_site(code, moved);
  frame.end = code.here();
  stubs.access_frames.push_back(frame);
  return frame.begin;
}

// Pushes rcx, the flags and rdx, then leaves S in rdx and the hook in rcx. Jumps to `skip` if there
// is no hook.
void emit_entry(CodeBuffer& code, const ModuleAddresses& module, std::uint64_t skip,
                ComplexStubFrame& frame) {
  const std::int32_t moved = frame.moved;
  code.push(kRcx);  // S - moved - 8
  frame.before.push_back({code.here(), moved + 8});
  code.load_from(kRcx, module.slots + offsetof(HookSlots, complex));
  jump_back_if_zero(code, skip);
  code.bytes({0x9c});  // pushfq: S - moved - 16
  frame.before.push_back({code.here(), moved + 16});
  code.push(kRdx);  // S - moved - 24
  frame.before.push_back({code.here(), moved + 24});
  code.lea(kRdx, kRsp, moved + 24);
  frame.by_rdx = code.here();
}

// Fills HookRegisters at rsp. The hook moves from rcx to rbx.
void emit_save_registers(CodeBuffer& code, const ModuleAddresses& module, ComplexStubFrame& frame) {
  constexpr Reg kPlain[] = {kRax, kRbx, kRbp, kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15};
  const std::int32_t moved = frame.moved;
  reserve_aligned(code, sizeof(HookRegisters) + 16);
  for (Reg reg : kPlain) {
    code.store(kRsp, 8 * reg, reg);
  }
  code.store(kRsp, 8 * kRsp, kRdx);
  code.store(kRsp, offsetof(HookRegisters, rip_relative), kRdi);
  code.store(kRsp, kSavedSite, kRsi);
  code.bytes({0x48, 0x89, 0xcb});  // mov rbx, rcx: the hook
  auto move = [&](std::int32_t from, std::size_t to) {
    code.load(kRax, kRdx, from);
    code.store(kRsp, frame_offset(to), kRax);
  };
  move(-moved - 8, 8 * kRcx);
  move(-moved - 24, 8 * kRdx);
  move(-moved + 8, 8 * kRsi);
  move(-moved + 16, 8 * kRdi);
  move(-moved - 16, offsetof(HookRegisters, rflags));
  code.lea_of(kRax, module.slots);
  code.store(kRsp, kSavedSlots, kRax);
  frame.framed = code.here();
}

// Copies the vector registers into HookRegisters and calls the hook in rbx. Leaves S in rdx.
void emit_call_hook(CodeBuffer& code, const ModuleAddresses& module, std::int32_t area) {
  code.bytes({0xfc});  // cld
  if (area != 0) {
    code.lea(kRsi, kRdx, -kRedZone - area);
    code.lea(kRdi, kRsp, offsetof(HookRegisters, index));
    code.bytes({0xb9});  // mov ecx, words
    code.value(area / 8);
    code.bytes({0xf3, 0x48, 0xa5});  // rep movsq
    code.load(kRsi, kRsp, kSavedSite);
  }
  code.bytes({0x48, 0x89, 0xe7});  // mov rdi, rsp
  code.lea_of(kRdx, module.slots);
  code.bytes({0xff, 0xd3});  // call rbx
  code.load(kRdx, kRsp, 8 * kRsp);
}

// Moves the return address past the instruction if eax says that the hook has emulated it.
void emit_step_over(CodeBuffer& code, const ModuleAddresses& module, std::int32_t moved) {
  // The hook preserves these, as every function does, unless it has emulated the instruction.
  constexpr Reg kKeptByHook[] = {kRbp, kR12, kR13, kR14, kR15};
  code.bytes({0x85, 0xc0});                      // test eax, eax
  std::size_t execute = jump_ahead(code, 0x74);  // jz
  code.load(kRcx, kRsp, kSavedSite);
  code.bytes({0x89, 0xc9});  // mov ecx, ecx
  static_assert(sizeof(SiteRecord) == 32);
  code.bytes({0x48, 0xc1, 0xe1, 0x05});  // shl rcx, 5
  code.lea_of(kRax, module.sites + offsetof(SiteRecord, length));
  code.bytes({0x0f, 0xb6, 0x0c, 0x08});   // movzx ecx, byte [rax + rcx]
  code.memory(0x01, kRcx, kRdx, -moved);  // add [return address], rcx
  for (Reg reg : kKeptByHook) {
    code.load(reg, kRsp, 8 * reg);
  }
  land_here(code, execute);
}

void emit_restore_and_return(CodeBuffer& code, ComplexStubFrame& frame) {
  const std::int32_t moved = frame.moved;
  code.load(kRax, kRsp, 8 * kRcx);
  code.store(kRdx, -moved - 8, kRax);
  code.bytes({0xff, 0xb4, 0x24});  // push [rsp + rflags]
  code.value(static_cast<std::int32_t>(offsetof(HookRegisters, rflags)));
  code.bytes({0x9d});  // popfq
  for (Reg reg : {kRax, kRbx, kRsi, kRdi, kR8, kR9, kR10, kR11}) {
    code.load(reg, kRsp, 8 * reg);
  }
  code.bytes({0x48, 0x89, 0xd1});  // mov rcx, rdx: S
  code.load(kRdx, kRsp, 8 * kRdx);
  code.lea(kRsp, kRcx, -moved - 8);
  frame.after.push_back({code.here(), moved + 8});
  code.pop(kRcx);
  frame.after.push_back({code.here(), moved});
  return_to_site(code, moved);
  frame.end = code.here();
}

// Saves every register, lets the hook see and change them, and steps over the instruction if the
// hook has emulated it. `area`: the bytes that the inline code reserved for vector registers.
std::uint64_t emit_complex_stub(CodeBuffer& code, const ModuleAddresses& module, std::int32_t area,
                                Stubs& stubs) {
  ComplexStubFrame frame{};
  frame.moved = kRedZone + area + 24;
  std::uint64_t skip = emit_skip(code, frame.moved);
  frame.begin = code.here();
  emit_entry(code, module, skip, frame);
  emit_save_registers(code, module, frame);
  emit_call_hook(code, module, area);
  emit_step_over(code, module, frame.moved);
  emit_restore_and_return(code, frame);
  stubs.complex_frames.push_back(frame);
  return frame.begin;
}

}  // namespace

Stubs emit_stubs(CodeBuffer& code, const ModuleAddresses& module) {
  Stubs stubs;
  stubs.access = emit_access_stub(code, module, {}, stubs, &stubs.access_return);
  stubs.access_flags_dead = emit_access_stub(code, module, {.flags = Flags::kDead}, stubs,
                                             &stubs.access_flags_dead_return);
  stubs.access_in_thunk = emit_access_stub(code, module, {.above = 8}, stubs);
  stubs.complex = emit_complex_stub(code, module, 0, stubs);
  stubs.vector = emit_complex_stub(code, module, kVectorArea, stubs);
  if (module.branches != 0) {
    Variant block{.slot = offsetof(HookSlots, block), .of_branch = true};
    stubs.block = emit_access_stub(code, module, block, stubs);
    block.flags = Flags::kDead;
    stubs.block_flags_dead = emit_access_stub(code, module, block, stubs);
    Variant comparison{.slot = offsetof(HookSlots, comparison),
                       .flags = Flags::kDead,
                       .operand = kSecondOperand,
                       .of_branch = true};
    stubs.comparison = emit_access_stub(code, module, comparison, stubs);
  }
  return stubs;
}

}  // namespace rff::instrument::builtin
