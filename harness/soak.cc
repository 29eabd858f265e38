// soak RUNS: runs with 1 to 20 threads in one process. From a thousandth of them on, resident
// memory grows by no more than 1 MB and the number of mappings does not change.
#include <rff/harness.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

int body(void* argument) {
  std::vector<std::thread> threads;
  for (int i = 0; i < *static_cast<int*>(argument); ++i) {
    threads.emplace_back([] { sched_yield(); });
  }
  for (std::thread& t : threads) {
    t.join();
  }
  return 0;
}

struct Use {
  long resident_kb = 0;
  long mappings = 0;
};

Use use_now() {
  Use use;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    ++use.mappings;
  }
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) {
      use.resident_kb = std::atol(line.c_str() + 6);
    }
  }
  return use;
}

}  // namespace

int main(int argc, char** argv) {
  long runs = argc > 1 ? std::atol(argv[1]) : 0;
  if (runs < 2000) {
    std::fputs("usage: soak RUNS (2000 or more)\n", stderr);
    return 2;
  }
  use_now();  // what reading takes itself
  Use early;
  for (long i = 1; i <= runs; ++i) {
    int threads = 1 + static_cast<int>(i % 20);
    rff_schedule schedule = rff_schedule_from_seed(static_cast<std::uint64_t>(i), "random");
    rff_run(&schedule, body, &threads);
    if (i == 1000) {
      early = use_now();
    }
  }
  Use late = use_now();
  std::printf("%ld runs: resident %ld kB, then %ld kB; mappings %ld, then %ld\n", runs,
              early.resident_kb, late.resident_kb, early.mappings, late.mappings);
  return late.resident_kb <= early.resident_kb + 1024 && late.mappings == early.mappings ? 0 : 1;
}
