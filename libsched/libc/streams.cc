#include "libsched/libc/streams.h"

#include "libsched/support/real.h"

namespace rff::streams {
namespace {

FILE** list = nullptr;

}  // namespace

void find_list() { list = static_cast<FILE**>(real::lookup(RTLD_DEFAULT, "_IO_list_all")); }

bool all_at_rest() {
  if (list == nullptr) {
    return false;
  }
  for (const FILE* f = *list; f != nullptr; f = f->_chain) {
    bool wide = f->_mode > 0;
    if (wide || has_output(f) || f->_IO_read_ptr != f->_IO_read_end ||
        f->_IO_save_base != nullptr) {
      return false;
    }
  }
  return true;
}

}  // namespace rff::streams
