// Records the effect of one event on memory: the sources of its reads, and its writes.
#include <algorithm>

#include "libsched/memory/private_access.h"
#include "libsched/support/runtime_stack.h"

namespace rff {
namespace {

// Values of several words are hashed as in probe_words, wherever blocks begin and end.
constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}
constexpr std::uint64_t kBlockFactor = power(kWordFactor, kBlockWords);

// Repeating these makes no progress: a lock that is taken and released is unchanged, and a signal
// that wakes no thread has no effect.
bool leaves_no_trace(OpKind op) {
  switch (op) {
    case OpKind::kLock:
    case OpKind::kUnlock:
    case OpKind::kReadLock:
    case OpKind::kReadUnlock:
    case OpKind::kWait:
    case OpKind::kSignal:
    case OpKind::kBroadcast: return true;
    default: return false;
  }
}

// An address that stands for what the lock protects; no memory has it.
std::uint64_t section_of(std::uint64_t lock) { return ~lock; }

}  // namespace

std::uint32_t Accesses::index_of(Event& e) {
  if (e.index == kNotNamed) {
    e.index = events_.intern_site(e.code, e.address, e.op);
  }
  return e.index;
}

std::uint32_t Accesses::writer_event(const Writer& w, std::uint64_t address) {
  return w.code == 0 ? events_.init(address)
                     : events_.intern_site(w.code, w.address, OpKind::kWrite);
}

void Accesses::note_source(const Writer& w) {
  on_runtime_stack([&] {
    AbstractEvent e = events_.describe(w.code, w.address, OpKind::kWrite);
    source_ = {true, false, w.step, e.site, thread_at(w.step), e.op};
  });
}

std::uint32_t Accesses::thread_at(std::uint32_t step) const {
  auto next = std::lower_bound(turns_.begin(), turns_.end(), step,
                               [](const Turn& t, std::uint32_t s) { return t.begin < s; });
  return next == turns_.begin() ? 0 : std::prev(next)->thread;
}

bool Accesses::written_by_others(const Thread& t, std::uint64_t address, std::uint64_t size) {
  bool others = false;
  for_each_word(address, size, [&](std::uint64_t word, std::uint8_t mask) {
    Writer writers[8];
    int n = shadow_.writers(shadow_.cell(word), mask, word, writers);
    others |= std::any_of(writers, writers + n, [&](const Writer& w) {
      return w.code != 0 && w.step != 0 && thread_at(w.step) != t.index;
    });
  });
  return others;
}

// Records a read of a value that was written by no recorded event.
void Accesses::unseen_source(Event& e) {
  if (sharing.racing()) {
    points.learn(e.code);
  }
  if (e.named) {
    events_.add_pair(events_.unseen(e.address), index_of(e));
  }
  source_.unseen = true;
  has_last_source_ = false;
}

void Accesses::add_source(Event& e, const Writer& w) {
  if (e.named) {
    std::uint32_t reader = index_of(e);
    // An object that has a name instead of an address had its initial value under that name.
    const AbstractEvent& event = events_.event(reader);
    bool has_name = w.code == 0 && event.place >= LocationKind::kThread;
    events_.add_pair(
        has_name ? events_.intern(AbstractEvent::init(event.object())) : writer_event(w, e.address),
        reader);
  }
  if (w.code != 0 && trace_ != nullptr) {
    note_source(w);
  }
}

void Accesses::add_sources(Event& e, const Cell& c, std::uint64_t word, std::uint8_t mask) {
  Writer writers[8];
  int n = shadow_.writers(c, mask, word, writers);
  if (n == 1 && has_last_source_ && writers[0].step != 0 && writers[0].code == last_source_.code &&
      writers[0].step == last_source_.step) {
    return;  // the same write as for the previous word
  }
  for (int i = 0; i < n; ++i) {
    add_source(e, writers[i]);
  }
  has_last_source_ = n == 1;
  last_source_ = writers[0];
}

