#include "libsched/process/process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "libsched/carrier/stacks.h"
#include "libsched/libc/thread_descriptor.h"
#include "libsched/libc/thread_variables.h"
#include "libsched/process/inherited_state.h"
#include "libsched/process/one_processor.h"
#include "libsched/process/own_code.h"
#include "libsched/process/restart.h"
#include "libsched/support/arena.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/panic.h"
#include "libsched/support/places.h"
#include "libsched/support/real.h"
#include "schedule/driver_channel.h"
#include "schedule/from_start.h"

namespace rff {
namespace {

// Not inlined: the caller's frame would take one more page of the stack.
__attribute__((noinline)) std::string read_file(const char* path) {
  long fd = own_descriptors::open(path, O_RDONLY);
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

std::vector<char*> copies(char* const* words) {
  std::vector<char*> made;
  for (; *words != nullptr; ++words) {
    std::size_t bytes = std::strlen(*words) + 1;
    made.push_back(static_cast<char*>(std::memcpy(new char[bytes], *words, bytes)));
  }
  return made;
}

}  // namespace

void Process::read_instructions() {
  if (const char* path = std::getenv(kSchedulePathVariable)) {
    schedule_path_ = path;
  }
  if (const char* number = std::getenv(kProcessorVariable)) {
    processor_ = number;
  }
  if (const char* number = std::getenv(kSeenProcessorsVariable)) {
    processors = static_cast<unsigned>(std::atoi(number));
    if (processors == 0 || processors > kMaxProcessors) {
      panic("a program sees 1 to 1024 processors, not ", number);
    }
  }
  if (const char* text = std::getenv(kChecksVariable)) {
    std::optional<Checks> read = checks_from_text(text);
    if (!read) {
      panic("these are no checks: ", text);
    }
    checks = std::move(*read);
  }
  const char* turn = std::getenv(kTurnVariable);
  files.share(turn != nullptr ? std::atoi(turn) : -1);
  driver.connect(std::getenv(driving::kChannelVariable), std::getenv(driving::kStopVariable),
                 modules);
  if (const char* copy = std::getenv(driving::kOutputVariable)) {
    own_descriptors::keep(own_descriptors::kOutputCopy, std::atoi(copy));
  }
  from_start_ = std::getenv(kFromStartVariable) != nullptr;
  inherited_files_ = std::getenv(kExecutedVariable) != nullptr && fork_point_.has_files();
  const char* join = std::getenv(kJoinVariable);
  joins_ = join == nullptr || std::strcmp(join, "off") != 0;
  debugged = std::getenv(kDebuggedVariable) != nullptr;
  trace_path_ = std::getenv(kTracePathVariable);
  traces_everything_ = std::getenv(kTraceAllVariable) != nullptr;
  traces_callers_ = std::getenv(kTraceCallersVariable) != nullptr;
  initial_environment_ = copies(environ);
  remember_inherited_state();
  remember_error_output();
  map_shared();
  if (std::getenv("RFF_CONTROL") != nullptr && std::getenv("RFF_PLACED") == nullptr) {
    panic("its addresses cannot be fixed: the loader did not call librff_place.so (LD_AUDIT); ",
          "use glibc 2.35 or newer");
  }
}

void Process::choose_carrier(Thread& main, HeapListener& heap) {
  const char* wanted = std::getenv(kCarrierVariable);
  const char* why = nullptr;
  stacks().make_room(static_variables());
  if (sanitizer.keeps_threads()) {
    why = "the program uses a sanitizer, which keeps records of threads";
  } else {
    // Prepared for either carrier, since it leaves traces in the heap.
    why = prepare_fibers(main, heap);
    if (why == nullptr && wanted != nullptr && std::strcmp(wanted, "thread") == 0) {
      why = "asked for";
    }
  }
  if (why != nullptr && wanted != nullptr && std::strcmp(wanted, "fiber") == 0) {
    panic("fibers do not work here: ", why);
  }
  carrier_ = why == nullptr ? &fibers() : &kernel_threads();
  if (debugged) {
    name_kernel_threads();
  }
  if (shared != nullptr) {
    shared->carrier = why == nullptr ? 1 : 0;
    shared->carrier_reason.set(why == nullptr ? "" : why);
  }
}

bool Process::uses_fibers() const { return carrier_ == &fibers(); }

void Process::map_shared() {
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
  shared->runtime_started.store(1);
}

void Process::prepare_embedded() {
  constexpr std::uint32_t kStacks = 160;
  auto anonymous = [](std::size_t bytes) {
    long at = real::syscall6(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at < 0) {
      panic("out of memory");
    }
    return at;
  };
  shared = reinterpret_cast<SharedMemory*>(anonymous(sizeof(SharedMemory)));
  shared->initialize();
  embedded_map_ = reinterpret_cast<std::uint8_t*>(anonymous(kLargeMap));
  sanitizer.leave_reports();
  real::look_up_all();
  stacks().prepare(kStacks);
  stacks().expect_used();
  thread_descriptors().remember_variables();
  prepare_generation(false);
  expect_used_generation();
}

void Process::publish_modules() {
  if (shared == nullptr) {
    return;
  }
  for (const Module& m : modules.all()) {
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

bool Process::is_programs(std::string_view variable) {
  return !variable.starts_with("RFF_") && !variable.starts_with("__AFL_") &&
         !variable.starts_with("LD_PRELOAD=");
}

std::string Process::first_variables() const {
  std::string text;
  for (std::string_view variable : initial_environment_) {
    if (is_programs(variable)) {
      text.append(variable).push_back('\0');
    }
  }
  return text;
}

void Process::remember_arguments(char* const words[]) { initial_arguments_ = copies(words); }

void Process::execute_itself(char* const words[], char* const environment[]) {
  execute_program(modules.main_path(), words, environment, initial_environment_);
}

void Process::check_fork_point() {
  if (!from_start_) {
    std::string obstacle = fork_point_.obstacle();
    if (!obstacle.empty()) {
      if (inherited_files_) {
        panic("it executes itself, leaves itself open files, and has at its first thread ",
              obstacle.c_str());
      }
      if (shared != nullptr) {
        shared->fork_point_reason.set(obstacle);
      }
      // Children cannot share what is open now: restart the program with runs that begin before
      // main. The decision depends only on what the program did, so replays make it too.
      restart_program(modules.main_path(), initial_arguments_, initial_environment_);
    }
  }
  if (shared != nullptr) {
    if (from_start_ && shared->fork_point_reason.view().empty()) {
      shared->fork_point_reason.set("every run has an input of its own");
    }
    shared->fork_point = from_start_ ? 1 : 2;
  }
}

Schedule Process::next_schedule(RunPreparation& preparation) {
  stay_on_one_processor(processor_);
  check_fork_point();
  files.end();
  fork_point_.remember_files();
  real::look_up_all();
  thread_descriptors().remember_variables();  // for either carrier: see choose_carrier
  serves_ = schedule_path_.empty() && server_.connect(shared);
  if (!serves_) {
    own_descriptors::close_servers();
  }
  prepare_generation(serves_);
  if (shared != nullptr && !serves_) {
    shared->run.begin();
  }
  if (serves_) {
    return served_schedule(preparation);
  }
  if (schedule_path_.empty()) {
    return {};
  }
  DecodeResult r = decode_schedule(read_file(schedule_path_.c_str()));
  if (!r.schedule) {
    panic("the schedule ", r.error.c_str());
  }
  return std::move(*r.schedule);
}

Schedule Process::served_schedule(RunPreparation& preparation) {
  server_process_ = real::syscall6(SYS_getpid);
  move_code_to_huge_page();
  if (shared != nullptr && carrier_ == &fibers()) {
    server_.allow_in_place();
  }
  TestCase test_case;
  server_.serve(fork_point_, preparation, &test_case);
  DecodeResult r = decode_schedule(test_case.bytes());
  if (!r.schedule) {
    if (shared != nullptr) {
      shared->run.words.set(r.error);
      shared->run.outcome.store(RunOutcome::kBadSchedule);
      shared->run.state.store(RunState::kEnded);
    }
    real::syscall6(SYS_exit_group, 0);
  }
  return std::move(*r.schedule);
}

bool Process::serving() const {
  return server_process_ != 0 && server_process_ == real::syscall6(SYS_getpid);
}

void Process::unmodelled(const char* what) {
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
