#include "libsched/process/destructors.h"

#include <link.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace rff {
namespace {

struct Destructors {
  void (**functions)() = nullptr;  // called from the last to the first
  std::size_t count = 0;
  void (*finally)() = nullptr;
  bool special =
      false;  // an auditor is notified, or there are functions that run before all constructors

  bool any() const { return count > 0 || finally != nullptr; }
};

void (*loaders_way)() = nullptr;
bool only_loader_knows = false;
Destructors programs;
const link_map* newest = nullptr;  // the newest of those that stay until the end

Destructors destructors_of(const link_map& module) {
  Destructors found;
  for (const ElfW(Dyn)* d = module.l_ld; d != nullptr && d->d_tag != DT_NULL; ++d) {
    switch (d->d_tag) {
      case DT_FINI_ARRAY:
        found.functions = reinterpret_cast<void (**)()>(module.l_addr + d->d_un.d_ptr);
        break;
      case DT_FINI_ARRAYSZ: found.count = d->d_un.d_val / sizeof *found.functions; break;
      case DT_FINI:
        found.finally = reinterpret_cast<void (*)()>(module.l_addr + d->d_un.d_ptr);
        break;
      case DT_AUDIT:
      case DT_DEPAUDIT:
      case DT_PREINIT_ARRAY: found.special = true; break;
      default: break;
    }
  }
  return found;
}

bool has_constructors(const link_map& module) {
  for (const ElfW(Dyn)* d = module.l_ld; d != nullptr && d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_INIT || d->d_tag == DT_INIT_ARRAY) {
      return true;
    }
  }
  return false;
}

// Returns true for the runtime, and for the C library, which has no destructors to call.
bool is_known(const link_map& module) {
  std::string_view path = module.l_name;
  return module.l_ld == _DYNAMIC || path.substr(path.rfind('/') + 1).starts_with("libc.so.");
}

}  // namespace

void remember_destructors(void (*by_loader)()) {
  loaders_way = by_loader;
  const link_map* program = _r_debug.r_map;
  programs = destructors_of(*program);
  only_loader_knows = programs.special || std::getenv("LD_AUDIT") != nullptr;
  newest = program;
  while (newest->l_next != nullptr) {
    newest = newest->l_next;
    only_loader_knows |=
        !is_known(*newest) && (has_constructors(*newest) || destructors_of(*newest).any());
  }
}

void leave_destructors_to_loader() { only_loader_knows = true; }

bool call_destructors() {
  if (only_loader_knows || newest->l_next != nullptr) {
    loaders_way();
    return false;
  }
  for (std::size_t i = programs.count; i-- > 0;) {
    programs.functions[i]();
  }
  if (programs.finally != nullptr) {
    programs.finally();
  }
  return true;
}

}  // namespace rff
