// A gate: threads wait until it is opened; then it stays open. A function of libsched/interpose/
// has `runtime->run.execution` for the execution and `RFF_CALLER` for the site.
#pragma once

#include "libsched/engine/execution.h"

namespace rff {

class Gate {
 public:
  explicit Gate(Execution& execution) : execution_(execution) {}

  void pass(CodeName site) {
    Operation op = operation(OpKind::kWake, site);
    op.waits_for = &kIsOpen;
    op.state = this;
    execution_.perform(op);
  }

  void open(CodeName site) {
    Operation op = operation(OpKind::kBroadcast, site);
    execution_.perform(op);
    open_ = true;
    execution_.changed(this);
  }

 private:
  static bool is_open(const Operation& op) { return static_cast<const Gate*>(op.state)->open_; }
  // No thread holds a gate. The last word: open() calls changed(), so the engine need not poll.
  static constexpr WaitRule kIsOpen = {is_open, nullptr, WaitObject::kConditionVariable, true};

  Operation operation(OpKind kind, CodeName site) {
    Operation op;
    op.op = kind;
    op.address = reinterpret_cast<std::uint64_t>(this);
    op.site = site;
    return op;
  }

  Execution& execution_;
  bool open_ = false;
};

}  // namespace rff
