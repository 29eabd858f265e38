// Fast path of an access to memory that only one thread uses; almost every access takes it.
#pragma once

#include "libsched/memory/accesses.h"

namespace rff {

// Precomputed effect on a cell of a write to neighboring bytes of a word.
struct WordPart {
  std::uint64_t bits;   // bit_mask
  std::uint8_t bytes;   // see Cell::mask
  std::int8_t delta;    // see Cell::delta
  std::uint8_t others;  // the bytes that are not written
  std::uint8_t half;    // of the word, if that is written: 1 the lower, 2 the upper one; else 0
};
struct WordParts {
  WordPart of[256];  // by byte mask
  constexpr WordParts() : of() {
    for (unsigned i = 0; i < 256; ++i) {
      auto bytes = static_cast<std::uint8_t>(i);
      auto delta = static_cast<std::int8_t>(i == 0 ? 0 : -__builtin_ctz(i));
      auto half = static_cast<std::uint8_t>(i == 0x0f ? 1 : i == 0xf0 ? 2 : 0);
      of[i] = {bit_mask(bytes), bytes, delta, static_cast<std::uint8_t>(~bytes), half};
    }
  }
};
inline constexpr WordParts kWordParts;

inline void Accesses::commit_private_word(ThreadMemory& t, std::uint64_t live_from) {
  AnnouncedWrite& w = t.announced;
  std::uint64_t word = word_of(w.address);
  std::uint64_t now = 0;
  w.address = 0;
  if (!hook::is_dead(word, live_from)) [[likely]] {
    now = load_or_zero(word);
    Cell& c = *w.cell;
    if (!c.known || ((now ^ c.value) & w.bits) != 0) {
      t.changed_something = true;
      c.value = c.known ? (c.value & ~w.bits) | (now & w.bits) : now;
      c.known = true;
    }
  }
  mix_in((now & w.bits) + w.code + t.hash_part);
}

// A word that cannot be read counts as zero, as in commit_private_word.
inline void Accesses::commit_private_words(ThreadMemory& t, std::uint64_t live_from) {
  AnnouncedWrite& w = t.announced;
  const std::uint64_t end = w.address + w.size;
  std::uint64_t hash = 0;
  Cell* c = w.cells;
  for (std::uint64_t word = word_of(w.address); word < end; word += kWordBytes, ++c) {
    if (hook::is_dead(word, live_from)) {
      continue;
    }
    std::uint64_t bits = kWordParts.of[byte_mask(word, w.address, w.size)].bits;
    std::uint64_t now = load_or_zero(word);
    if (!c->known || ((now ^ c->value) & bits) != 0) {
      t.changed_something = true;
      c->value = c->known ? (c->value & ~bits) | (now & bits) : now;
      c->known = true;
    }
    hash = hash * kWordFactor + (now & bits);
  }
  w.address = 0;
  mix_in(hash + w.code + t.hash_part);
}

inline bool Accesses::commit_private(ThreadMemory& t, std::uint64_t live_from) {
  AnnouncedWrite& w = t.announced;
  if (w.address == 0) {
    return true;
  }
  if (w.cell != nullptr) {
    commit_private_word(t, live_from);
    return true;
  }
  if (w.cells != nullptr && t.passes == nullptr) {
    commit_private_words(t, live_from);
    return true;
  }
  return false;
}

inline bool Accesses::reads_now(Shadow& shadow, const ThreadMemory& t, const Cell& c) const {
  return c.read_by(t) ||
         (late_ && c.several() && c.guard == Guard::kGood && shadow.history_of(c).read_now(t));
}

__attribute__((always_inline)) inline bool Accesses::private_wide_access(
    Shadow& shadow, std::uint64_t& steps, ThreadMemory& t, const FastSite& site,
    std::uint64_t address, Cell* first, std::uint64_t live_from) {
  if (!inside_block(address, site.wide)) {
    return false;
  }
  const std::uint64_t begin = word_of(address);
  Cell* const end = first + (address - begin + site.wide + kWordBytes - 1) / kWordBytes;
  if (!site.writes) {
    for (const Cell* c = first; c != end; ++c) {
      if (!reads_now(shadow, t, *c)) {
        return false;
      }
    }
    if (!commit_private(t, live_from)) {
      return false;
    }
    for (Cell* c = first; c != end; ++c) {
      c->reader_code = site.code;
    }
    ++steps;
    return true;
  }
  std::uint64_t word = begin;
  for (const Cell* c = first; c != end; ++c, word += kWordBytes) {
    const WordPart& part = kWordParts.of[byte_mask(word, address, site.wide)];
    bool one_writer = c->halves ? part.half != 0 : (c->mask & part.others) == 0;
    if (!c->written_by(t) || c->bytewise || !(part.others == 0 || one_writer)) {
      return false;
    }
  }
  if (!commit_private(t, live_from)) {
    return false;
  }
  auto step = static_cast<std::uint32_t>(++steps);
  word = begin;
  for (Cell* c = first; c != end; ++c, word += kWordBytes) {
    const WordPart& part = kWordParts.of[byte_mask(word, address, site.wide)];
    if (c->halves && part.others != 0) {
      (part.half == 1 ? c->writer_code : c->writer_step) = site.code;
      c->mask |= part.bytes;
    } else {
      c->halves = false;
      c->writer_code = site.code;
      c->writer_step = step;
      c->mask = part.bytes;
      c->delta = static_cast<std::int8_t>(word - address);
    }
  }
  t.announced = {address, site.wide, false, false, site.code, 0, nullptr, 0, nullptr, first};
  return true;
}

__attribute__((always_inline)) inline bool Accesses::private_access(
    Shadow& shadow, std::uint64_t& steps, ThreadMemory& t, const FastSite& site,
    std::uint64_t address, const std::uint64_t* entered_with) {
  // Above the return address of the entry.
  auto live_from = [&] { return *entered_with + sizeof(void*) + hook::kLiveAboveCall; };
  Cell* c = nullptr;
  if (!shadow.cached_cell(address, &c) || steps >= t.stretch_end ||
      static_cast<std::int8_t>(address & 7) > site.last_offset) {
    return false;
  }
  if (site.wide != 0) {
    return private_wide_access(shadow, steps, t, site, address, c, live_from());
  }
  AnnouncedWrite& w = t.announced;
  // The two ways are kept apart so that a read needs few registers.
  if (!site.writes) {
    if (!reads_now(shadow, t, *c) || (w.address != 0 && !commit_private(t, live_from()))) {
      return false;
    }
    c->reader_code = site.code;
    ++steps;
    return true;
  }
  if (!c->written_by(t) || (w.address != 0 && !commit_private(t, live_from()))) {
    return false;
  }
  const WordPart* part = &kWordParts.of[static_cast<std::uint8_t>(site.bytes << (address & 7))];
  asm("" : "+r"(part));  // keeps the compiler from computing it, or the table's address, twice
  bool halves = c->halves, bytewise = c->bytewise;
  if (halves ? part->half == 0 : bytewise ? part->others == 0 : (c->mask & part->others) != 0) {
    return false;  // bytes get different writers, or all the same one
  }
  auto step = static_cast<std::uint32_t>(++steps);
  if (bytewise) {
    shadow.write_bytes(*c, part->bytes, site.code, part->delta, step);
  } else if (halves) {
    (part->half == 1 ? c->writer_code : c->writer_step) = site.code;
    c->mask |= part->bytes;
  } else {
    c->writer_code = site.code;
    c->writer_step = step;
    c->mask = part->bytes;
    c->delta = part->delta;
  }
  w.address = address;
  w.cell = c;
  w.bits = part->bits;
  w.code = site.code;
  return true;
}

}  // namespace rff
