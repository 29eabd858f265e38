#include "libsched/process/runtime.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "libsched/libc/thread_descriptor.h"
#include "libsched/report/findings.h"
#include "libsched/hook/hook.h"
#include "libsched/process/inherited_state.h"
#include "libsched/support/arena.h"
#include "libsched/support/aside.h"
#include "libsched/process/one_processor.h"
#include "libsched/process/own_code.h"
#include "libsched/support/panic.h"
#include "libsched/support/places.h"
#include "libsched/support/real.h"
#include "libsched/support/vector_state.h"

extern "C" void* __libc_stack_end;

namespace rff {
namespace {

// Not part of its caller, whose frame would take one more page of the stack.
__attribute__((noinline)) std::string read_file(const char* path) {
  long fd =
      real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    panic("cannot read the schedule ", path);
  }
  std::string bytes;
  char chunk[4096];
  for (;;) {
    long n = real::syscall6(SYS_read, fd, reinterpret_cast<long>(chunk), sizeof chunk);
    if (n <= 0) {
      break;
    }
    bytes.append(chunk, static_cast<std::size_t>(n));
  }
  real::syscall6(SYS_close, fd);
  return bytes;
}

// The kernel gives every process 16 random bytes.
void fix_random_seed() {
  if (auto* bytes = reinterpret_cast<unsigned char*>(getauxval(AT_RANDOM))) {
    for (unsigned char i = 0; i < 16; ++i) {
      bytes[i] = static_cast<unsigned char>(0x5a ^ i);
    }
  }
}

}  // namespace

Runtime* runtime = nullptr;

Runtime::Runtime()
    : execution(*this), locations(modules), events(locations, modules), accesses(*this) {}

void Runtime::start_process() {
  Thread& main = execution.current();
  main.stack_high = reinterpret_cast<std::uint64_t>(__libc_stack_end);
  main.stack_low = main.stack_high - (std::uint64_t{8} << 20);
  modules.refresh();
  locations.add_stack(main);
  UseArena guard(Arena::kAside);
  if (const char* path = std::getenv(kSchedulePathVariable)) {
    schedule_path_ = path;
  }
  if (const char* number = std::getenv(kProcessorVariable)) {
    processor_ = number;
  }
  from_start_ = std::getenv("RFF_FROM_START") != nullptr;
  debugged = std::getenv(kDebuggedVariable) != nullptr;
  for (char** v = environ; *v != nullptr; ++v) {
    initial_environment_.push_back(*v);
  }
  remember_inherited_state();
  map_shared();
  if (const char* path = std::getenv(kTracePathVariable)) {
    trace.open(path, std::getenv(kTraceAllVariable) != nullptr);
  }
  execution.set_scheduler(make_random_walk(Schedule{}, accesses), schedule);
  // One arena: threads do not run side by side, and addresses should not depend on how many there
  // are.
  mallopt(M_ARENA_MAX, 1);
  choose_carrier();
  fix_random_seed();
  for (PatchedModule* m : modules.patched()) {
    hook::connect_world(*m);
  }
}

void Runtime::choose_carrier() {
  const char* wanted = std::getenv(kCarrierVariable);
  const char* why = nullptr;
  if (real::lookup(RTLD_DEFAULT, "__asan_init") != nullptr ||
      real::lookup(RTLD_DEFAULT, "__tsan_init") != nullptr) {
    why = "the program uses a sanitizer";
  } else {
    // Whichever carrier it will be: it leaves its traces in the heap.
    why = prepare_fibers(execution.current());
    if (why == nullptr && wanted != nullptr && std::strcmp(wanted, "thread") == 0) {
      why = "asked for";
    }
  }
  if (why == nullptr) {
    execution.set_carrier(fibers());
  } else if (wanted != nullptr && std::strcmp(wanted, "fiber") == 0) {
    panic("fibers do not work here: ", why);
  }
  if (shared != nullptr) {
    shared->carrier = why == nullptr ? 1 : 0;
    shared->carrier_reason.set(why == nullptr ? "" : why);
  }
}

