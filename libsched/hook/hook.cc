// The entry points of patched code into the runtime: each reports an access to the run.
#include "libsched/hook/hook.h"

#include "libsched/hook/access_entry.h"
#include "libsched/hook/branch_entry.h"
#include "libsched/hook/complex_sites.h"
#include "libsched/hook/quiet_entry.h"
#include "libsched/interpose/interpose.h"
#include "libsched/memory/site_code.h"
#include "libsched/support/vector_state.h"

// What quiet entries keep of the program's stack. Only one thread runs at a time, and another one
// runs only if the first has stopped; then these words are not needed any more.
asm(R"(
  .pushsection .bss.rff_kept_words, "aw", @nobits
  .balign 64
rff_kept_words:
  .skip 64
rff_kept_below:
  .skip 1536
  .popsection
)");

RFF_QUIET_ACCESS_ENTRY(rff_shared_every_access_entry, rff_every_access);
RFF_QUIET_ACCESS_ENTRY(rff_shared_slow_access_entry, rff_slow_access);
RFF_SHORTCUT_ACCESS_ENTRY(rff_every_access_entry, rff_begin_every_access, rff_stop_for_access,
                          rff_whole_access);
RFF_SHORTCUT_ACCESS_ENTRY(rff_slow_access_entry, rff_begin_access, rff_stop_for_access,
                          rff_whole_access);
RFF_COMPARISON_ENTRY(rff_comparison_entry, rff_comparison);

namespace rff::hook {
namespace {

constexpr int kStackPointer = 4;  // in HookRegisters
constexpr std::uint64_t kRedZone = 128;

OpKind op_of(SiteKind kind) {
  switch (kind) {
    case SiteKind::kRead: return OpKind::kRead;
    case SiteKind::kWrite: return OpKind::kWrite;
    default: return OpKind::kReadModifyWrite;
  }
}

// Returns false for code that runs after the thread's end, and for code that the C library calls
// while it creates or ends a thread: an allocator of the program.
bool is_part_of_run() { return known_thread && !InsideRuntime::active(); }

// The thread is in a hook that was called with that stack pointer.
class InHook {
 public:
  InHook(Thread& t, std::uint64_t live_from) : memory_(*t.memory) { memory_.live_from = live_from; }
  ~InHook() { memory_.live_from = 0; }
  InHook(const InHook&) = delete;
  InHook& operator=(const InHook&) = delete;

 private:
  ThreadMemory& memory_;
};

// The program may be using its vector registers. The runtime's own code does not, so they are saved
// only while other code runs. Returns whether the thread has stopped.
bool any_access(PatchedModule& m, std::uint32_t site, std::uint64_t address,
                std::uint64_t entry_frame) {
  Thread& t = runtime->run.execution.current();
  InHook in_hook(t, live_from_entry(entry_frame));
  const SiteRecord& record = m.sites[site];
  std::uint64_t points = runtime->run.execution.points;
  t.carried->entry_frame = entry_frame;
  runtime->run.accesses.access(t, m, site, {op_of(record.kind), address, record.size});
  t.carried->entry_frame = 0;
  cancel_if_asynchronous();
  return runtime->run.execution.points != points;
}

// Returns whether that was all.
bool private_words(PatchedModule& m, std::uint32_t site, std::uint64_t address,
                   std::uint64_t entry_frame) {
  const SiteRecord& record = m.sites[site];
  Thread& t = runtime->run.execution.current();
  InHook in_hook(t, live_from_entry(entry_frame));
  return runtime->run.accesses.private_words(t, m, site, record.kind != SiteKind::kRead, address,
                                             record.size);
}

// Returns whether the thread has stopped.
bool mostly_private(PatchedModule& m, std::uint32_t site, std::uint64_t address,
                    std::uint64_t entry_frame) {
  return !private_words(m, site, address, entry_frame) && any_access(m, site, address, entry_frame);
}

// The access that the current thread has begun on the stack for hooks, and must stop for.
struct Begun {
  PatchedModule* module;
  std::uint32_t site;
  Accesses::Access access;
  Accesses::Planned planned;
};
alignas(kOnBusyPage) Begun begun;

Entered begin_access(PatchedModule& m, std::uint32_t site, std::uint64_t address,
                     std::uint64_t entry_frame) {
  const SiteRecord& record = m.sites[site];
  begun.module = &m;
  begun.site = site;
  begun.access = {op_of(record.kind), address, record.size};
  if (m.chosen[site] != 0) {
    return kMayStop;
  }
  Thread& t = runtime->run.execution.current();
  InHook in_hook(t, live_from_entry(entry_frame));
  return runtime->run.accesses.passes(t, m, site, begun.access, nullptr, &begun.planned) ? kDone
                                                                                         : kStops;
}

PatchedModule& module_with(std::uint32_t code) {
  return *runtime->process.modules.patched()[module_of(code)];
}

bool is_reported(std::uint64_t address) {
  return is_part_of_run() && !runtime->process.sanitizer.owns(address);
}

int renew(JoinedSlots* joined) {
  return is_part_of_run() && runtime->run.accesses.renew(runtime->run.execution.current_memory(),
                                                         *reinterpret_cast<Cell*>(joined->cell),
                                                         joined->writes != 0)
             ? 1
             : 0;
}

int on_complex(HookRegisters* registers, std::uint32_t site, HookSlots* slots) {
  int done = 0;
  auto& module = *reinterpret_cast<PatchedModule*>(slots->runtime);
  bool entry = module.sites[site].kind == SiteKind::kEntry;
  // Most entries of functions are not chosen as stop points.
  if ((entry && module.chosen[site] == 0) || !is_part_of_run()) {
    return done;
  }
  Thread& t = runtime->run.execution.current();
  InHook in_hook(t, registers->gpr[kStackPointer] - kRedZone);
  keeping_vectors(t.carried->vectors, [&] {
    if (entry) {
      runtime->run.accesses.enter(t, module, site);
    } else {
      done = complex_site(module, site, *registers);
    }
  });
  return done;
}

}  // namespace

const HookEntries& entries() {
  static constexpr HookEntries kEntries = {&rff_access_entry,
                                           &rff_shared_access_entry,
                                           &rff_every_access_entry,
                                           &rff_shared_every_access_entry,
                                           &on_complex,
                                           &renew,
                                           &rff_fast_block,
                                           &rff_fast_comparison};
  return kEntries;
}

}  // namespace rff::hook

