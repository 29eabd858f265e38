// A library preloaded into an original program: single-steps it (trap flag, SIGTRAP) and logs every
// memory access of the executable's own code, apart from the stack pointer's own pushes and pops.
// Where possible, the effect of an instruction is found independently of rff-instrument: from what
// changed between two steps (how often a repeated instruction ran, whether a compare-exchange
// succeeded).
#include <Zydis/Zydis.h>
#include <signal.h>
#include <ucontext.h>

#include <cstdlib>

#include "tests/instrument/access_log.h"

namespace {

using rff::test::AccessLog;

AccessLog event_log;
ZydisDecoder decoder;

struct Pending {
  std::uint64_t rip = 0;
  std::uint64_t site = 0;
  bool exchange = false;  // the kind is known at the next step, from ZF
  bool repeated = false;  // more iterations may follow
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t rsi = 0, rdi = 0, iterations = 0;
  bool backwards = false, source = false, destination = false, destination_written = false;
} pending;

std::uint64_t Register(const greg_t* regs, int number) {
  static constexpr int kOrder[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                     REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                     REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<std::uint64_t>(regs[kOrder[number]]);
}

void log_range(std::uint64_t site, char kind, std::uint64_t start, std::uint64_t iterations,
               std::uint64_t size, bool backwards) {
  if (iterations == 0) {
    return;
  }
  std::uint64_t low = backwards ? start - (iterations - 1) * size : start;
  event_log.add(site, kind, low, iterations * size);
}

void finish_pending(const greg_t* regs) {
  if (pending.exchange) {
    bool succeeded = (regs[REG_EFL] & 0x40) != 0;
    event_log.add(pending.site, succeeded ? 'm' : 'r', pending.address, pending.size);
  } else if (pending.rip != 0) {
    if (pending.source) {
      log_range(pending.site, 'r', pending.rsi, pending.iterations, pending.size,
                pending.backwards);
    }
    if (pending.destination) {
      log_range(pending.site, pending.destination_written ? 'w' : 'r', pending.rdi,
                pending.iterations, pending.size, pending.backwards);
    }
  }
  pending = Pending{};
}

void start_string(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                  const greg_t* regs, std::uint64_t rip) {
  bool repeats = (in.attributes &
                  (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
  bool runs = !repeats || regs[REG_RCX] != 0;
  if (pending.rip == rip && pending.repeated) {
    pending.iterations += runs ? 1 : 0;
    return;
  }
  finish_pending(regs);
  pending.rip = rip;
  pending.site = rip - event_log.bias();
  pending.repeated = repeats;
  pending.iterations = runs ? 1 : 0;
  pending.rsi = static_cast<std::uint64_t>(regs[REG_RSI]);
  pending.rdi = static_cast<std::uint64_t>(regs[REG_RDI]);
  pending.backwards = (regs[REG_EFL] & 0x400) != 0;
  for (int i = 0; i < in.operand_count; ++i) {
    if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY) {
      continue;
    }
    pending.size = operands[i].size / 8;
    if (operands[i].mem.base == ZYDIS_REGISTER_RSI) {
      pending.source = true;
    } else {
      pending.destination = true;
      pending.destination_written = (operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    }
  }
}

// Reads 128-bit registers only: not every kernel and emulator saves more in the signal frame.
void read_vector(const ucontext_t* context, int number, std::uint8_t* out) {
  std::memcpy(out, &context->uc_mcontext.fpregs->_xmm[number], 16);
}

void log_elements(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                  const ZydisDecodedOperand& memory, const ucontext_t* context, std::uint64_t base,
                  std::uint64_t site) {
  const char kind = (memory.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 ? 'w' : 'r';
  std::uint8_t mask[16];
  if (memory.mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
    std::uint8_t index[16];
    read_vector(context, ZydisRegisterGetId(memory.mem.index), index);
    read_vector(context, ZydisRegisterGetId(operands[2].reg.value), mask);
    unsigned size = memory.element_size / 8U;
    bool wide_index =
        in.mnemonic == ZYDIS_MNEMONIC_VPGATHERQQ || in.mnemonic == ZYDIS_MNEMONIC_VGATHERQPD ||
        in.mnemonic == ZYDIS_MNEMONIC_VPGATHERQD || in.mnemonic == ZYDIS_MNEMONIC_VGATHERQPS;
    unsigned count = 16 / (wide_index || size == 8 ? 8 : 4);
    for (unsigned i = 0; i < count; ++i) {
      if ((mask[i * size + size - 1] & 0x80) == 0) {
        continue;
      }
      std::int64_t offset = 0;
      if (wide_index) {
        std::memcpy(&offset, index + 8 * i, 8);
      } else {
        std::int32_t narrow;
        std::memcpy(&narrow, index + 4 * i, 4);
        offset = narrow;
      }
      event_log.add(site, kind, base + static_cast<std::uint64_t>(offset * memory.mem.scale), size);
    }
    return;
  }
  unsigned size = 1;
  if (in.mnemonic == ZYDIS_MNEMONIC_VMASKMOVPS || in.mnemonic == ZYDIS_MNEMONIC_VPMASKMOVD) {
    size = 4;
  } else if (in.mnemonic == ZYDIS_MNEMONIC_VMASKMOVPD || in.mnemonic == ZYDIS_MNEMONIC_VPMASKMOVQ) {
    size = 8;
  }
  read_vector(context, ZydisRegisterGetId(operands[1].reg.value), mask);
  for (unsigned i = 0; i < 16 / size; ++i) {
    if ((mask[i * size + size - 1] & 0x80) != 0) {
      event_log.add(site, kind, base + i * size, size);
    }
  }
}

bool is_masked(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU: return true;
    default: return false;
  }
}

std::uint64_t address_of(const ZydisDecodedInstruction& in, const ZydisDecodedOperand& memory,
                         const greg_t* regs, std::uint64_t rip) {
  std::uint64_t address = static_cast<std::uint64_t>(memory.mem.disp.value);
  if (memory.mem.base == ZYDIS_REGISTER_RIP) {
    return address + rip + in.length;
  }
  if (memory.mem.base != ZYDIS_REGISTER_NONE) {
    address += Register(regs, ZydisRegisterGetId(memory.mem.base));
  }
  if (memory.mem.index != ZYDIS_REGISTER_NONE && memory.mem.type != ZYDIS_MEMOP_TYPE_VSIB) {
    address += Register(regs, ZydisRegisterGetId(memory.mem.index)) * memory.mem.scale;
  }
  if (in.mnemonic == ZYDIS_MNEMONIC_POP && memory.mem.base == ZYDIS_REGISTER_RSP) {
    address += 8;
  }
  if (in.mnemonic == ZYDIS_MNEMONIC_XLAT) {
    address += static_cast<std::uint64_t>(regs[REG_RAX]) & 0xff;
  }
  return in.address_width == 32 ? address & 0xffffffff : address;
}

// For bt and relatives: the bit offset selects the word.
std::uint64_t bit_word(const ZydisDecodedOperand* operands, const greg_t* regs) {
  std::uint64_t value = Register(regs, ZydisRegisterGetId(operands[1].reg.value));
  unsigned bits = operands[0].size;
  std::int64_t offset = bits == 64   ? static_cast<std::int64_t>(value)
                        : bits == 32 ? static_cast<std::int32_t>(value)
                                     : static_cast<std::int16_t>(value);
  std::int64_t words = offset / static_cast<std::int64_t>(bits);
  if (offset % static_cast<std::int64_t>(bits) < 0) {
    --words;
  }
  return static_cast<std::uint64_t>(words * (bits / 8));
}

void log_instruction(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands,
                     const ucontext_t* context, std::uint64_t rip) {
  const greg_t* regs = context->uc_mcontext.gregs;
  std::uint64_t site = rip - event_log.bias();
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_RET:
      event_log.add(site, 'x', static_cast<std::uint64_t>(regs[REG_RSP]) + 8, 0);
      return;
    case ZYDIS_MNEMONIC_SYSCALL: event_log.add(site, 'S', 0, 0); return;
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP: event_log.add(site, 'T', 0, 0); return;
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_RDPID: event_log.add(site, 'P', 0, 0); return;
    case ZYDIS_MNEMONIC_RDRAND:
    case ZYDIS_MNEMONIC_RDSEED: event_log.add(site, 'D', 0, 0); return;
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_CLFLUSH: return;
    default:
      if (in.meta.category == ZYDIS_CATEGORY_PREFETCH) {
        return;
      }
  }
  for (int i = 0; i < in.operand_count; ++i) {
    const ZydisDecodedOperand& memory = operands[i];
    bool hidden_stack = memory.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
                        memory.mem.segment == ZYDIS_REGISTER_SS;
    if (memory.type != ZYDIS_OPERAND_TYPE_MEMORY || memory.actions == 0 || hidden_stack ||
        memory.mem.segment == ZYDIS_REGISTER_FS) {
      continue;
    }
    std::uint64_t address = address_of(in, memory, regs, rip);
    if (memory.mem.type == ZYDIS_MEMOP_TYPE_VSIB || is_masked(in.mnemonic)) {
      log_elements(in, operands, memory, context, address, site);
      continue;
    }
    if (in.meta.category == ZYDIS_CATEGORY_BITBYTE && i == 0 && in.operand_count_visible == 2 &&
        operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
      address += bit_word(operands, regs);
    }
    if (in.mnemonic == ZYDIS_MNEMONIC_CMPXCHG || in.mnemonic == ZYDIS_MNEMONIC_CMPXCHG8B ||
        in.mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B) {
      pending.rip = rip;
      pending.site = site;
      pending.exchange = true;
      pending.address = address;
      pending.size = memory.size / 8;
      continue;
    }
    bool reads = (memory.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    bool writes = (memory.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    event_log.add(site, reads && writes ? 'm' : writes ? 'w' : 'r', address, memory.size / 8);
  }
}

// User-mode emulators enter handlers with any stack alignment and direction flag.
__attribute__((force_align_arg_pointer)) void on_step(int, siginfo_t*, void* raw) {
  asm volatile("cld" ::: "cc");
  auto* context = static_cast<ucontext_t*>(raw);
  const greg_t* regs = context->uc_mcontext.gregs;
  auto rip = static_cast<std::uint64_t>(regs[REG_RIP]);
  if (rip - event_log.code_begin() >= event_log.code_end() - event_log.code_begin()) {
    finish_pending(regs);
    return;
  }
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, reinterpret_cast<const void*>(rip), 15, &in,
                                           operands))) {
    return;
  }
  if (in.meta.category == ZYDIS_CATEGORY_STRINGOP) {
    start_string(in, operands, regs, rip);
    return;
  }
  finish_pending(regs);
  log_instruction(in, operands, context, rip);
}

__attribute__((constructor)) void start() {
  if (std::getenv("RFF_TEST_LOG") == nullptr) {
    return;
  }
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  event_log.open();
  struct sigaction action {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

__attribute__((destructor)) void end() {
  asm volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
  if (const char* path = std::getenv("RFF_TEST_LOG")) {
    event_log.write(path);
  }
}

}  // namespace