// Children cannot share what is open now: begin again, with runs that start before main. The
// decision depends only on what the program did, so replays take it too.
void Runtime::restart_from_start() {
  for (int fd = 3; fd < 198; ++fd) {
    real::syscall6(SYS_close, fd);
  }
  put_back_inherited_state();
  static char mark[] = "RFF_FROM_START=1";
  std::vector<char*> environment = initial_environment_;
  environment.insert(environment.begin(), mark);
  environment.push_back(nullptr);
  real::syscall6(SYS_execve, reinterpret_cast<long>("/proc/self/exe"),
                 reinterpret_cast<long>(arguments), reinterpret_cast<long>(environment.data()));
  panic("cannot restart the program");
}

void Runtime::map_shared() {
  const char* path = std::getenv(kSharedPathVariable);
  if (path == nullptr) {
    return;
  }
  long fd = real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    panic("cannot open the shared memory ", path);
  }
  long address = real::syscall6(SYS_mmap, places::kSharedMemory, sizeof(SharedMemory),
                                PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  real::syscall6(SYS_close, fd);
  if (address < 0) {
    panic("cannot map the shared memory ", path);
  }
  shared = reinterpret_cast<SharedMemory*>(address);
  if (!shared->valid()) {
    panic("this is no shared memory of this version: ", path);
  }
  panic_place = &shared->panic;
}

void Runtime::publish_modules() {
  for (const Module& m : modules.all()) {
    trace::ModuleInfo info{m.hash, m.patched != nullptr ? 1u : 0u, m.bias, m.end};
    trace.module(info, m.path);
    if (shared == nullptr) {
      continue;
    }
    ModuleRecord record{};
    record.hash = m.hash;
    record.flags = (m.patched != nullptr ? kModulePatched : 0u) | (m.main ? kModuleMain : 0u) |
                   (m.system ? kModuleSystem : 0u);
    record.base = m.bias;
    record.end = m.end;
    record.path.set(m.path);
    bool known = std::any_of(
        shared->modules.begin(), shared->modules.end(),
        [&](const ModuleRecord& r) { return r.hash == record.hash && r.base == record.base; });
    if (!known) {
      shared->modules.append(record);
    }
  }
}

void Runtime::start_run() {
  if (!run_started_) {
    run_started_ = true;
    // The loader, for one, leaves them on the program's stack.
    keeping_vectors(execution.current().vectors, [&] { aside([&] { begin_run(); }); });
  }
}

void Runtime::begin_run() {
  modules.refresh();
  publish_modules();
  stay_on_one_processor(processor_);
  ForkPoint point;
  if (!from_start_) {
    std::string obstacle = point.obstacle();
    if (!obstacle.empty()) {
      if (shared != nullptr) {
        shared->fork_point_reason.set(obstacle);
      }
      restart_from_start();
    }
  }
  if (shared != nullptr) {
    shared->fork_point = from_start_ ? 1 : 2;
  }
  point.remember_offsets();
  real::look_up_all();
  thread_descriptors().remember_variables();  // whichever carrier it is: see choose_carrier
  Schedule s;
  bool served = schedule_path_.empty() && server_.connect(shared);
  prepare_generation(served);
  if (shared != nullptr && !served) {
    shared->run.begin();
  }
  if (!schedule_path_.empty()) {
    DecodeResult r = decode_schedule(read_file(schedule_path_.c_str()));
    if (!r.schedule) {
      panic("the schedule ", r.error.c_str());
    }
    s = std::move(*r.schedule);
  } else if (served) {
    serving_ = true;
    move_code_to_huge_page();
    TestCase test_case;
    server_.serve(
        point, [] { runtime->prepare_runs(); }, &test_case);
    serving_ = false;
    DecodeResult r = decode_schedule(test_case.bytes());
    if (!r.schedule) {
      if (shared != nullptr) {
        shared->run.message.set(r.error);
        shared->run.outcome.store(RunOutcome::kBadSchedule);
        shared->run.state.store(RunState::kEnded);
      }
      real::syscall6(SYS_exit_group, 0);
    }
    s = std::move(*r.schedule);
  }
  {
    // Fork server or not: the runtime's memory looks the same.
    UseArena guard(Arena::kMain);
    start_generation();
    shadow.start_afresh();
    locations.start_afresh();
    events.start(shared != nullptr ? &shared->run : nullptr, served ? server_.map() : nullptr);
  }
  use_schedule(s);
}

