// Where patched code enters the runtime.
#include "libsched/hook/hook.h"

#include <cpuid.h>

#include "libsched/hook/complex_sites.h"
#include "libsched/hook/vector_state.h"
#include "libsched/runtime.h"
#include "libsched/support/panic.h"

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
  __cpuid_count(0xd, 0, a, b, c, d);
  RFF_CHECK(b <= kMostBytes);
}

namespace hook {
namespace {

struct KindTraits {
  OpKind op;
  bool reads;
  bool writes;
};

KindTraits traits(SiteKind kind) {
  switch (kind) {
    case SiteKind::kRead: return {OpKind::kRead, true, false};
    case SiteKind::kWrite: return {OpKind::kWrite, false, true};
    default: return {OpKind::kReadModifyWrite, true, true};
  }
}

__attribute__((noinline)) void long_way(Thread& t, PatchedModule& m, std::uint32_t site, OpKind op,
                                        std::uint64_t address, std::uint32_t size) {
  VectorState keep;
  runtime->accesses.access(t, m, site, op, address, size);
}

void on_access(std::uint64_t address, std::uint32_t site, HookSlots* slots, HookFrame*) {
  auto& m = *reinterpret_cast<PatchedModule*>(slots->runtime);
  const SiteRecord& record = m.sites[site];
  KindTraits k = traits(record.kind);
  Thread& t = runtime->execution.current();
  if (!runtime->accesses.private_access(t, m, site, k.reads, k.writes, address, record.size)) {
    long_way(t, m, site, k.op, address, record.size);
  }
}

int on_complex(HookRegisters* registers, std::uint32_t site, HookSlots* slots) {
  VectorState keep;
  return complex_site(*reinterpret_cast<PatchedModule*>(slots->runtime), site, *registers);
}

}  // namespace

void connect_world(PatchedModule& m) {
  m.slots->runtime = reinterpret_cast<std::uint64_t>(&m);
  m.slots->complex = reinterpret_cast<std::uint64_t>(&on_complex);
}

void connect(PatchedModule& m) {
  connect_world(m);
  m.slots->access = reinterpret_cast<std::uint64_t>(&on_access);
}

void disconnect(PatchedModule& m) {
  m.slots->access = 0;
  m.slots->complex = 0;
}

}  // namespace hook
}  // namespace rff