// Returns the value that a shared read saw.
std::uint64_t Accesses::record_word(Event& e, Cell& c, std::uint64_t word, std::uint8_t mask) {
  std::uint64_t seen = 0;
  if (op_reads(e.op)) {
    if (e.shared) {
      std::uint64_t value = 0;
      // The content of a synchronization object's memory belongs to the C library; the runtime
      // tracks its state.
      bool readable = op_accesses(e.op) && probe_word(word, &value);
      if (readable && c.known && ((value ^ c.value) & bit_mask(mask)) != 0) {
        unseen_source(e);
      } else {
        add_sources(e, c, word, mask);
      }
      if (readable) {
        c.value = value;
        c.known = true;
      }
      seen = op_accesses(e.op) ? c.value & bit_mask(mask) : 0;
    } else if (e.foreign) {
      add_sources(e, c, word, mask);
    }
  }
  if (!op_writes(e.op)) {
    c.reader_code = e.code;
  } else {
    bool near = op_accesses(e.op) && (e.code & kInterned) == 0;
    shadow_.write(c, mask, e.code, static_cast<std::int8_t>(near ? word - e.address : 0),
                  static_cast<std::uint32_t>(e.step));
  }
  return seen;
}

// Records all words of a block at once. Returns the value that a shared read saw.
std::uint64_t Accesses::record_block(Event& e, Block& b) {
  std::uint64_t seen = 0;
  if (op_reads(e.op)) {
    if (e.shared) {
      bool readable = probe_words(b.address(), kBlockWords, &seen);
      if (readable && b.all.known && seen != b.all.value) {
        unseen_source(e);
      } else {
        add_sources(e, b.all, b.address(), kWholeWord);
      }
      if (readable) {
        b.all.value = seen;
        b.all.known = true;
      }
    }
  }
  if (!op_writes(e.op)) {
    b.all.reader_code = e.code;
  } else {
    shadow_.write(b.all, kWholeWord, e.code, 0, static_cast<std::uint32_t>(e.step));
  }
  return seen;
}

void Accesses::record(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                      std::uint32_t code, Manner manner, std::uint32_t index) {
  bool shared = manner.shared, point = manner.point, polls = manner.polls;
  // The search does not see more events than the record holds (the first one too many is counted
  // there as missing); only those where threads stop need names.
  bool plain = op_accesses(op);
  bool foreign = trace_ != nullptr && !shared && plain && op_reads(op) && size <= kBlockBytes &&
                 written_by_others(t, address, size);
  bool named = !foreign && (point || events_.events().size() <= RunRecord::kMostEvents);
  Event e{op, address, size, code, shared, foreign, named, index, ++execution_.steps};
  bool traced = trace_ != nullptr && (shared || point || foreign || trace_everything_);
  if (traced) {
    source_ = {};
    source_.followed = shared || foreign;
  }
  has_last_source_ = false;
  std::uint64_t value = 0;
  for_each_part(
      shadow_, address, size, [&](Block& b) { value = value * kBlockFactor + record_block(e, b); },
      [&](Cell& c, std::uint64_t word, std::uint8_t mask) {
        value = value * kWordFactor + record_word(e, c, word, mask);
      });
  if (LoopPasses* passes = t.memory->passes) {
    plain ? passes->uses(address, size, code) : passes->breaks();
  }
  if (!plain) {
    if (op_writes(op) && leaves_no_trace(op)) {
      if (sharing.racing()) {
        watch_section(t, op, address, code);
      }
      release_spinning(address, size);
    } else if (op_writes(op)) {
      spins_.got_somewhere(t);
      release_spinning(address, size);
      execution_.progress.made();
    } else {
      spins_.watch(t, address, 0, code);
    }
  } else if (op_writes(op)) {
    t.memory->announced = {
        address, static_cast<std::uint32_t>(size), shared, traced, code, value, nullptr, 0};
  } else if (polls) {
    spins_.watch(t, address, value, code);
  }
  if (shared || point) {
    note(t, code);
  }
  if (shared) {
    mix_in(value);
  }
  if (traced) {
    capture(trace_->here);
    on_runtime_stack([&] { trace_record(t, e, point); });
  }
}

void Accesses::trace_record(const Thread& t, const Event& e, bool point) {
  AbstractEvent told = events_.describe(e.code, e.address, e.op);
  if (op_accesses(e.op)) {  // the event has the size of the largest range; report this one's
    told = AbstractEvent::make(told.op, told.location(), e.size, told.site);
  }
  trace_->memory_event(t, e.op, told, e.address, locations_.exact_name(e.address), e.step, point,
                       source_);
}

