// Defines assertions that stay on in release builds: a wrong patched file is worse than none.
#pragma once

#include <stdexcept>

#define RFF_CHECK(condition)                            \
  do {                                                  \
    if (!(condition)) {                                 \
      throw std::logic_error(__FILE__ ": " #condition); \
    }                                                   \
  } while (false)
