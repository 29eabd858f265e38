// Bodies of runs that several tests use.
#pragma once

#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "rff/harness.h"

inline int run(const rff_schedule& schedule, int (*body)(void*), void* argument = nullptr) {
  return rff_run(&schedule, body, argument);
}

// Threads of an abandoned run stand still for good, which kernel threads cannot do: such a run ends
// the process.
inline bool can_abandon_runs() {
  const char* carrier = std::getenv("RFF_CARRIER");
  return carrier == nullptr || std::string_view(carrier) != "thread";
}
#define NEEDS_ABANDONED_RUNS()                                \
  if (!can_abandon_runs()) {                                  \
    GTEST_SKIP() << "kernel threads cannot be left standing"; \
  }

// Two threads append their digit three times each.
inline std::string order;
inline std::mutex order_lock;
inline int append_digits(void*) {
  order.clear();
  auto append = [](char digit) {
    for (int i = 0; i < 3; ++i) {
      std::lock_guard<std::mutex> guard(order_lock);
      order += digit;
    }
  };
  std::thread first(append, '1');
  std::thread second(append, '2');
  first.join();
  second.join();
  return 0;
}
