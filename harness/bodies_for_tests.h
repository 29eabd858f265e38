// Bodies of runs that several tests use.
#pragma once

#include <mutex>
#include <string>
#include <thread>

#include "rff/harness.h"

inline int run(const rff_schedule& schedule, int (*body)(void*), void* argument = nullptr) {
  return rff_run(&schedule, body, argument);
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
