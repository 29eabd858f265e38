#include "libsched/memory/spin_loops.h"

namespace rff {
namespace {

bool spins_on(const SpinWatch& s, std::uint64_t address, std::uint64_t size) {
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

}  // namespace

void SpinLoops::watch(Thread& t, std::uint64_t address, std::uint64_t value, std::uint32_t code) {
  SpinWatch& s = t.spin;
  if (++s.reads >= SpinWatch::kLongest && !s.spinning) {
    s.spinning = s.everywhere = s.may_be_work = true;
    ++spinning_;
  }
  for (int i = 0; i < s.count && i < SpinWatch::kEntries; ++i) {
    SpinWatch::Entry& e = s.entries[i];
    if (e.address == address && e.code == code) {
      if (e.value != value) {
        got_somewhere(t);
        s.entries[s.count++] = {address, value, code, 0};
      } else if (++e.rounds >= SpinWatch::kRounds && !s.spinning) {
        s.spinning = true;
        ++spinning_;
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
  spinning_ += !t.spin.spinning;
  t.spin.spinning = t.spin.everywhere = true;
}

void SpinLoops::got_somewhere(Thread& t) {
  if (t.spin.spinning) {
    --spinning_;
  }
  t.spin.reset();
}

void SpinLoops::release(const std::vector<Thread*>& threads, std::uint64_t address,
                        std::uint64_t size) {
  if (spinning_ == 0) {
    return;
  }
  for (Thread* t : threads) {
    if (t->spin.spinning && spins_on(t->spin, address, size)) {
      got_somewhere(*t);
    }
  }
}

}  // namespace rff
