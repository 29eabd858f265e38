#include "libsched/interpose/asked_outside.h"

#include <string>

#include "libsched/interpose/interpose.h"
#include "libsched/support/runtime_stack.h"

namespace rff {

void asked_outside(const char* what, const char* subject, const void* answer, std::size_t bytes) {
  if (!controlled() || !runtime->run.trace.enabled()) {
    return;
  }
  on_runtime_stack([&] {
    trace::OutsideInfo info = {};
    info.step = runtime->run.execution.steps;
    info.address = reinterpret_cast<std::uint64_t>(answer);
    info.bytes = bytes;
    info.thread = runtime->run.execution.current().index;
    std::string text = what;
    text += subject != nullptr ? std::string(" ") + subject : "";
    runtime->run.trace.outside(info, text);
  });
}

}  // namespace rff
