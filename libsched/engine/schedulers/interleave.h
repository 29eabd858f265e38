// For tests of schedulers: programs as lists of operations, interleaved by a scheduler.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libsched/engine/schedulers/scheduler.h"

namespace rff {

inline constexpr std::uint64_t kX = 0x1000;
inline constexpr std::uint64_t kY = 0x2000;

inline Location place(std::uint64_t address) { return {LocationKind::kGlobal, 1, address}; }

inline Operation make_operation(OpKind op, std::uint64_t address, std::uint32_t site) {
  Operation o;
  o.op = op;
  o.address = address;
  o.size = 4;
  o.site = {1, site};
  o.event = AbstractEvent::make(op, place(address), 4, o.site);
  o.id = o.event.id();
  return o;
}

// The operation that creates the thread with this index.
inline Operation make_creation(std::uint32_t thread, std::uint32_t site) {
  Operation o = make_operation(OpKind::kThreadCreate, 0, site);
  o.size = thread;
  return o;
}

// Keeps the last writers as a run would.
class Memory : public LastWriters {
 public:
  std::uint64_t last_writer(std::uint64_t address) override {
    return writers.contains(address) ? writers[address] : AbstractEvent::init(place(address)).id();
  }
  std::map<std::uint64_t, std::uint64_t> writers;
};

// Runs threads, each a list of operations, to the end. Their names are "0", "1", … A thread that
// another creates begins then, all others at once. Returns the order of sites as text.
inline std::string interleave(Scheduler& scheduler, Memory& memory,
                              std::vector<std::vector<Operation>> program) {
  std::vector<Thread> threads(program.size());
  std::vector<std::size_t> at(program.size(), 0);
  PendingThreads pending;
  pending.start(scheduler.crowds(), kNoPreemption);
  std::string order;
  std::vector<bool> created(program.size(), false);
  for (const auto& operations : program) {
    for (const Operation& op : operations) {
      if (op.op == OpKind::kThreadCreate) {
        created[op.size] = true;
      }
    }
  }
  auto stop = [&](std::size_t i) {
    threads[i].index = static_cast<std::uint32_t>(i);
    threads[i].name = std::to_string(i);
    if (at[i] < program[i].size()) {
      threads[i].stop_with(program[i][at[i]]);
      pending.insert(threads[i]);
    }
  };
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (!created[i]) {
      stop(i);
    }
  }
  for (;;) {
    pending.update(0, 0);
    if (pending.eager().empty()) {
      return order;
    }
    Thread& chosen =
        pending.eager().several() ? *scheduler.pick(pending) : pending[pending.eager().first()];
    Operation op = *chosen.pending;
    pending.erase(chosen);
    scheduler.executed(chosen, op, pending);
    if (op.writes()) {
      memory.writers[op.address] = op.id;
    }
    order += std::to_string(op.site.offset);
    ++at[chosen.index];
    stop(chosen.index);
    if (op.op == OpKind::kThreadCreate) {
      threads[op.size].parent = &chosen;
      stop(op.size);
    }
  }
}

}  // namespace rff
