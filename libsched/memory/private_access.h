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
  AnnouncedWrite& w = t.announced;
  // The two ways are kept apart so that a read needs few registers.
  if (!site.writes) {
    if (!c->read_by(t) &&
        !(late_ && c->several() && c->guard == Guard::kGood && shadow.history_of(*c).read_now(t))) {
      return false;
    }
    if (w.address != 0) {
      if (w.cell == nullptr) {
        return false;
      }
      commit_private_word(t, live_from());
    }
    c->reader_code = site.code;
    ++steps;
    return true;
  }
  if (!c->written_by(t)) {
    return false;
  }
  if (w.address != 0) {
    if (w.cell == nullptr) {
      return false;
    }
    commit_private_word(t, live_from());
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
