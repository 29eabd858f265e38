#include "libsched/hook/complex_sites.h"

#include <cstring>

#include "libsched/interpose/process/processor_query.h"
#include "libsched/interpose/process/processors.h"
#include "libsched/interpose/process/system_calls.h"
#include "libsched/interpose/target_thread.h"
#include "libsched/interpose/time/timestamp.h"
#include "libsched/process/runtime.h"
#include "libsched/support/check.h"
#include "schedule/vector_site.h"

namespace rff::hook {
namespace {

constexpr int kRax = 0;
constexpr int kRcx = 1;
constexpr int kRdx = 2;
constexpr int kRbx = 3;
constexpr int kR11 = 11;
constexpr int kRsi = 6;
constexpr int kRdi = 7;
constexpr std::uint64_t kDirectionFlag = 0x400;
constexpr std::uint64_t kCarryFlag = 1;
constexpr std::uint64_t kZeroFlag = 0x40;

struct Site {
  PatchedModule& module;
  std::uint32_t index;
  const SiteRecord& record;
  HookRegisters& regs;
};

// All accesses that one instruction is about to make.
class AccessList {
 public:
  void add(OpKind op, std::uint64_t address, std::uint64_t size) {
    if (size > 0) {
      RFF_CHECK(count_ < Accesses::kMostAccesses);
      list_[count_++] = {op, address, size};
    }
  }
  // Adjacent elements are combined into one access.
  void add_element(OpKind op, std::uint64_t address, std::uint64_t size) {
    if (count_ > 0 && list_[count_ - 1].address + list_[count_ - 1].size == address) {
      list_[count_ - 1].size += size;
    } else {
      add(op, address, size);
    }
  }
  void happen(const Site& s) const {
    if (count_ > 0) {
      runtime->run.accesses.accesses(runtime->run.execution.current(), s.module, s.index, list_,
                                     count_);
    }
  }

 private:
  Accesses::Access list_[Accesses::kMostAccesses];
  std::size_t count_ = 0;
};

// Returns the number of elements that a repeated compare or scan reads before it stops.
std::uint64_t compare_length(const Site& s, const SiteDetail& d, std::uint64_t count) {
  bool backwards = (s.regs.rflags & kDirectionFlag) != 0;
  std::uint64_t size = s.record.size;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t step = backwards ? 0 - i * size : i * size;
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    std::memcpy(&right, reinterpret_cast<const void*>(s.regs.gpr[kRdi] + step), size);
    if (d.string_op == StringOp::kCmps) {
      std::memcpy(&left, reinterpret_cast<const void*>(s.regs.gpr[kRsi] + step), size);
    } else {
      std::memcpy(&left, &s.regs.gpr[kRax], size);
    }
    if ((left == right) != (d.rep == RepPrefix::kRepe)) {
      return i + 1;
    }
  }
  return count;
}

void string_instruction(const Site& s, const SiteDetail& d) {
  bool compares = d.string_op == StringOp::kCmps || d.string_op == StringOp::kScas;
  std::uint64_t count = d.rep == RepPrefix::kNone ? 1 : s.regs.gpr[kRcx];
  if (d.address_bits == 32 && d.rep != RepPrefix::kNone) {
    count &= 0xffffffff;
  }
  if (compares && d.rep != RepPrefix::kNone) {
    count = compare_length(s, d, count);
  }
  std::uint64_t bytes = count * s.record.size;
  auto begin = [&](int reg) {
    std::uint64_t at = s.regs.gpr[reg];
    return (s.regs.rflags & kDirectionFlag) != 0 && count > 0 ? at - (bytes - s.record.size) : at;
  };
  AccessList list;
  switch (d.string_op) {
    case StringOp::kMovs:
      list.add(OpKind::kRead, begin(kRsi), bytes);
      list.add(OpKind::kWrite, begin(kRdi), bytes);
      break;
    case StringOp::kStos: list.add(OpKind::kWrite, begin(kRdi), bytes); break;
    case StringOp::kLods: list.add(OpKind::kRead, begin(kRsi), bytes); break;
    case StringOp::kCmps:
      list.add(OpKind::kRead, begin(kRsi), bytes);
      list.add(OpKind::kRead, begin(kRdi), bytes);
      break;
    case StringOp::kScas: list.add(OpKind::kRead, begin(kRdi), bytes); break;
    case StringOp::kNone: break;
  }
  list.happen(s);
}

void vector_instruction(const Site& s, const SiteDetail& d) {
  AccessList list;
  for_each_element(d, s.record.size, s.regs, [&](std::uint64_t address) {
    list.add_element(d.is_write ? OpKind::kWrite : OpKind::kRead, address, s.record.size);
  });
  list.happen(s);
}

// A compare-exchange that fails is a read. Whether it fails depends on memory when it runs, not
// when its thread stops before it.
void compare_exchange(const Site& s, const SiteDetail& d) {
  const std::uint64_t rax = s.regs.gpr[kRax];
  const std::uint64_t rdx = s.regs.gpr[kRdx];
  // cmpxchg8b and cmpxchg16b compare edx:eax and rdx:rax.
  std::uint64_t expected[2] = {rax, rdx};
  if (s.record.size == 8 && d.element_count == 2) {
    expected[0] = (rax & 0xffffffff) | (rdx << 32);
  }
  runtime->run.accesses.access(
      runtime->run.execution.current(), s.module, s.index,
      {OpKind::kReadModifyWrite, operand_address(d, s.regs), s.record.size}, expected);
}

void tell_processor(const SiteDetail& d, HookRegisters& registers) {
  if (d.base_register != kNoRegister) {
    registers.gpr[d.base_register] = current_processor();  // rdpid
    return;
  }
  ProcessorReply reply = query_processor(static_cast<std::uint32_t>(registers.gpr[kRax]),
                                         static_cast<std::uint32_t>(registers.gpr[kRcx]));
  registers.gpr[kRax] = reply.a;
  registers.gpr[kRbx] = reply.b;
  registers.gpr[kRcx] = reply.c;
  registers.gpr[kRdx] = reply.d;
}

}  // namespace