void Runtime::use_schedule(const Schedule& s) {
  schedule = s;
  choices = Random(hash_combine(s.seed, 0x63686f6963657331ULL));
  execution.set_scheduler(make_scheduler(schedule, accesses), schedule);
  if (schedule.finding && !schedule.finding->decisions.empty()) {
    execution.set_prefix(&schedule.finding->decisions);
  } else if (!schedule.prefix.empty() && !schedule.guided) {
    execution.set_prefix(&schedule.prefix);
  }
  trace.thread(execution.current());
  apply_points();
  install_hooks();
}

// In the fork server: most schedules want all points that are known, and hooks for private
// accesses. Children find them there.
void Runtime::prepare_runs() {
  if (shared != nullptr) {
    accesses.points.use(shared->points.begin(), shared->points.end());
  }
  install_hooks();
}

void Runtime::apply_points() {
  PointSet& points = accesses.points;
  if (schedule.points.listed || shared == nullptr) {
    std::vector<std::uint64_t> sites;
    for (CodeName c : schedule.points.sites) {
      sites.push_back(c.packed());
    }
    points.use(sites.data(), sites.data() + sites.size());
  } else if (points.size() == 0 || schedule.points.shared_version < points.size()) {
    std::uint32_t n = std::min(schedule.points.shared_version, shared->points.size());
    points.use(shared->points.begin(), shared->points.begin() + n);
  }  // else prepared
}

void Runtime::install_hooks() {
  for (PatchedModule* m : modules.patched()) {
    hook::connect(*m);
  }
}

void Runtime::modules_changed() {
  bool changed = false;
  aside([&] { changed = modules.refresh(); });
  if (!changed) {
    return;
  }
  if (!run_started_) {
    for (PatchedModule* m : modules.patched()) {
      hook::connect_world(*m);
    }
    return;
  }
  aside([&] {
    publish_modules();
    accesses.points.mark_new_modules();
    install_hooks();
  });
}

void Runtime::finish_run(int status) {
  if (finished_) {
    return;
  }
  finished_ = true;
  exit_status = status;
  accesses.finish_write(execution.current());
  RunOutcome outcome = RunOutcome::kNormal;
  if (shared != nullptr) {
    RunRecord& run = shared->run;
    Scheduler::ConstraintCounts counts = execution.scheduler().constraint_counts();
    run.events = execution.steps;
    run.scheduling_points = execution.points;
    run.switches = execution.switches;
    run.threads = static_cast<std::uint32_t>(execution.threads().size());
    run.points_version = schedule.points.shared_version;
    run.rf_combination = events.combination();
    run.control_flow = events.control_flow();
    run.trace_hash = accesses.trace_hash();
    run.satisfied = counts.satisfied;
    run.abandoned = counts.abandoned;
    run.rejected = counts.rejected;
    if (run.threads == 1) {
      run.flags |= kNoThreads;
    }
    for (std::uint64_t site : accesses.points.learned()) {
      shared->points.append(site);
    }
    outcome = run.outcome.load();
    if (outcome == RunOutcome::kUnknown) {
      outcome = RunOutcome::kNormal;
      run.outcome.store(outcome);
    }
    run.state.store(RunState::kEnded);
  }
  if (trace.enabled() && !found) {
    trace::OutcomeInfo info{};
    info.outcome = static_cast<std::uint32_t>(outcome);
    info.signal = static_cast<std::uint32_t>(status);
    info.steps = execution.steps;
    info.trace_hash = accesses.trace_hash();
    trace.outcome(info, "");
  }
  trace.flush();
  execution.current().stretch_end = 0;  // no access takes the shortest way any more
}

void Runtime::unmodelled(const char* what) {
  if (shared == nullptr) {
    return;
  }
  SharedText<64> name{};
  name.set(what);
  for (const auto& known : shared->unmodelled_calls) {
    if (known.view() == name.view()) {
      return;
    }
  }
  shared->unmodelled_calls.append(name);
}

}  // namespace rff
