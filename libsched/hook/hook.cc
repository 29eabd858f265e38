// Where patched code enters the runtime.
#include "libsched/hook/hook.h"

#include <cpuid.h>

#include <algorithm>

#include "libsched/hook/access_entry.h"
#include "libsched/hook/complex_sites.h"
#include "libsched/hook/vector_state.h"
#include "libsched/interpose/interpose.h"
#include "libsched/runtime.h"
#include "libsched/support/panic.h"
#include "schedule/hook_entry.h"

RFF_ACCESS_ENTRY(rff_every_access_entry, rff_every_access);
RFF_ACCESS_ENTRY(rff_long_way_entry, rff_long_way);

namespace rff {

void VectorState::detect() {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
  __cpuid(1, a, b, c, d);
  if ((c & (1u << 27)) == 0) {
    panic("this processor or kernel has no xsave");
  }
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  mask_ = low & 0xe7;
  // Other state, for which there would be room too, lies beyond.
  constexpr std::size_t kLegacyAndHeader = 576;
  bytes_ = kLegacyAndHeader;
  for (std::uint32_t component = 2; component < 8; ++component) {
    if ((mask_ & (1u << component)) != 0) {
      __cpuid_count(0xd, component, a, b, c, d);  // size and offset
      bytes_ = std::max(bytes_, static_cast<std::size_t>(a) + b);
    }
  }
  RFF_CHECK(bytes_ <= kMostBytes);
}

namespace hook {
namespace {

OpKind op_of(SiteKind kind) {
  switch (kind) {
    case SiteKind::kRead: return OpKind::kRead;
    case SiteKind::kWrite: return OpKind::kWrite;
    default: return OpKind::kReadModifyWrite;
  }
}

// The program may be using its vector registers. The runtime's own code does not, so they are kept
// only while somebody else runs.
void any_access(PatchedModule& m, std::uint32_t site, std::uint64_t address) {
  Thread& t = runtime->execution.current();
  const SiteRecord& record = m.sites[site];
  t.in_patched_code = true;
  runtime->accesses.access(t, m, site, op_of(record.kind), address, record.size);
  t.in_patched_code = false;
  cancel_if_asynchronous();
}

void mostly_private(PatchedModule& m, std::uint32_t site, std::uint64_t address) {
  const SiteRecord& record = m.sites[site];
  if (!runtime->accesses.private_words(runtime->execution.current(), m, site,
                                       record.kind != SiteKind::kWrite,
                                       record.kind != SiteKind::kRead, address, record.size)) {
    any_access(m, site, address);
  }
}

int on_complex(HookRegisters* registers, std::uint32_t site, HookSlots* slots) {
  RFF_KEEP_VECTORS;
  return complex_site(*reinterpret_cast<PatchedModule*>(slots->runtime), site, *registers);
}

}  // namespace

void connect_world(PatchedModule& m) {
  m.slots->runtime = reinterpret_cast<std::uint64_t>(&m);
  m.slots->complex = reinterpret_cast<std::uint64_t>(&on_complex);
}

void connect(PatchedModule& m) {
  connect_world(m);
  bool all = runtime->schedule.points.every_access || runtime->trace.everything();
  m.enter = all ? rff_every_access_entry : rff_access_entry;
  m.slots->access = reinterpret_cast<std::uint64_t>(static_cast<AccessHook*>(&m));
}

void disconnect(PatchedModule& m) {
  m.slots->access = 0;
  m.slots->complex = 0;
}

}  // namespace hook
}  // namespace rff

using namespace rff;
using namespace rff::hook;

void rff_long_way(std::uint64_t address, std::uint32_t code, AccessHook*) {
  PatchedModule& m = *runtime->modules.patched()[code >> 24];
  mostly_private(m, (code & 0xffffff) - 1, address);
}

// Where private accesses are scheduling points or traced too.
void rff_every_access(std::uint64_t address, std::uint32_t site, AccessHook* hook) {
  auto& m = *static_cast<PatchedModule*>(hook);
  if (runtime->accesses.every_access() || runtime->trace.everything()) {
    any_access(m, site, address);
  } else {
    mostly_private(m, site, address);
  }
}