int complex_site(PatchedModule& m, std::uint32_t index, HookRegisters& registers) {
  if (!runtime->run.begun() && m.sites[index].kind < SiteKind::kSyscall) {
    return kExecuteInstruction;
  }
  Site s{m, index, m.sites[index], registers};
  const SiteDetail* d = s.record.detail != kNoDetail ? &m.details[s.record.detail] : nullptr;
  switch (s.record.kind) {
    case SiteKind::kString: string_instruction(s, *d); break;
    case SiteKind::kVector: vector_instruction(s, *d); break;
    case SiteKind::kCompareExchange: compare_exchange(s, *d); break;
    case SiteKind::kTimestamp: {
      std::uint64_t counter = read_timestamp();
      registers.gpr[kRax] = counter & 0xffffffff;
      registers.gpr[kRdx] = counter >> 32;
      constexpr int kRdtscpBytes = 3;
      if (s.record.length == kRdtscpBytes) {
        registers.gpr[kRcx] = current_processor();
      }
      return kSkipInstruction;
    }
    case SiteKind::kRandom: {
      int reg = d != nullptr ? d->base_register : kRax;
      runtime->run.execution.progress.looked_outside();
      std::uint64_t value = runtime->run.execution.current().posix->random.next();
      if (s.record.size >= 8) {
        registers.gpr[reg] = value;
      } else if (s.record.size == 4) {
        registers.gpr[reg] = value & 0xffffffff;
      } else {
        registers.gpr[reg] = (registers.gpr[reg] & ~std::uint64_t{0xffff}) | (value & 0xffff);
      }
      registers.rflags = (registers.rflags & ~(kZeroFlag | 0x8d4)) | kCarryFlag;
      return kSkipInstruction;
    }
    case SiteKind::kProcessor: tell_processor(*d, registers); return kSkipInstruction;
    case SiteKind::kSyscall: {
      constexpr int kR8 = 8, kR9 = 9, kR10 = 10;
      const std::uint64_t* r = registers.gpr;
      const long arguments[6] = {static_cast<long>(r[kRdi]), static_cast<long>(r[kRsi]),
                                 static_cast<long>(r[kRdx]), static_cast<long>(r[kR10]),
                                 static_cast<long>(r[kR8]),  static_cast<long>(r[kR9])};
      auto at = reinterpret_cast<const void*>(m.bias + s.record.address);
      long result = 0;
      if (!system_call(static_cast<long>(r[kRax]), arguments, at, &result)) {
        return kExecuteInstruction;
      }
      registers.gpr[kRax] = static_cast<std::uint64_t>(result);
      registers.gpr[kRcx] = 0;  // the kernel would leave the next address here, and flags in r11
      registers.gpr[kR11] = registers.rflags;
      return kSkipInstruction;
    }
    default: break;
  }
  return kExecuteInstruction;
}

}  // namespace rff::hook
