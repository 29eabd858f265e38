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

}  // namespace

Accesses::Accesses(Execution& execution, Shadow& shadow, EventTable& events, Locations& locations,
                   const Modules& modules)
    : points(events, modules),
      sharing(shadow, points),
      rules(modules),
      execution_(execution),
      shadow_(shadow),
      events_(events),
      locations_(locations) {}

void Accesses::start(const SchedulingPoints& which, std::uint64_t seed, const Reports& reports) {
  every_access_ = which.every_access;
  seed_ = seed;
  sharing.start(which.racing);
  rules.start(which);
  record_ = reports.record;
  trace_ = reports.trace;
  shadow_.exact = trace_ != nullptr;
  trace_everything_ = reports.trace_everything;
}

// Stopping at every access serves a first look, so it ends after a while in a long run.
bool Accesses::every_access() const {
  constexpr std::uint64_t kMost = 1 << 16;
  return every_access_ && execution_.points < kMost;
}

Accesses::Relation Accesses::use(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                                 bool locked, std::uint32_t code) {
  Relation relation;
  auto use_cell = [&](Cell& c) {
    bool now = op_writes(op) ? c.written_by(*t.memory) : c.read_by(*t.memory);
    if (now && !c.several() && !locked) {
      return;  // as the thread has used it already; a guarded word has no such era
    }
    c.locked |= locked;
    if (c.guard != Guard::kGood) [[unlikely]] {
      PlainEras plain(c);
      relation |= sharing.use(*t.memory, c, op_writes(op), code);
      relation.guarded = true;
    } else {
      relation |= sharing.use(*t.memory, c, op_writes(op), code);
    }
  };
  for_each_part(
      shadow_, address, size, [&](Block& b) { use_cell(b.all); },
      [&](Cell& c, std::uint64_t, std::uint8_t) { use_cell(c); });
  return relation;
}

std::uint32_t Accesses::range_code(OpKind op, std::uint64_t address, std::uint64_t size,
                                   CodeName site) {
  return kInterned | events_.intern(op, address, size, site);
}

// Whether the thread has used all words in its present era; finds them only inside a block.
bool Accesses::used_now(const ThreadMemory& t, bool writes, std::uint64_t address,
                        std::uint64_t size) {
  Cell* c = nullptr;
  if (!inside_block(address, size) || !shadow_.cached_cell(address, &c)) {
    return false;
  }
  for (const Cell* end = c + (address % kWordBytes + size + kWordBytes - 1) / kWordBytes; c != end;
       ++c) {
    if (writes ? !c->written_by(t) : !c->read_by(t)) {
      return false;
    }
  }
  return true;
}

bool Accesses::renew(const ThreadMemory& t, Cell& c, bool writes) {
  return c.guard == Guard::kGood && trace_ == nullptr &&
         (sharing.use_alone(t, c, writes) ||
          (late_ && ((!writes && sharing.read_before(t, c)) || sharing.use_after(t, c, writes))));
}

void Accesses::leave_group(ThreadMemory& t, const Modules& modules, std::uint64_t rip) {
  for (const PatchedModule* m : modules.patched()) {
    if (rip >= m->code_begin && rip < m->code_end) {
      bool writes = false;
      execution_.steps -= m->accesses_ahead(rip, modules.original_code(rip) - m->bias, &writes);
      if (writes) {
        t.announced.address = 0;
      }
    }
  }
}

// Late in a long run it does not matter any more what others did with the words before, or that
// they read them, too.
bool Accesses::use_privately(const ThreadMemory& t, bool writes, std::uint64_t address,
                             std::uint64_t size) {
  bool mine = true;
  for_each_word(address, size, [&](std::uint64_t word, std::uint8_t) {
    Cell& c = shadow_.cell(word);
    if (c.guard != Guard::kGood) {
      mine = false;
      return;
    }
    mine &= sharing.use_alone(t, c, writes) ||
            (late_ && ((!writes && sharing.read_before(t, c)) || sharing.use_after(t, c, writes)));
  });
  return mine;
}

bool Accesses::private_words(Thread& t, PatchedModule& module, std::uint32_t site, bool writes,
                             std::uint64_t address, std::uint32_t size) {
  bool locked = (module.sites[site].flags & hook::kLocked) != 0;  // see Cell::locked
  if (locked || module.stops_at(site) || module.chosen[site] != 0 ||
      execution_.steps >= t.memory->stretch_end || t.memory->announced.traced) {
    return false;
  }
  if (trace_ != nullptr && !writes && written_by_others(t, address, size)) {
    return false;  // the story of a failure tells where values came from
  }
  commit_in_hook(t);
  if (!used_now(*t.memory, writes, address, size) &&
      !use_privately(*t.memory, writes, address, size)) {
    return false;
  }
  std::uint32_t code = site_code(module.index, site);
  std::uint64_t step = ++execution_.steps;
  for_each_word(address, size, [&](std::uint64_t word, std::uint8_t mask) {
    Cell& c = shadow_.cell(word);
    if (!writes) {
      c.reader_code = code;
    } else {
      shadow_.write(c, mask, code, static_cast<std::int8_t>(word - address),
                    static_cast<std::uint32_t>(step));
    }
  });
  if (writes) {
    bool one_word = inside_word(address, size);
    t.memory->announced = {
        address,
        size,
        false,
        false,
        code,
        0,
        one_word ? &shadow_.cell(address) : nullptr,
        bit_mask(byte_mask(word_of(address), address, size)),
        nullptr,
        one_word || !inside_block(address, size) ? nullptr : &shadow_.cell(word_of(address))};
  }
  return true;
}

