#include "libsched/support/known_thread.h"

namespace rff {

thread_local bool known_thread = false;

}  // namespace rff
