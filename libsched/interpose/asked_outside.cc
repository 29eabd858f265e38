#include "libsched/interpose/asked_outside.h"

#include <sys/syscall.h>

#include <string>

#include "libsched/interpose/interpose.h"
#include "libsched/support/runtime_stack.h"

// Defined by the linker.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

namespace rff {
namespace {

bool noted() { return controlled() && runtime->run.trace.enabled(); }

void note(const char* what, const char* subject, const void* answer, std::size_t bytes) {
  trace::OutsideInfo info = {};
  info.step = runtime->run.execution.steps;
  info.address = reinterpret_cast<std::uint64_t>(answer);
  info.bytes = bytes;
  info.thread = runtime->run.execution.current().index;
  std::string text = what;
  text += subject != nullptr ? std::string(" ") + subject : "";
  runtime->run.trace.outside(info, text);
}

}  // namespace

void asked_outside(const char* what, const char* subject, const void* answer, std::size_t bytes) {
  if (noted()) {
    on_runtime_stack([&] { note(what, subject, answer, bytes); });
  }
}

void asked_about(const char* what, int fd, const void* answer, std::size_t bytes,
                 const void* caller) {
  auto* code = static_cast<const char*>(caller);
  if (!noted() || (code >= __ehdr_start && code < _end)) {
    return;
  }
  on_runtime_stack([&] {
    std::string link = "/proc/self/fd/" + std::to_string(fd);
    char name[1024] = {};
    real::syscall6(SYS_readlink, reinterpret_cast<long>(link.c_str()), reinterpret_cast<long>(name),
                   sizeof name - 1);
    note(what, name, answer, bytes);
  });
}

}  // namespace rff
