#include "libsched/memory/spin_loops.h"

namespace rff {

bool SpinLoops::spins_on(const SpinWatch& s, std::uint64_t address, std::uint64_t size) {
  if (s.everywhere) {
    return true;
  }
  for (int i = 0; i < s.count && i < SpinWatch::kEntries; ++i) {
    std::uint64_t watched = s.entries[i].address;
    if (watched < address + size && address < watched + 8) {
      return true;
    }
  }
  return false;
}

void SpinLoops::spins(Thread& t) {
  if (!t.spin.spinning) {
    t.spin.spinning = true;
    spinning_.push_back(&t);
  }
}

void SpinLoops::watch(Thread& t, std::uint64_t address, std::uint64_t value, std::uint32_t code) {
  SpinWatch& s = t.memory->watch;
  if (++s.reads >= SpinWatch::kLongest && !t.spin.spinning) {
    spins(t);
    s.everywhere = true;
  }
  for (int i = 0; i < s.count && i < SpinWatch::kEntries; ++i) {
    SpinWatch::Entry& e = s.entries[i];
    if (e.address == address && e.code == code) {
      if (e.value != value) {
        got_somewhere(t);
        s.entries[s.count++] = {address, value, code, 0};
      } else if (++e.rounds >= SpinWatch::kRounds) {
        spins(t);
      }
      return;
    }
  }
  s.entries[s.count % SpinWatch::kEntries] = {address, value, code, 0};
  ++s.count;
  if (s.count >= 2 * SpinWatch::kEntries) {
    s.count = SpinWatch::kEntries;
  }
}

void SpinLoops::idles(Thread& t) {
  spins(t);
  t.memory->watch.everywhere = true;
}

void SpinLoops::follow(Thread& t, LoopPasses& passes) {
  t.memory->passes = &passes;
  followed_.push_back(&t);
}

void SpinLoops::waits(Thread& t) {
  spins(t);
  t.spin.waits = true;
}

void SpinLoops::got_somewhere(Thread& t) {
  if (t.spin.spinning) {
    std::erase(spinning_, &t);
  }
  t.spin = {};
  t.memory->watch.reset();
}

}  // namespace rff