using namespace rff;
using namespace rff::hook;

int rff_begin_access(std::uint64_t address, std::uint32_t code, AccessHook*) {
  if (!is_reported(address)) {
    return kDone;
  }
  PatchedModule& m = module_with(code);
  return private_words(m, site_of(code), address, RFF_ENTRY_FRAME)
             ? kDone
             : begin_access(m, site_of(code), address, RFF_ENTRY_FRAME);
}

int rff_stop_for_access() {
  Thread& t = runtime->run.execution.current();
  Begun access = begun;
  InHook in_hook(t, live_from_entry(RFF_ENTRY_FRAME));
  t.carried->entry_frame = RFF_ENTRY_FRAME;
  runtime->run.accesses.stop_for(*access.module, access.site, access.access, nullptr,
                                 access.planned);
  t.carried->entry_frame = 0;
  cancel_if_asynchronous();
  return 1;
}

int rff_whole_access() {
  return any_access(*begun.module, begun.site, begun.access.address, RFF_ENTRY_FRAME) ? 1 : 0;
}

int rff_slow_access(std::uint64_t address, std::uint32_t code, AccessHook*) {
  return is_reported(address) &&
                 mostly_private(module_with(code), site_of(code), address, RFF_ENTRY_FRAME)
             ? 1
             : 0;
}

void rff_comparison(std::uint64_t first, std::uint32_t number, std::uint64_t second,
                    AccessHook* hook) {
  runtime->run.branches.compare(runtime->run.execution.current().index,
                                *static_cast<BranchHook*>(hook)->module, number, first, second);
}

namespace {

// Used if private accesses are traced, or may be scheduling points. Returns whether the access may
// be one that takes the way of private ones.
bool may_be_private(PatchedModule& m, std::uint32_t site, std::uint64_t address) {
  const Accesses& accesses = runtime->run.accesses;
  bool by_address = accesses.rules.by_address();
  if (accesses.every_access() || runtime->run.trace.everything() ||
      (by_address && accesses.rules.has_memory(address, m.sites[site].size))) {
    return false;
  }
  if (!runtime->follows_reads() && !by_address) {
    runtime->connect_hooks();  // from now on most accesses are private again
  }
  return true;
}

}  // namespace

int rff_begin_every_access(std::uint64_t address, std::uint32_t site, AccessHook* hook) {
  auto& m = *static_cast<PatchedModule*>(hook);
  bool done = !is_reported(address) || (may_be_private(m, site, address) &&
                                        private_words(m, site, address, RFF_ENTRY_FRAME));
  return done ? kDone : begin_access(m, site, address, RFF_ENTRY_FRAME);
}

int rff_every_access(std::uint64_t address, std::uint32_t site, AccessHook* hook) {
  auto& m = *static_cast<PatchedModule*>(hook);
  bool done = !is_reported(address) || (may_be_private(m, site, address) &&
                                        private_words(m, site, address, RFF_ENTRY_FRAME));
  return !done && any_access(m, site, address, RFF_ENTRY_FRAME) ? 1 : 0;
}
