// A fuzz target: one thread frees what another one uses, if it comes between its test and its use.
#include <rff/harness.h>

#include <cstdlib>
#include <thread>

static int* shared;

static void use() {
  if (shared != nullptr) {
    *shared = 1;
  }
}

static void release() {
  int* old = shared;
  shared = nullptr;
  std::free(old);
}

static int body(void*) {
  shared = static_cast<int*>(std::malloc(sizeof(int)));
  std::thread user(use);
  std::thread owner(release);
  user.join();
  owner.join();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  rff_schedule schedule = rff_schedule_from_bytes(&data, &size, RFF_ALL);
  return rff_run(&schedule, body, nullptr);
}
