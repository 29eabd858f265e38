// The path that almost every access takes.
#pragma once

#include "libsched/runtime.h"

namespace rff {

inline void Accesses::finish_private_word(Thread& t) {
  UnfinishedWrite& w = t.unfinished;
  std::uint64_t now = load_or_zero(word_of(w.address));
  if (!w.cell->known || now != w.cell->value) {
    t.changed_something = true;
    w.cell->value = now;
    w.cell->known = 1;
  }
  mix_in(now & w.bits);
  w.address = 0;
}

__attribute__((always_inline)) inline bool Accesses::private_access(Thread& t, const FastSite& site,
                                                                    std::uint64_t address) {
  Runtime& r = *runtime;
  Cell* c = r.shadow.cached_cell(address);
  std::uint64_t offset = address & 7;
  if (c == nullptr || !c->used_only_by(t.tag) || offset + site.size > kWordBytes ||
      r.execution.steps >= t.stretch_end) {
    return false;
  }
  auto mask = static_cast<std::uint8_t>(site.bytes << offset);
  if (site.writes && (c->bytes != 0 || (c->mask & ~mask) != 0)) {
    return false;  // bytes with different writers
  }
  UnfinishedWrite& w = t.unfinished;
  if (w.address != 0) {
    if (w.cell == nullptr) {
      return false;
    }
    finish_private_word(t);
  }
  std::uint64_t step = ++r.execution.steps;
  if (site.reads) {
    c->reader_code = site.code;
  }
  if (site.writes) {
    c->writer_code = site.code;
    c->writer_step = static_cast<std::uint32_t>(step);
    c->delta = static_cast<std::int8_t>(0 - offset);
    c->mask = mask;
    w.address = address;
    w.cell = c;
    w.bits = (~std::uint64_t{0} >> (64 - site.size * 8)) << (offset * 8);
  }
  mix_in(site.code + (static_cast<std::uint64_t>(t.index) << 32));
  return true;
}

}  // namespace rff
