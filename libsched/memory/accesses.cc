#include "libsched/memory/accesses.h"

#include "libsched/runtime.h"
#include "schedule/hash.h"

namespace rff {
namespace {

// The bytes of one 8-byte word that an access covers.
std::uint8_t byte_mask(std::uint64_t word, std::uint64_t address, std::uint64_t size) {
  std::uint64_t from = address > word ? address - word : 0;
  std::uint64_t to = address + size < word + 8 ? address + size - word : 8;
  return static_cast<std::uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
}

std::uint64_t bit_mask(std::uint8_t bytes) {
  std::uint64_t mask = 0;
  for (int i = 0; i < 8; ++i) {
    if (bytes & (1 << i)) {
      mask |= std::uint64_t{0xff} << (8 * i);
    }
  }
  return mask;
}

template <typename Visit>
void for_each_word(std::uint64_t address, std::uint64_t size, Visit visit) {
  for (std::uint64_t word = address & ~std::uint64_t{7}; word < address + size; word += 8) {
    visit(word, byte_mask(word, address, size));
  }
}

bool memory_holds(std::uint64_t address, std::uint64_t size, const std::uint64_t* expected) {
  for (std::uint64_t i = 0; i < size; ++i) {
    std::uint64_t word = 0;
    if (!probe_word((address + i) & ~std::uint64_t{7}, &word)) {
      return true;  // the instruction itself will fault
    }
    auto byte = static_cast<std::uint8_t>(word >> (((address + i) & 7) * 8));
    if (byte != static_cast<std::uint8_t>(expected[i / 8] >> ((i % 8) * 8))) {
      return false;
    }
  }
  return true;
}

// A thread that goes on for this many events without a scheduling point is stopped once: what it
// waits for may not be known as shared yet.
constexpr std::uint32_t kLongestPrivateRun = 10'000;
constexpr std::uint32_t kIdleRun =
    100;  // decisions that such a stretch counts for if nothing changed in it

bool is_plain(OpKind op) {
  return op == OpKind::kRead || op == OpKind::kWrite || op == OpKind::kReadModifyWrite;
}

constexpr std::uint64_t kObjectSize = 8;  // bytes that stand for a synchronisation object

}  // namespace

// Stopping everywhere is meant for a first look: in a long run it ends after a while.
bool Accesses::every_access() const {
  constexpr std::uint64_t kMost = 1 << 16;
  return runtime_.schedule.points.every_access && runtime_.execution.points < kMost;
}

bool Accesses::claim(Thread& t, Cell& c, std::uint32_t code) {
  auto me = static_cast<std::uint16_t>(t.index + 1);
  if (c.owner == me || c.owner == 0) {
    c.owner = me;
    if (c.shared) {
      learn_point(code);
    }
    return c.shared;
  }
  if (!c.shared) {
    c.shared = 1;
    Writer writers[8];
    for (int i = 0, n = runtime_.shadow.writers(c, 0xff, 0, writers); i < n; ++i) {
      learn_point(writers[i].code);
    }
    learn_point(c.reader_code);
  }
  learn_point(code);
  return true;
}

bool Accesses::claim_range(Thread& t, std::uint64_t address, std::uint64_t size,
                           std::uint32_t code) {
  bool shared = false;
  for (std::uint64_t word = address & ~std::uint64_t{7}; word < address + size; word += 8) {
    shared |= claim(t, runtime_.shadow.cell(word), code);
  }
  return shared;
}

void Accesses::learn_point(std::uint32_t code) {
  constexpr std::uint8_t kNoted = 2;
  if (code == 0) {
    return;
  }
  if ((code & kInterned) != 0) {
    // A library function's range: named by where it was called. Primitives are always scheduling
    // points.
    const AbstractEvent& e = runtime_.events.event(code & ~kInterned);
    if (is_plain(e.op) && !range_points_.contains(e.site.packed()) &&
        range_noted_.insert(e.site.packed()).second) {
      new_points_.push_back(e.site.packed());
    }
    return;
  }
  PatchedModule& m = *runtime_.modules.patched()[code >> 24];
  std::uint32_t site = (code & 0xffffff) - 1;
  if (m.is_point[site] == 0) {
    m.is_point[site] = kNoted;
    new_points_.push_back(m.site_name(site).packed());
  }
}

bool Accesses::private_access(Thread& t, PatchedModule& module, std::uint32_t site, bool reads,
                              bool writes, std::uint64_t address, std::uint32_t size) {
  auto me = static_cast<std::uint16_t>(t.index + 1);
  UnfinishedWrite& last = t.unfinished;
  if (module.is_point[site] == 1 || t.private_run >= kLongestPrivateRun ||
      (address & 7) + size > 8 || every_access() || runtime_.trace.everything() || last.shared ||
      (last.address != 0 && (last.address & 7) + last.size > 8)) {
    return false;
  }
  Cell* c = runtime_.shadow.cached_cell(address);
  if (c == nullptr || c->owner != me || c->shared) {
    return false;
  }
  std::uint64_t word = address & ~std::uint64_t{7};
  std::uint8_t mask = byte_mask(word, address, size);
  if (writes && (c->bytes != 0 || (c->mask & ~mask) != 0)) {
    return false;  // bytes with different writers: needs memory
  }
  if (last.address != 0) {
    Cell* written = runtime_.shadow.cached_cell(last.address);
    if (written == nullptr || written->shared) {
      return false;
    }
    std::uint64_t now = *reinterpret_cast<const std::uint64_t*>(last.address & ~std::uint64_t{7});
    t.changed_something |= !written->known || now != written->value;
    written->value = now;
    written->known = 1;
    std::uint64_t bits =
        bit_mask(byte_mask(last.address & ~std::uint64_t{7}, last.address, last.size));
    trace_hash_ = hash_combine(trace_hash_, hash_combine(0, written->value & bits));
    last.address = 0;
  }
  std::uint32_t code = (module.index << 24) | (site + 1);
  std::uint64_t step = ++runtime_.execution.steps;
  if (reads) {
    c->reader_code = code;
  }
  if (writes) {
    c->writer_code = code;
    c->writer_step = static_cast<std::uint32_t>(step);
    c->delta = static_cast<std::int8_t>(word - address);
    c->mask = mask;
    last = {address, size, false, false, code, 0};
  }
  ++t.private_run;
  note(t, code, 0);
  return true;
}

void Accesses::access(Thread& t, PatchedModule& module, std::uint32_t site, OpKind op,
                      std::uint64_t address, std::uint64_t size, const std::uint64_t* expected) {
  finish_write(t);
  std::uint32_t code = (module.index << 24) | (site + 1);
  bool shared = claim_range(t, address, size, code);
  bool point = shared || module.is_point[site] == 1 || every_access();
  bool forced = t.private_run >= kLongestPrivateRun;
  if (forced) {
    // Work changes something; a loop that changes nothing counts towards a hang.
    t.changed_something ? runtime_.execution.progress() : runtime_.execution.idle(kIdleRun);
    t.changed_something = false;
  }
  if (forced || (point && runtime_.execution.live() > 1)) {
    Operation operation;
    operation.op = op;
    operation.address = address;
    operation.size = static_cast<std::uint32_t>(size);
    operation.site = module.site_name(site);
    operation.code = code;
    operation.expected = expected;
    runtime_.execution.perform(operation);
    return;
  }
  if (expected != nullptr && !memory_holds(address, size, expected)) {
    op = OpKind::kRead;
    code = kInterned | runtime_.events.intern(op, address, size, module.site_name(site));
  }
  ++t.private_run;
  record(t, op, address, size, code, shared, false);
}

void Accesses::range(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                     CodeName site) {
  if (size == 0) {
    return;
  }
  finish_write(t);
  std::uint32_t code = kInterned | runtime_.events.intern(op, address, size, site);
  bool shared = claim_range(t, address, size, code);
  bool point = shared || range_points_.contains(site.packed()) || every_access();
  if (point && runtime_.execution.live() > 1) {
    Operation operation;
    operation.op = op;
    operation.address = address;
    operation.size = static_cast<std::uint32_t>(size);
    operation.site = site;
    operation.code = code;
    runtime_.execution.perform(operation);
    return;
  }
  record(t, op, address, size, code, shared, false);
}

void Accesses::executed(Thread& t, Operation& op) {
  if (op.tries != nullptr && !op.tries->enabled(op)) {
    op.failed = true;
    op.op = OpKind::kTryLockFailed;
    op.event.op = op.op;
  }
  std::uint64_t site = op.site.packed();
  runtime_.events.add_edge(t.last_site, site);
  t.last_site = site;
  if (op.op == OpKind::kRead || op.op == OpKind::kWrite || op.op == OpKind::kReadModifyWrite) {
    // Another thread may have used the words while this one waited.
    claim_range(t, op.address, op.size, op.code);
    if (op.expected != nullptr && !memory_holds(op.address, op.size, op.expected)) {
      op.op = OpKind::kRead;
      op.code = kInterned | runtime_.events.intern(op.op, op.address, op.size, op.site);
    }
    Step* step = note_step(t, op, runtime_.events.intern_site(op.code, op.address));
    record(t, op.op, op.address, op.size, op.code, true, true);
    if (step != nullptr) {
      std::uint64_t word = op.address & ~std::uint64_t{7};
      step->value =
          runtime_.shadow.cell(word).value & bit_mask(byte_mask(word, op.address, op.size));
      t.unfinished.step = step;
    }
    return;
  }
  std::uint32_t code = kInterned | runtime_.events.intern(op.event);
  note_step(t, op, code & ~kInterned);
  if (op.address != 0 && (op.reads() || op.writes())) {
    record(t, op.op, op.address, kObjectSize, code, true, true);
  } else {
    ++runtime_.execution.steps;
    if (op.op == OpKind::kYield) {
      watch_read(t, 0, 0, code);
    }
    note(t, code, 0);
    runtime_.trace.event(t, op, 0, 0, 0);
  }
}

// Null if nobody asks for it or there is no room left.
Step* Accesses::note_step(const Thread& t, const Operation& op, std::uint32_t event) {
  if (runtime_.shared == nullptr) {
    return nullptr;
  }
  auto check = static_cast<std::uint16_t>(op.id == 0 ? 0 : (op.id & 0x7fff) | Step::kPoint);
  auto& steps = runtime_.shared->run.steps;
  bool fits = steps.append({op.address, 0, event, static_cast<std::uint16_t>(t.index), check});
  return fits ? &steps.items[steps.size() - 1] : nullptr;
}

void Accesses::object_event(Thread& t, OpKind op, std::uint64_t object, CodeName site) {
  Operation operation;
  operation.op = op;
  operation.address = object;
  operation.site = site;
  operation.event = AbstractEvent::make(op, {LocationKind::kThread, site.packed(), 0}, 0, site);
  executed(t, operation);
}

void Accesses::step(Thread& t, Operation& op) {
  std::uint32_t event = runtime_.events.intern(op.op, op.address, op.size, op.site);
  op.event = runtime_.events.event(event);
  op.code = kInterned | event;
  executed(t, op);
}

std::uint32_t Accesses::writer_event(const Writer& w, std::uint64_t address) {
  return w.code == 0 ? runtime_.events.init(address)
                     : runtime_.events.intern_site(w.code, w.address);
}

void Accesses::note_source(const Cell& c, const Writer& w) {
  if (!runtime_.trace.enabled()) {
    return;
  }
  const AbstractEvent& e = runtime_.events.event(runtime_.events.intern_site(w.code, w.address));
  source_ = {true, false, w.step, e.site, c.owner > 0 ? c.owner - 1u : 0u, e.op};
}

void Accesses::read_word(Cell& c, std::uint64_t word, std::uint8_t mask, std::uint32_t code,
                         std::uint64_t address, bool plain) {
  std::uint64_t value = 0;
  std::uint32_t reader = runtime_.events.intern_site(code, address);
  // What is in a synchronisation object's memory is the C library's business: its state is ours.
  bool readable = plain && probe_word(word, &value);
  if (readable && c.known && ((value ^ c.value) & bit_mask(mask)) != 0) {
    // Somebody we do not see wrote here since the last event we saw.
    runtime_.events.add_pair(runtime_.events.unseen(address), reader);
    source_.unseen = true;
  } else {
    Writer writers[8];
    int n = runtime_.shadow.writers(c, mask, word, writers);
    for (int i = 0; i < n; ++i) {
      // An object that has a name of its own instead of an address had its initial value under that
      // name.
      const AbstractEvent& e = runtime_.events.event(reader);
      bool named = writers[i].code == 0 && e.place == LocationKind::kThread;
      runtime_.events.add_pair(named ? runtime_.events.intern(AbstractEvent::init(e.location()))
                                     : writer_event(writers[i], address),
                               reader);
      if (writers[i].code != 0) {
        note_source(c, writers[i]);
      }
    }
  }
  if (readable) {
    c.value = value;
    c.known = 1;
  }
}

void Accesses::record(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                      std::uint32_t code, bool shared, bool point) {
  bool reads = op_reads(op);
  bool writes = op_writes(op);
  bool plain = is_plain(op);
  std::uint64_t step = ++runtime_.execution.steps;
  bool traced = runtime_.trace.enabled() && (shared || point || runtime_.trace.everything());
  source_ = {};
  std::uint64_t value = 0;
  for_each_word(address, size, [&](std::uint64_t word, std::uint8_t mask) {
    Cell& c = runtime_.shadow.cell(word);
    if (reads) {
      if (shared) {
        read_word(c, word, mask, code, address, plain);
        value = hash_combine(value, plain ? c.value & bit_mask(mask) : 0);
      }
      c.reader_code = code;
    }
    if (writes) {
      runtime_.shadow.write(c, mask, code,
                            static_cast<std::int8_t>(plain && size <= 64 ? word - address : 0),
                            static_cast<std::uint32_t>(step));
    }
  });
  if (plain && reads && point && !writes) {
    watch_read(t, address, value, code);
  }
  if (!plain) {
    if (writes) {
      if (t.spin.spinning) {
        --spinning_;
      }
      t.spin.reset();
      release_spinners(address, size);
      runtime_.execution.progress();
    } else {
      watch_read(t, address, 0, code);
    }
  } else if (writes) {
    t.unfinished = {address, static_cast<std::uint32_t>(size), shared, traced, code, value};
  }
  note(t, code, value);
  if (traced) {
    runtime_.trace.memory_event(t, op,
                                runtime_.events.event(runtime_.events.intern_site(code, address)),
                                address, step, point, source_);
  }
}

void Accesses::finish_write(Thread& t) {
  UnfinishedWrite w = t.unfinished;
  if (w.address == 0) {
    return;
  }
  t.unfinished.address = 0;
  bool changed = false;
  std::uint64_t hash = 0;
  for_each_word(w.address, w.size, [&](std::uint64_t word, std::uint8_t mask) {
    Cell& c = runtime_.shadow.cell(word);
    std::uint64_t value = 0;
    if (!probe_word(word, &value)) {
      return;
    }
    std::uint64_t bits = bit_mask(mask);
    changed |= !c.known || ((value ^ c.value) & bits) != 0;
    c.value = c.known ? (c.value & ~bits) | (value & bits) : value;
    c.known = 1;
    hash = hash_combine(hash, value & bits);
    if (w.step != nullptr && word <= w.address) {
      w.step->value = value & bits;
    }
  });
  t.changed_something |= changed;
  trace_hash_ = hash_combine(trace_hash_, hash);
  if (w.traced) {
    runtime_.trace.value(hash, w.address, w.size);
  }
  if (!w.shared) {
    return;
  }
  if (changed) {
    if (t.spin.spinning) {
      --spinning_;
    }
    t.spin.reset();
    release_spinners(w.address, w.size);
    runtime_.execution.progress();
  } else {
    watch_read(t, w.address, w.seen, w.code);
  }
}

void Accesses::watch_read(Thread& t, std::uint64_t address, std::uint64_t value,
                          std::uint32_t code) {
  SpinWatch& s = t.spin;
  if (++s.reads >= SpinWatch::kLongest && !s.spinning) {
    s.spinning = s.everywhere = true;
    ++spinning_;
  }
  for (int i = 0; i < s.count && i < SpinWatch::kEntries; ++i) {
    SpinWatch::Entry& e = s.entries[i];
    if (e.address == address && e.site == code) {
      if (e.value != value) {
        if (s.spinning) {
          --spinning_;
        }
        s.reset();
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

void Accesses::release_spinners(std::uint64_t address, std::uint64_t size) {
  if (spinning_ == 0) {
    return;
  }
  for (Thread* t : runtime_.execution.threads()) {
    if (!t->spin.spinning) {
      continue;
    }
    if (t->spin.everywhere) {
      t->spin.reset();
      --spinning_;
      continue;
    }
    for (int i = 0; i < t->spin.count && i < SpinWatch::kEntries; ++i) {
      std::uint64_t watched = t->spin.entries[i].address;
      if (watched < address + size && address < watched + 8) {
        t->spin.reset();
        --spinning_;
        break;
      }
    }
  }
}

void Accesses::note(Thread& t, std::uint32_t code, std::uint64_t value) {
  ++events_;
  // Interned indexes depend on what schedulers asked for; ids do not.
  std::uint64_t event = (code & kInterned) != 0 ? runtime_.events.id(code & ~kInterned) : code;
  trace_hash_ = hash_combine(
      hash_combine(trace_hash_, event + (static_cast<std::uint64_t>(t.index) << 32)), value);
}

std::uint64_t Accesses::last_writer(std::uint64_t address) {
  std::uint64_t word = address & ~std::uint64_t{7};
  Cell* c = runtime_.shadow.cell_if_any(word);
  if (c != nullptr) {
    Writer writers[8];
    int n =
        runtime_.shadow.writers(*c, static_cast<std::uint8_t>(1 << (address & 7)), word, writers);
    if (n > 0 && writers[0].code != 0) {
      return runtime_.events.id(writer_event(writers[0], address));
    }
  }
  return runtime_.events.id(runtime_.events.init(address));
}

bool Accesses::written(std::uint64_t address) {
  Cell* c = runtime_.shadow.cell_if_any(address);
  return c != nullptr && (c->mask & (1 << (address & 7))) != 0;
}

}  // namespace rff
