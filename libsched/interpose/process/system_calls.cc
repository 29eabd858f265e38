// Bare system calls that affect other threads, time or the world. They are modeled like the
// functions of the C library; see system_call_table.h.
#include "libsched/interpose/process/system_calls.h"

#include <stdarg.h>

#include <string>

#include "libsched/interpose/asked_outside.h"
#include "libsched/interpose/files/file_turns.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/system_call_classes.h"
#include "libsched/interpose/process/system_call_table.h"

namespace rff {
namespace {

// For calls without a row, which the runtime knows only by their numbers.
void name_unknown(long number) {
  std::string name = "syscall(" + std::to_string(number) + ")";
  touched_outside(name.c_str());
}

std::optional<long> carry_out(long number, const SystemCallArguments& a) {
  const SystemCall* call = find_system_call(number);
  if (call != nullptr && call->klass == SystemCallClass::kModelled) {
    return call->handler(a);
  }
  if (call != nullptr) {
    touched_outside(call->name);
  } else if (is_in(kChangingCalls, number)) {
    will_change();
  } else if (!is_in(kPlainCalls, number)) {
    name_unknown(number);
  }
  runtime->run.execution.progress.looked_outside();
  asked_outside(call != nullptr ? call->name : "syscall", nullptr);
  const long(&w)[6] = a.words;
  return real::syscall6(number, w[0], w[1], w[2], w[3], w[4], w[5]);
}

}  // namespace

bool system_call(long number, const long (&arguments)[6], const void* caller, long* result) {
  int error = errno;  // the kernel does not change it
  std::optional<long> done = carry_out(number, {arguments, caller});
  errno = error;
  *result = done.value_or(*result);
  return done.has_value();
}

}  // namespace rff

using namespace rff;

RFF_EXPORT long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (long& word : a) {
    word = va_arg(rest, long);
  }
  va_end(rest);
  long result = 0;
  if (!controlled() || !system_call(number, a, RFF_CALLER, &result)) {
    result = real::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
