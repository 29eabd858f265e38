#include "libsched/interpose/descriptors/attendant.h"

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/sync/thread_table.h"

namespace rff {

void Attendant::renew() {
  if (thread_ == nullptr) {
    Operation first;
    prepare(first);
    thread_ = &make_attendant(name(), first, serve, this, first.site);
  } else if (thread_->state == ThreadState::kPending) {
    Operation op;
    prepare(op);
    runtime->run.execution.restate(*thread_, op);
  }
}

void* Attendant::serve(void* attendant) {
  auto& self = *static_cast<Attendant*>(attendant);
  for (;;) {
    self.act();
    Operation op;
    self.prepare(op);
    runtime->run.execution.perform(op);
  }
}

}  // namespace rff
