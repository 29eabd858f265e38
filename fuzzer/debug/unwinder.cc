#include "fuzzer/debug/unwinder.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "fuzzer/debug/dwarf_expression.h"

namespace rff {
namespace {

// Numbers of x86_64 registers in DWARF.
constexpr unsigned kRbx = 3;
constexpr unsigned kRbp = 6;
constexpr unsigned kRsp = 7;
constexpr unsigned kR12 = 12;
constexpr unsigned kReturnAddress = 16;
constexpr unsigned kRegisters = 17;

constexpr std::size_t kMostFrames = 256;

std::optional<std::uint64_t> read_stack(const Trace::Stack& stack, std::uint64_t address) {
  std::uint64_t begin = stack.registers.rsp;
  if (address < begin || address - begin + 8 > stack.bytes.size()) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  std::memcpy(&value, stack.bytes.data() + (address - begin), sizeof value);
  return value;
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::optional<GElf_Phdr> segment_of(Elf* elf, std::uint64_t address) {
  std::size_t count = 0;
  elf_getphdrnum(elf, &count);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_LOAD &&
        address >= header.p_vaddr && address - header.p_vaddr < header.p_memsz) {
      return header;
    }
  }
  return std::nullopt;
}

bool is_system(const std::string& path) {
  std::string name = base_name(path);
  return name.starts_with("ld-linux") || name.starts_with("libc.so") ||
         name.starts_with("libpthread") || name.starts_with("libsched.so") ||
         name.starts_with("linux-vdso");
}

using FramePointer = std::unique_ptr<Dwarf_Frame, decltype(&std::free)>;

// Returns the rules for one instruction, from the section that has them.
FramePointer rules_at(DebugModule& debug, std::uint64_t address, bool exact) {
  std::uint64_t pc = address + debug.dwfl_bias() - (exact ? 0 : 1);
  for (auto* get : {dwfl_module_eh_cfi, dwfl_module_dwarf_cfi}) {
    Dwarf_Addr bias = 0;
    Dwarf_CFI* cfi = get(debug.dwfl(), &bias);
    Dwarf_Frame* frame = nullptr;
    if (cfi != nullptr && dwarf_cfi_addrframe(cfi, pc - bias, &frame) == 0) {
      return {frame, &std::free};
    }
  }
  return {nullptr, &std::free};
}

// Copied code without its own rules is unwound by those of the original.
FramePointer frame_at(DebugModule& debug, std::uint64_t address, bool exact) {
  FramePointer frame = rules_at(debug, address, exact);
  if (frame == nullptr && debug.patches().in_copies(address)) {
    frame = rules_at(debug, debug.patches().original(address), exact);
  }
  return frame;
}

std::optional<std::uint64_t> cfa_of(Dwarf_Frame* frame, const ExpressionContext& context) {
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  bool is_location = false;
  if (dwarf_frame_cfa(frame, &ops, &count) != 0) {
    return std::nullopt;
  }
  return evaluate(ops, count, context, &is_location);
}

}  // namespace

struct Unwinder::Registers {
  std::optional<std::uint64_t> of[kRegisters];
  bool exact = true;  // the return address register holds the instruction itself
  bool called_runtime = false;
  std::uint64_t rip() const { return of[kReturnAddress].value_or(0); }
  // Returns the values that the frame's rules give the caller's registers; others are not set.
  Registers restored(Dwarf_Frame* frame, const ExpressionContext& context,
                     const Trace::Stack& stack) const;
};

Unwinder::Registers Unwinder::Registers::restored(Dwarf_Frame* frame,
                                                  const ExpressionContext& context,
                                                  const Trace::Stack& stack) const {
  Registers caller;
  for (unsigned n = 0; n < kRegisters; ++n) {
    Dwarf_Op memory[3];
    Dwarf_Op* ops = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(frame, static_cast<int>(n), memory, &ops, &count) != 0) {
      continue;
    }
    if (count == 0) {
      // Either the value is the same or no rule exists: then the calling convention decides.
      bool preserved = n == kRbx || n == kRbp || (n >= kR12 && n < kReturnAddress);
      caller.of[n] = ops == nullptr || preserved ? of[n] : std::nullopt;
      continue;
    }
    bool is_location = false;
    auto value = evaluate(ops, count, context, &is_location);
    caller.of[n] = value && is_location ? read_stack(stack, *value) : value;
  }
  return caller;
}

Unwinder::Found Unwinder::find(std::uint64_t rip) {
  Found found;
  for (const Trace::Module& m : trace_.modules) {
    if (rip >= m.info.bias && rip < m.info.end &&
        (found.module == nullptr || m.info.bias > found.module->info.bias)) {
      found.module = &m;
    }
  }
  if (found.module != nullptr) {
    found.debug = debug_.module(found.module->info.hash);
    found.address = rip - found.module->info.bias;
  }
  return found;
}

// Returns whether the address is in an executable segment: the rest of a module is data.
bool Unwinder::is_code(const Found& f) const {
  if (f.module == nullptr || f.debug == nullptr || f.debug->dwfl() == nullptr) {
    return f.module != nullptr;
  }
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(f.debug->dwfl(), &bias);
  std::optional<GElf_Phdr> segment = elf != nullptr ? segment_of(elf, f.address) : std::nullopt;
  return segment && (segment->p_flags & PF_X) != 0;
}

bool Unwinder::is_runtime(const Found& f) const {
  return f.module != nullptr && base_name(f.module->path).starts_with("libsched.so");
}