// A thread that enters critical sections again and again and changes nothing there polls, even if
// nobody has used yet what it reads there.
void Accesses::watch_section(Thread& t, OpKind op, std::uint64_t address, std::uint32_t code) {
  ThreadMemory& m = *t.memory;
  if (op == OpKind::kLock || op == OpKind::kReadLock) {
    if (m.sections++ == 0) {
      m.changed_before = m.changed_something;
      m.changed_something = false;
    }
    spins_.watch(t, section_of(address), 0, code);
  } else if (op == OpKind::kUnlock || op == OpKind::kReadUnlock) {
    if (m.changed_something) {
      spins_.got_somewhere(t);
      release_spinning(section_of(address), 1);
    }
    if (m.sections > 0 && --m.sections == 0) {
      m.changed_something |= m.changed_before;
    }
  }
}

void Accesses::commit_last_write(Thread& t) {
  std::uint64_t live_from = t.memory->live_from;
  if (live_from == 0) {
    live_from = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  }
  if (t.memory->announced.cell != nullptr) {
    commit_private_word(*t.memory, live_from);
    return;
  }
  if (commit_private(*t.memory, live_from)) {
    return;
  }
  AnnouncedWrite last = t.memory->announced;
  t.memory->announced.address = 0;
  for (const AnnouncedWrite& w : earlier_writes_) {
    commit(t, w, live_from);
  }
  earlier_writes_.clear();
  commit(t, last, live_from);
}

void Accesses::commit(Thread& t, const AnnouncedWrite& w, std::uint64_t live_from) {
  bool changed = false;
  std::uint64_t hash = 0;
  auto commit_word = [&](Cell& c, std::uint64_t word, std::uint8_t mask) {
    std::uint64_t value = 0;
    if (!hook::is_dead(word, live_from) && probe_word(word, &value)) {
      std::uint64_t bits = bit_mask(mask);
      changed |= !c.known || ((value ^ c.value) & bits) != 0;
      c.value = c.known ? (c.value & ~bits) | (value & bits) : value;
      c.known = true;
      hash = hash * kWordFactor + (value & bits);
      if (w.step != nullptr && word <= w.address) {
        w.step->value = value & bits;
      }
    }
  };
  auto commit_block = [&](Block& b) {
    std::uint64_t content = 0;
    if (!hook::is_dead(b.address(), live_from) && probe_words(b.address(), kBlockWords, &content)) {
      changed |= !b.all.known || content != b.all.value;
      b.all.value = content;
      b.all.known = true;
      hash = hash * kBlockFactor + content;
      if (w.step != nullptr && b.address() <= w.address) {
        w.step->value = content;
      }
    }
  };
  for_each_part(shadow_, w.address, w.size, commit_block, commit_word);
  t.memory->changed_something |= changed;
  bool on_own_stack = t.stack_low <= w.address && w.address < t.stack_high;
  if (changed && !on_own_stack && t.memory->passes != nullptr) {
    t.memory->passes->breaks();
  }
  mix_in(w.shared ? hash : hash + in_hash(w.code) + t.memory->hash_part);
  if (w.traced) {
    bool dead = hook::is_dead(word_of(w.address), live_from);
    on_runtime_stack([&] { trace_->committed(w.address, dead ? 0 : w.size); });
  }
  if (!w.shared) {
    return;
  }
  if (changed) {
    spins_.got_somewhere(t);
    release_spinning(w.address, w.size);
    execution_.progress.made();
  } else {
    spins_.watch(t, w.address, w.seen, w.code);
  }
}

void Accesses::release_spinning(std::uint64_t address, std::uint64_t size) {
  spins_.release(execution_.current(), address, size, [&](Thread& t) { execution_.reconsider(t); });
}

std::uint64_t Accesses::in_hash(std::uint32_t code) const {
  return (code & kInterned) != 0 ? events_.id(code & ~kInterned) : code;
}

void Accesses::note(const Thread& t, std::uint32_t code) {
  mix_in((in_hash(code) + t.memory->hash_part) ^ (execution_.steps * kWordFactor));
}

}  // namespace rff
