// A runtime preloaded into a patched program: logs every access that its code reports, and
// evaluates complex sites as the hook contract describes. It is the counterpart of
// stepping_oracle.cc.
#include <cstdlib>

#include "instrument/patched_modules.h"
#include "schedule/hook_entry.h"
#include "tests/instrument/access_log.h"

RFF_ACCESS_ENTRY(recording_entry, record_access);

namespace {

using namespace rff::hook;
using rff::instrument::PatchedModule;

rff::test::AccessLog event_log;
PatchedModule module;

#define NO_VECTORS __attribute__((target("general-regs-only")))

AccessHook access_hook{recording_entry};

NO_VECTORS std::uint64_t operand_address(const SiteDetail& detail, const HookRegisters& registers) {
  if (registers.rip_relative != 0) {
    return registers.rip_relative;
  }
  auto address = static_cast<std::uint64_t>(std::int64_t{detail.displacement});
  if (detail.base_register != kNoRegister) {
    address += registers.gpr[detail.base_register];
  }
  if (detail.index_register != kNoRegister) {
    address += registers.gpr[detail.index_register] * detail.scale;
  }
  return detail.address_bits == 32 ? address & 0xffffffff : address;
}

NO_VECTORS bool same_bytes(std::uint64_t a, std::uint64_t b, std::uint64_t size) {
  const auto* one = reinterpret_cast<const volatile std::uint8_t*>(a);
  const auto* two = reinterpret_cast<const volatile std::uint8_t*>(b);
  for (std::uint64_t i = 0; i < size; ++i) {
    if (one[i] != two[i]) {
      return false;
    }
  }
  return true;
}

NO_VECTORS void on_compare_exchange(const SiteRecord& record, const SiteDetail& detail,
                                    const HookRegisters& registers) {
  std::uint64_t address = operand_address(detail, registers);
  // The double-width forms compare with rdx:rax or edx:eax, the others with the low bytes of the
  // accumulator.
  std::uint64_t expected[2] = {registers.gpr[0], registers.gpr[2]};
  if (detail.element_count == 2 && record.size == 8) {
    expected[0] = (expected[0] & 0xffffffff) | expected[1] << 32;
  }
  bool equal = same_bytes(address, reinterpret_cast<std::uint64_t>(expected), record.size);
  event_log.add(record.address, equal ? 'm' : 'r', address, record.size);
}

NO_VECTORS void add_range(std::uint64_t site, char kind, std::uint64_t start, std::uint64_t count,
                          std::uint64_t size, bool backwards) {
  if (count != 0) {
    event_log.add(site, kind, backwards ? start - (count - 1) * size : start, count * size);
  }
}

NO_VECTORS void on_string(const SiteRecord& record, const SiteDetail& detail,
                          const HookRegisters& registers) {
  bool backwards = (registers.rflags & 0x400) != 0;
  std::uint64_t count = detail.rep == RepPrefix::kNone ? 1 : registers.gpr[1];
  std::uint64_t rsi = registers.gpr[6];
  std::uint64_t rdi = registers.gpr[7];
  bool compares = detail.string_op == StringOp::kCmps || detail.string_op == StringOp::kScas;
  if (compares && detail.rep != RepPrefix::kNone) {
    std::uint64_t limit = count;
    bool stop_when_equal = detail.rep == RepPrefix::kRepne;
    std::uint64_t step = backwards ? 0 - std::uint64_t{record.size} : record.size;
    std::uint64_t a = detail.string_op == StringOp::kCmps
                          ? rsi
                          : reinterpret_cast<std::uint64_t>(&registers.gpr[0]);
    std::uint64_t b = rdi;
    for (count = 0; count < limit;) {
      ++count;
      if (same_bytes(a, b, record.size) == stop_when_equal) {
        break;
      }
      a += detail.string_op == StringOp::kCmps ? step : 0;
      b += step;
    }
  }
  switch (detail.string_op) {
    case StringOp::kMovs:
      add_range(record.address, 'r', rsi, count, record.size, backwards);
      add_range(record.address, 'w', rdi, count, record.size, backwards);
      break;
    case StringOp::kStos: add_range(record.address, 'w', rdi, count, record.size, backwards); break;
    case StringOp::kLods: add_range(record.address, 'r', rsi, count, record.size, backwards); break;
    case StringOp::kCmps:
      add_range(record.address, 'r', rsi, count, record.size, backwards);
      add_range(record.address, 'r', rdi, count, record.size, backwards);
      break;
    case StringOp::kScas: add_range(record.address, 'r', rdi, count, record.size, backwards); break;
    case StringOp::kNone: break;
  }
}

NO_VECTORS void on_vector(const SiteRecord& record, const SiteDetail& detail,
                          const HookRegisters& registers) {
  std::uint64_t base = operand_address(detail, registers);
  unsigned active_before = 0;
  for (unsigned i = 0; i < detail.element_count; ++i) {
    bool active = detail.mask == MaskKind::kSignBits
                      ? (registers.mask[(i + 1) * detail.mask_element_size - 1] & 0x80) != 0
                      : ((registers.mask[i / 8] >> (i % 8)) & 1) != 0;
    if (!active) {
      continue;
    }
    unsigned place = detail.mask == MaskKind::kPackedBits ? active_before : i;
    ++active_before;
    std::uint64_t address = base + place * record.size;
    if (detail.index_size == 4) {
      std::int32_t index = *reinterpret_cast<const std::int32_t*>(registers.index + 4 * i);
      address = base + static_cast<std::uint64_t>(std::int64_t{index} * detail.scale);
    } else if (detail.index_size == 8) {
      std::int64_t index = *reinterpret_cast<const std::int64_t*>(registers.index + 8 * i);
      address = base + static_cast<std::uint64_t>(index * detail.scale);
    }
    event_log.add(record.address, detail.is_write != 0 ? 'w' : 'r', address, record.size);
  }
}

NO_VECTORS int on_complex(HookRegisters* registers, std::uint32_t site, HookSlots*) {
  const SiteRecord& record = module.sites()[site];
  const SiteDetail& detail = module.details()[record.detail];
  switch (record.kind) {
    case SiteKind::kCompareExchange: on_compare_exchange(record, detail, *registers); break;
    case SiteKind::kString: on_string(record, detail, *registers); break;
    case SiteKind::kVector: on_vector(record, detail, *registers); break;
    case SiteKind::kSyscall: event_log.add(record.address, 'S', 0, 0); break;
    case SiteKind::kTimestamp: event_log.add(record.address, 'T', 0, 0); break;
    case SiteKind::kRandom: event_log.add(record.address, 'D', 0, 0); break;
    case SiteKind::kProcessor: event_log.add(record.address, 'P', 0, 0); break;
    default: break;
  }
  return kExecuteInstruction;
}

__attribute__((constructor)) void start() {
  if (std::getenv("RFF_TEST_LOG") == nullptr) {
    return;
  }
  event_log.open();
  rff::instrument::for_each_patched_module([](const PatchedModule& found) { module = found; });
  module.slots()->complex = reinterpret_cast<std::uint64_t>(&on_complex);
  module.slots()->access = reinterpret_cast<std::uint64_t>(&access_hook);
}

__attribute__((destructor)) void end() {
  if (const char* path = std::getenv("RFF_TEST_LOG")) {
    module.slots()->access = 0;
    module.slots()->complex = 0;
    event_log.write(path);
  }
}

}  // namespace

extern "C" NO_VECTORS void record_access(std::uint64_t address, std::uint32_t site, AccessHook*) {
  static constexpr char kKinds[] = {'r', 'w', 'm'};
  const SiteRecord& record = module.sites()[site];
  event_log.add(record.address, kKinds[static_cast<int>(record.kind)], address, record.size);
}
