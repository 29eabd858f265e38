// Field offsets of the C library's private structures, as published for debuggers (libthread_db).
#pragma once

#include <dlfcn.h>

#include <cstdint>

#include "libsched/support/real.h"

namespace rff {

template <typename T>
bool look_up(T& symbol, const char* name) {
  symbol = reinterpret_cast<T>(real::lookup(RTLD_DEFAULT, name));
  return symbol != nullptr;
}

// Looks up "_thread_db_STRUCTURE_FIELD". Returns false if it is not published or has another size.
inline bool debugger_offset(const char* name, std::uint32_t bits, std::uint32_t* offset) {
  struct Field {
    std::uint32_t bits, elements, offset;
  };
  const Field* field = nullptr;
  if (!look_up(field, name) || field->bits != bits) {
    return false;
  }
  *offset = field->offset;
  return true;
}

}  // namespace rff