// Returns the program's address when a stub of patched code has called the runtime. The stub's own
// unwind information has it too, but reads the site from the module's memory, which is not in the
// trace.
std::optional<std::uint64_t> Unwinder::site_of_stub(const Found& stub, const Trace::Stack& stack) {
  if (trace_.memory_error && trace_.outcome && trace_.outcome->thread == stack.registers.thread &&
      trace_.outcome->place.module == stub.module->info.hash) {
    return stub.module->info.bias + trace_.outcome->place.offset;
  }
  const Trace::Wait* wait = trace_.wait_of(stack.registers.thread);
  if (wait == nullptr || wait->info.waits_at.module != stub.module->info.hash) {
    return std::nullopt;
  }
  return stub.module->info.bias + wait->info.waits_at.offset;
}

// Returns the content of the module's file at the address, if the program cannot have changed it.
std::optional<std::uint64_t> Unwinder::read_module(std::uint64_t address) {
  Found at = find(address);
  GElf_Addr bias = 0;
  Elf* elf = at.debug != nullptr && at.debug->dwfl() != nullptr
                 ? dwfl_module_getelf(at.debug->dwfl(), &bias)
                 : nullptr;
  std::optional<GElf_Phdr> segment = elf != nullptr ? segment_of(elf, at.address) : std::nullopt;
  if (!segment || (segment->p_flags & PF_W) != 0) {
    return std::nullopt;
  }
  std::uint64_t offset = at.address - segment->p_vaddr;
  std::uint64_t value = 0;
  if (offset + sizeof value > segment->p_filesz) {
    return std::nullopt;
  }
  Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment->p_offset + offset),
                                        sizeof value, ELF_T_BYTE);
  if (data == nullptr) {
    return std::nullopt;
  }
  std::memcpy(&value, data->d_buf, sizeof value);
  return value;
}

bool Unwinder::step(Registers& r, const Trace::Stack& stack) {
  Found at = find(r.rip());
  if (at.debug == nullptr || at.debug->dwfl() == nullptr) {
    return false;
  }
  FramePointer frame = frame_at(*at.debug, at.address, r.exact);
  if (frame == nullptr) {
    return false;
  }
  bool signal_frame = false;
  dwarf_frame_info(frame.get(), nullptr, nullptr, &signal_frame);
  ExpressionContext context;
  context.reg = [&](unsigned n) { return n < kRegisters ? r.of[n] : std::nullopt; };
  context.memory = [&](std::uint64_t address) {
    auto value = read_stack(stack, address);
    return value ? value : read_module(address);
  };
  context.cfa = cfa_of(frame.get(), context);
  if (!context.cfa) {
    return false;
  }
  Registers caller = r.restored(frame.get(), context, stack);
  caller.of[kRsp] = context.cfa;
  caller.exact = signal_frame;
  if (r.called_runtime && at.debug->patches().in_copies(at.address)) {
    if (auto site = site_of_stub(at, stack)) {
      caller.of[kReturnAddress] = site;
    }
  }
  bool up = *context.cfa > r.of[kRsp].value_or(0) || signal_frame;
  r = caller;
  return up && r.rip() != 0;
}

std::vector<Frame> Unwinder::unwind(const Trace::Stack& stack) {
  const trace::StackInfo& s = stack.registers;
  std::vector<Frame> frames;
  if (s.rip == 0 && s.rsp == 0) {
    return frames;
  }
  Registers r;
  r.of[kReturnAddress] = s.rip;
  r.of[kRsp] = s.rsp;
  if (!is_code(find(s.rip))) {
    // The program has called a bad pointer: the caller's address is on top of the stack.
    r.of[kReturnAddress] = read_stack(stack, s.rsp).value_or(0);
    r.of[kRsp] = s.rsp + 8;
    r.exact = false;
  }
  r.of[kRbp] = s.rbp;
  r.of[kRbx] = s.rbx;
  std::uint64_t high[] = {s.r12, s.r13, s.r14, s.r15};
  for (unsigned i = 0; i < 4; ++i) {
    r.of[kR12 + i] = high[i];
  }
  std::size_t last_of_program = 0;
  bool from_runtime = false;
  for (std::size_t n = 0; n < kMostFrames; ++n) {
    Found at = find(r.rip());
    bool runtime = is_runtime(at);
    r.called_runtime = from_runtime && !r.exact;
    bool stub =
        r.called_runtime && at.debug != nullptr && at.debug->patches().in_copies(at.address);
    bool told = !runtime && !stub && at.module != nullptr;
    if (told) {
      bool copy = at.debug != nullptr && at.debug->patches().in_copies(at.address);
      std::uint64_t address = copy ? at.debug->patches().original(at.address) : at.address;
      frames.push_back({.code = {at.module->info.hash, static_cast<std::uint32_t>(address)},
                        .exact = r.exact || copy,
                        .rbp = r.of[kRbp],
                        .rsp = r.of[kRsp]});
      if (!is_system(at.module->path)) {
        last_of_program = frames.size();
      }
    }
    from_runtime = runtime;
    bool more = step(r, stack);
    if (told) {
      frames.back().cfa = more ? r.of[kRsp].value_or(0) : 0;  // end of the caller's stack
    }
    if (!more) {
      break;
    }
  }
  frames.resize(last_of_program);  // frames that started the thread are not the program's
  return frames;
}

}  // namespace rff
