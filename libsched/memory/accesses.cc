#include "libsched/memory/accesses.h"

#include <algorithm>
#include <cstring>

#include "libsched/memory/private_access.h"
#include "libsched/memory/site_code.h"
#include "libsched/support/check.h"
#include "libsched/support/runtime_stack.h"

namespace rff {

bool memory_holds(std::uint64_t address, std::uint64_t size, const std::uint64_t* expected) {
  for (std::uint64_t i = 0; i < size; ++i) {
    std::uint64_t word = 0;
    if (!probe_word(word_of(address + i), &word)) {
      return true;  // the instruction itself will fault
    }
    auto byte = static_cast<std::uint8_t>(word >> (((address + i) & 7) * 8));
    if (byte != static_cast<std::uint8_t>(expected[i / 8] >> ((i % 8) * 8))) {
      return false;
    }
  }
  return true;
}

namespace {

// Reads up to 8 bytes. Returns false if they are not readable: the instruction itself will fault.
bool load(std::uint64_t address, std::uint64_t size, std::uint64_t* value) {
  std::uint64_t words[2] = {};
  std::uint64_t first = word_of(address);
  if (size > kWordBytes || !probe_word(first, &words[0]) ||
      (!inside_word(address, size) && !probe_word(first + kWordBytes, &words[1]))) {
    return false;
  }
  std::memcpy(value, reinterpret_cast<const char*>(words) + (address - first), size);
  return true;
}

// Number of decisions that a long stretch without scheduling point and without change counts for.
constexpr std::uint32_t kIdleRun = 100;

// Longer accesses come only from repeated instructions and are named as a whole.
constexpr std::uint64_t kLongestAccess = 64;

}  // namespace

Accesses::Accesses(Execution& execution, Shadow& shadow, EventTable& events, Locations& locations,
                   const Modules& modules)
    : points(events, modules),
      execution_(execution),
      shadow_(shadow),
      events_(events),
      locations_(locations) {}

void Accesses::start(bool every_access, const Reports& reports) {
  every_access_ = every_access;
  record_ = reports.record;
  trace_ = reports.trace;
  trace_everything_ = reports.trace_everything;
}

// Stopping at every access serves a first look, so it ends after a while in a long run.
bool Accesses::every_access() const {
  constexpr std::uint64_t kMost = 1 << 16;
  return every_access_ && execution_.points < kMost;
}

// Makes scheduling points of the last writers and the last reader of a word that a second thread
// now uses.
void Accesses::found_shared(Cell& c) {
  c.shared = 1;
  Writer writers[8];
  for (int i = 0, n = shadow_.writers(c, kWholeWord, 0, writers); i < n; ++i) {
    points.learn(writers[i].code);
  }
  points.learn(c.reader_code);
}

inline bool Accesses::claim(Thread& t, Cell& c, std::uint32_t code) {
  if (c.owner == 0) {
    c.owner = t.memory->tag;
  }
  if (!c.shared) {
    if (c.owner == t.memory->tag) {
      return false;
    }
    found_shared(c);
  }
  points.learn(code);
  return true;
}

bool Accesses::claim_range(Thread& t, std::uint64_t address, std::uint64_t size,
                           std::uint32_t code) {
  bool shared = false;
  for_each_part(
      shadow_, address, size, [&](Block& b) { shared |= claim(t, b.all, code); },
      [&](Cell& c, std::uint64_t, std::uint8_t) { shared |= claim(t, c, code); });
  return shared;
}

std::uint32_t Accesses::range_code(OpKind op, std::uint64_t address, std::uint64_t size,
                                   CodeName site) {
  return kInterned | events_.intern(op, address, size, site);
}

bool Accesses::private_words(Thread& t, PatchedModule& module, std::uint32_t site, bool reads,
                             bool writes, std::uint64_t address, std::uint32_t size) {
  if (module.is_point[site] == PatchedModule::kPoint || execution_.steps >= t.memory->stretch_end ||
      t.memory->announced.traced) {
    return false;
  }
  commit(t);
  bool mine = true;
  for_each_word(address, size, [&](std::uint64_t word, std::uint8_t) {
    Cell& c = shadow_.cell(word);
    if (c.owner == 0) {
      c.owner = t.memory->tag;
    }
    mine &= c.used_only_by(t.memory->tag);
  });
  if (!mine) {
    return false;
  }
  std::uint32_t code = site_code(module.index, site);
  std::uint64_t step = ++execution_.steps;
  for_each_word(address, size, [&](std::uint64_t word, std::uint8_t mask) {
    Cell& c = shadow_.cell(word);
    if (reads) {
      c.reader_code = code;
    }
    if (writes) {
      shadow_.write(c, mask, code, static_cast<std::int8_t>(word - address),
                    static_cast<std::uint32_t>(step));
    }
  });
  if (writes) {
    bool one_word = inside_word(address, size);
    t.memory->announced = {address,
                           size,
                           false,
                           false,
                           code,
                           0,
                           one_word ? &shadow_.cell(address) : nullptr,
                           bit_mask(byte_mask(word_of(address), address, size))};
  }
  note(t, code);
  return true;
}

// Also names the access. Private accesses need no name of their own.
bool Accesses::claim(Thread& t, const PatchedModule& module, std::uint32_t site, const Access& a,
                     std::uint32_t* code) {
  auto whole = [&] { return range_code(a.op, a.address, a.size, module.site_name(site)); };
  *code = a.size > kLongestAccess ? whole() : site_code(module.index, site);
  bool shared = claim_range(t, a.address, a.size, *code);
  if (shared && a.size != module.sites[site].size) {
    *code = whole();
  }
  return shared;
}

void Accesses::perform(Operation& operation) {
  bool checked = checker_ != nullptr && operation.op <= OpKind::kReadModifyWrite &&
                 !checker_->freed(operation.address);
  execution_.perform(operation);
  if (checked && checker_->freed(operation.address)) {
    checker_->check(operation.address, operation.size, op_writes(operation.op));
  }
}

Operation Accesses::operation(const PatchedModule& module, std::uint32_t site, const Access& a,
                              std::uint32_t code) {
  Operation operation;
  operation.op = a.op;
  operation.address = a.address;
  operation.size = static_cast<std::uint32_t>(a.size);
  operation.site = module.site_name(site);
  operation.code = code;
  return operation;
}

Accesses::Stop Accesses::stop(Thread& t, const PatchedModule& module, std::uint32_t site,
                              std::uint64_t address, bool shared) {
  bool point = shared || module.is_point[site] == PatchedModule::kPoint || every_access();
  bool forced = execution_.steps >= t.memory->cut_at;
  if (execution_.proving()) {
    forced |= execution_.wants_stop(site_code(module.index, site), address);
  } else if (forced) {
    // Work changes something or keeps reading new places; a loop that does neither spins.
    if (t.memory->changed_something || !t.memory->rounds.seen_before(address)) {
      execution_.progress.worked();
    } else {
      execution_.progress.idle(kIdleRun);
      spins_.idles(t);
    }
    t.memory->changed_something = false;
  }
  return {forced || (point && execution_.live() > 1), forced};
}

void Accesses::access(Thread& t, PatchedModule& module, std::uint32_t site, const Access& a,
                      const std::uint64_t* expected) {
  commit(t);
  std::uint32_t code = 0;
  bool shared = claim(t, module, site, a, &code);
  Stop s = stop(t, module, site, a.address, shared);
  if (s.here) {
    Operation o = operation(module, site, a, code);
    o.expected = expected;
    bool locked = (module.sites[site].flags & hook::kLocked) != 0;
    if (a.op == OpKind::kReadModifyWrite && expected == nullptr && !locked && !s.forced) {
      read_then_write(o);
    } else {
      perform(o);
    }
    return;
  }
  OpKind op = a.op;
  if (expected != nullptr && !memory_holds(a.address, a.size, expected)) {
    op = OpKind::kRead;
    code = range_code(op, a.address, a.size, module.site_name(site));
  }
  record(t, op, a.address, a.size, code, shared, false);
}

void Accesses::accesses(Thread& t, PatchedModule& module, std::uint32_t site, const Access* list,
                        std::size_t count) {
  if (count == 1) {
    access(t, module, site, list[0]);
    return;
  }
  RFF_CHECK(count <= kMostAccesses);
  commit(t);
  std::uint32_t codes[kMostAccesses];
  bool shared[kMostAccesses];
  std::size_t first = count;  // the first shared access: the scheduler sees only that one
  for (std::size_t i = 0; i < count; ++i) {
    shared[i] = claim(t, module, site, list[i], &codes[i]);
    first = shared[i] && first == count ? i : first;
  }
  bool any_shared = first != count;
  first = any_shared ? first : 0;
  bool stopped = stop(t, module, site, list[first].address, any_shared).here;
  if (stopped) {
    Operation o = operation(module, site, list[first], codes[first]);
    perform(o);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (stopped && i == first) {
      continue;
    }
    if (t.memory->announced.address != 0) {
      earlier_writes_.push_back(t.memory->announced);
      t.memory->announced = {};
    }
    if (stopped) {
      Operation o = operation(module, site, list[i], codes[i]);
      step(t, o);
    } else {
      record(t, list[i].op, list[i].address, list[i].size, codes[i], shared[i], false);
    }
  }
}

// Without a lock prefix the processor reads and writes separately, and what other threads write in
// between is lost. The instruction will do both at once, so memory is restored to the value that it
// would have read.
void Accesses::read_then_write(const Operation& both) {
  Operation read = both;
  read.op = OpKind::kRead;
  perform(read);
  std::uint64_t seen = 0;
  bool known = load(both.address, both.size, &seen);
  Operation write = both;
  write.op = OpKind::kWrite;
  write.second_half = true;
  perform(write);
  std::uint64_t now = 0;
  if (known && load(both.address, both.size, &now) && now != seen) {
    std::memcpy(reinterpret_cast<void*>(both.address), &seen, both.size);
  }
}

void Accesses::range(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                     CodeName site) {
  if (size == 0) {
    return;
  }
  commit(t);
  std::uint32_t code = range_code(op, address, size, site);
  bool shared = claim_range(t, address, size, code);
  bool point = shared || points.contains(site) || every_access();
  if (point && execution_.live() > 1) {
    Operation operation;
    operation.op = op;
    operation.address = address;
    operation.size = static_cast<std::uint32_t>(size);
    operation.site = site;
    operation.code = code;
    perform(operation);
    return;
  }
  record(t, op, address, size, code, shared, false);
}

std::uint64_t Accesses::last_writer(std::uint64_t address) {
  if (const Cell* c = shadow_.cell_if_any(address)) {
    Writer writers[8];
    int n = shadow_.writers(*c, byte_mask(address, 1), word_of(address), writers);
    if (n > 0 && writers[0].code != 0) {
      return events_.id_of(writers[0].code, writers[0].address, OpKind::kWrite);
    }
  }
  return events_.describe_init(address).id();
}

}  // namespace rff
