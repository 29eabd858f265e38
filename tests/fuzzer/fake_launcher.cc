// Stands in for rff-launch and the runtime in tests of the campaign and of the runner: speaks
// AFL++'s fork-server protocol and fills the shared memory, but only pretends to run a program. The
// result of a run is a function of its schedule.
//
// The simulated program has one writer and one reader of each of a few variables, and its assertion
// fails when a schedule forbids the reader of variable 3 to read from its writer. The argument
// after PROG changes its behavior:
//   crash      every run fails (also: crash and die, slow crash)
//   nothreads  no thread is ever created
//   flaky      failures do not repeat
//   slow       a run takes 100 ms
//   die        the fork server dies at the fifth run
//   mute       there is no fork server
//   killed     every tenth run is killed in the middle
//   status     every run ends with status 5
//   long       every run fails, with more decisions and pairs than the record holds
// In a fresh process also:
//   talks      prints the carrier, and a word to standard error
//   hangs      does not end
//   absent     complains and ends without a run
// A trace, if one is requested, has one note: "shared" or "everything".
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fuzzer/common/files.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"
#include "schedule/trace.h"

namespace {

using namespace rff;

// AFL++ looks for this name in the executable.
volatile const char* afl_signature = "__AFL_SHM_ID";

std::string behavior;
unsigned char* afl_map = nullptr;
SharedMemory* shared = nullptr;

SharedMemory* map_shared() {
  int fd = ::open(std::getenv(kSharedPathVariable), O_RDWR);
  void* memory = ::mmap(nullptr, sizeof(SharedMemory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED || !static_cast<SharedMemory*>(memory)->valid()) {
    ::_exit(99);
  }
  return static_cast<SharedMemory*>(memory);
}

AbstractEvent event(OpKind op, std::uint32_t variable) {
  Location x{LocationKind::kGlobal, module_hash("prog"), 0x4000 + 8 * std::uint64_t{variable}};
  return AbstractEvent::make(
      op, x, 4, {module_hash("prog"), 0x1000 + 16 * variable + (op == OpKind::kRead ? 4u : 0u)});
}

// Fills the record. Returns how the child ends: 0 or a signal.
int pretend(const Schedule& schedule, bool fresh_process) {
  RunRecord& run = shared->run;
  run.begin();
  run.rf_combination = 0;
  bool failed = behavior.find("crash") != std::string::npos || behavior == "long";
  Random random(schedule.seed);
  for (std::uint32_t v = 0; v < 5; ++v) {
    AbstractEvent write = event(OpKind::kWrite, v);
    AbstractEvent read = event(OpKind::kRead, v);
    bool early = random.chance(1, 3);
    for (const Constraint& c : schedule.constraints.constraints()) {
      early = c.read == read ? !c.positive : early;
      failed = failed || (v == 3 && c.read == read && c.write == write && !c.positive);
    }
    AbstractEvent source = early ? AbstractEvent::init(read.location()) : write;
    run.event_list.append(source);
    run.event_list.append(read);
    run.pairs.append({2 * v, 2 * v + 1});
    run.rf_combination = hash_combine(run.rf_combination, early);
    run.decisions.append({static_cast<std::uint16_t>(early), static_cast<std::uint16_t>(v)});
    if (afl_map != nullptr) {
      afl_map[2 * v + early] = 1;
    }
  }
  if (behavior == "long") {
    run.decisions.overflowed.store(1);
    run.pairs.overflowed.store(1);
  }
  if (shared->points.size() == 0) {
    for (std::uint32_t v = 0; v < 5; ++v) {
      shared->points.append(event(OpKind::kRead, v).site.packed());
      shared->points.append(event(OpKind::kWrite, v).site.packed());
    }
  }
  run.events = 10;
  run.scheduling_points = 10;
  run.trace_hash = run.rf_combination;
  if (behavior == "nothreads") run.flags = kNoThreads;
  if (behavior == "flaky" && fresh_process) {
    failed = false;
  }
  if (failed) {
    run.finding = FindingKind::kAssert;
    run.place = {module_hash("prog"), 0x1034};
    run.words.set("assertion 'x' failed");
  }
  run.outcome.store(failed ? RunOutcome::kFinding : RunOutcome::kNormal);
  run.state.store(RunState::kEnded);
  if (behavior.starts_with("slow")) {
    ::usleep(100'000);
  }
  return failed ? SIGABRT : 0;
}

// Writes the smallest possible trace.
void write_trace(const char* path) {
  std::string text = std::getenv(kTraceAllVariable) != nullptr ? "everything" : "shared";
  trace::TraceHeader header{};
  std::memcpy(header.magic, trace::kMagic, sizeof header.magic);
  header.version = trace::kVersion;
  trace::RecordHeader record{trace::RecordKind::kNote, static_cast<std::uint32_t>(text.size())};
  write_file(path, std::string(reinterpret_cast<char*>(&header), sizeof header) +
                       std::string(reinterpret_cast<char*>(&record), sizeof record) + text);
}

int end_by(int signal_number) {
  if (signal_number != 0) {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
  }
  return 0;
}

void serve() {
  constexpr int kControl = 198, kStatus = 199;
  auto* input =
      static_cast<unsigned char*>(::shmat(std::atoi(std::getenv("__AFL_SHM_FUZZ_ID")), nullptr, 0));
  afl_map =
      static_cast<unsigned char*>(::shmat(std::atoi(std::getenv("__AFL_SHM_ID")), nullptr, 0));
  // The fork server is enabled, with a map size (65536) and test cases in shared memory.
  std::uint32_t hello = 0x80000001u | 0x40000000u | 0x01000000u | ((65536u - 1) << 1);
  if (::write(kStatus, &hello, 4) != 4) {
    return;
  }
  std::uint32_t request = 0;
  if (hello & 0x01000000u) {
    if (::read(kControl, &request, 4) != 4) return;  // afl-fuzz repeats the options
  }
  std::string last;
  unsigned char last_map[16] = {};
  int status = 0;
  while (::read(kControl, &request, 4) == 4) {
    std::uint32_t length;
    std::memcpy(&length, input, 4);
    std::string bytes(reinterpret_cast<char*>(input + 4), length);
    int pid = ::getpid();
    if (::write(kStatus, &pid, 4) != 4) return;
    if (bytes == last && !shared->cache_disabled.load()) {
      ++shared->cache_hits;
      std::memcpy(afl_map, last_map, sizeof last_map);
    } else {
      DecodeResult decoded = decode_schedule(bytes);
      if (behavior.ends_with("die") && shared->forks == 4) ::_exit(1);
      ++shared->forks;
      status = decoded.schedule ? pretend(*decoded.schedule, false) : 0;
      if (behavior == "killed" && shared->forks % 10 == 0) {
        shared->run.state.store(RunState::kStarted);
        shared->run.outcome.store(RunOutcome::kUnresponsive);
        shared->run.steps.append({0, 0, 1, 0, 0});
        status = SIGKILL;
      }
      status = behavior == "status" ? 5 << 8 : status;
      shared->run.wait_status = status;
      last = bytes;
      std::memcpy(last_map, afl_map, sizeof last_map);
    }
    if (::write(kStatus, &status, 4) != 4) return;
  }
}

int run_once(const std::string& schedule) {
  if (behavior == "absent") {
    std::puts("cannot preload the runtime\nbecause it pretends to be gone");
    return 1;
  }
  while (behavior == "hangs") {
    ::pause();
  }
  if (behavior == "talks") {
    const char* carrier = std::getenv(kCarrierVariable);
    std::printf("carrier %s\n", carrier != nullptr ? carrier : "unset");
    std::fputs("trouble\n", stderr);
    std::fflush(stdout);
  }
  if (const char* path = std::getenv(kTracePathVariable)) {
    write_trace(path);
  }
  DecodeResult decoded = decode_schedule(schedule);
  return decoded.schedule ? end_by(pretend(*decoded.schedule, true)) : 98;
}

}  // namespace

int main(int argc, char** argv) {
  (void)afl_signature;
  behavior = argc > 2 ? argv[2] : "";
  shared = map_shared();
  if (const char* path = std::getenv(kSchedulePathVariable)) {
    return run_once(read_file(path).value_or(""));
  }
  if (behavior != "mute") {
    serve();
  }
  return 0;
}