// Also names the access. Private accesses need no name of their own.
Accesses::Relation Accesses::use(Thread& t, const PatchedModule& module, std::uint32_t site,
                                 const Access& a, std::uint32_t* code) {
  auto whole = [&] { return range_code(a.op, a.address, a.size, module.site_name(site)); };
  *code = a.size > kLongestAccess ? whole() : site_code(module.index, site);
  bool locked = (module.sites[site].flags & hook::kLocked) != 0;
  Relation relation = use(t, a.op, a.address, a.size, locked, *code);
  if (relation.shared && a.size != module.sites[site].size) {
    *code = whole();
  }
  return relation;
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

void Accesses::access(Thread& t, PatchedModule& module, std::uint32_t site, const Access& a,
                      const std::uint64_t* expected) {
  enter(t, module, site);
  Planned planned;
  if (!passes(t, module, site, a, expected, &planned)) {
    stop_for(module, site, a, expected, planned);
  }
}

bool Accesses::passes(Thread& t, PatchedModule& module, std::uint32_t site, const Access& a,
                      const std::uint64_t* expected, Planned* planned) {
  commit_in_hook(t);
  std::uint32_t code = site_code(module.index, site);
  Access now = a;  // what it would do now
  if (expected != nullptr && !memory_holds(a.address, a.size, expected)) {
    now.op = OpKind::kRead;
  }
  bool locked = (module.sites[site].flags & hook::kLocked) != 0;
  Relation relation;
  // Private accesses come here, too, if they are traced.
  if (!late_ || locked || a.size > kLongestAccess || a.size != module.sites[site].size ||
      !use_privately(*t.memory, op_writes(now.op), a.address, a.size)) {
    relation = use(t, module, site, now, &code);
  }
  Stop s = stop(t, module, site, a.address, a.size, relation);
  if (s.here) {
    *planned = {code, s.forced};
    return false;
  }
  if (now.op != a.op) {
    code = range_code(now.op, a.address, a.size, module.site_name(site));
  }
  pass(t, now.op, a.address, a.size, code, relation, s.noted);
  return true;
}

void Accesses::stop_for(const PatchedModule& module, std::uint32_t site, const Access& a,
                        const std::uint64_t* expected, const Planned& planned) {
  bool locked = (module.sites[site].flags & hook::kLocked) != 0;
  Operation o = operation(module, site, a, planned.code);
  o.expected = expected;
  if (a.op == OpKind::kReadModifyWrite && expected == nullptr && !locked && !planned.forced) {
    read_then_write(o);
  } else {
    perform(o);
  }
}

void Accesses::accesses(Thread& t, PatchedModule& module, std::uint32_t site, const Access* list,
                        std::size_t count) {
  if (count == 1) {
    access(t, module, site, list[0]);
    return;
  }
  RFF_CHECK(count <= kMostAccesses);
  enter(t, module, site);
  commit_in_hook(t);
  std::uint32_t codes[kMostAccesses];
  Relation relations[kMostAccesses];
  std::size_t first = count;  // the first racing access: the scheduler sees only that one
  for (std::size_t i = 0; i < count; ++i) {
    relations[i] = use(t, module, site, list[i], &codes[i]);
    first = (relations[i].races || relations[i].handed) && first == count ? i : first;
  }
  for (std::size_t i = 0; i < count && first == count; ++i) {
    first = relations[i].shared ? i : first;
  }
  for (std::size_t i = 0; i < count && rules.by_address(); ++i) {
    first = rules.has_memory(list[i].address, list[i].size) ? i : first;
  }
  first = first != count ? first : 0;
  Stop s = stop(t, module, site, list[first].address, list[first].size, relations[first]);
  bool stopped = s.here;
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
      pass(t, list[i].op, list[i].address, list[i].size, codes[i], relations[i], s.noted);
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

void Accesses::range(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size, CodeName site,
                     bool stops) {
  if (size != 0) {
    range_here(t, op, address, size, site, stops);
    wipe_stack_below(kStepDepth);  // as Execution::perform does
  }
}

void Accesses::range_here(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                          CodeName site, bool stops) {
  commit(t);
  std::uint32_t code = range_code(op, address, size, site);
  Relation relation = use(t, op, address, size, false, code);
  std::uint8_t known_as = points.contains(site)               ? PatchedModule::kPoint
                          : points.contains_handed_over(site) ? PatchedModule::kHandedOver
                                                              : PatchedModule::kNoPoint;
  Stop s = planned_stop(t, known_as, {site, address, size, false, true}, relation);
  if (s.here && stops && !passes_point(site)) {
    Operation operation;
    operation.op = op;
    operation.address = address;
    operation.size = static_cast<std::uint32_t>(size);
    operation.site = site;
    operation.code = code;
    perform(operation);
    return;
  }
  pass(t, op, address, size, code, relation, s.noted);
}

// The search reads what critical sections did, so shared accesses are recorded as steps, too. Those
// of a long run are not worth the time.
void Accesses::pass(Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                    std::uint32_t code, const Relation& relation, bool noted) {
  bool polls = (sharing.racing() || rules.chosen()) && relation.conflicts && others_matter();
  Manner manner{relation.shared, false, polls};
  if (!(relation.shared || noted) || !others_matter() || passed_ >= kMostPassed) {
    record(t, op, address, size, code, manner);
    check_access(t, op, address, size, code, relation.guarded, relation.shared);
    return;
  }
  late_ = ++passed_ >= kMostPassed && sharing.racing();
  std::uint32_t index =
      (code & kInterned) != 0 ? code & ~kInterned : events_.intern_site(code, address, op);
  Step* step = note_step(t, address, 0, index);
  record(t, op, address, size, code, manner, index);
  add_value(t, step, address, size);
  check_access(t, op, address, size, code, relation.guarded, relation.shared);
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
