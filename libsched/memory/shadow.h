// What the runtime remembers of every 8-byte word of the target: who wrote it last, what was left
// there, and whether more than one thread uses it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rff {

// A source of a value: an interned abstract event of the run, or nothing yet.
struct Writer {
  std::uint32_t code = 0;  // see Cell
  std::uint32_t step = 0;
  std::uint64_t address = 0;  // where that write began
};

// `code` says which event wrote: 0 none; with the top bit an index of the run's event table
// (primitives and ranges); else module index and site, which name an event together with the
// address.
struct Cell {
  std::uint64_t value;  // of the whole word, as last seen
  std::uint32_t writer_code;
  std::uint32_t writer_step;
  std::uint32_t bytes;        // index of per-byte writers, 0 if all written bytes have one writer
  std::uint32_t reader_code;  // the last read
  std::uint16_t owner;        // index + 1 of the first thread that used it
  std::uint8_t mask;          // bytes written
  std::int8_t delta;          // word address minus the address where the write began
  std::uint8_t shared;        // two threads have used it
  std::uint8_t known;         // `value` is meaningful
  std::uint16_t reserved;
};
static_assert(sizeof(Cell) == 32);

inline constexpr std::uint32_t kInterned = 0x80000000;

class Shadow {
 public:
  Shadow();

  Cell& cell(std::uint64_t address) {
    std::uint64_t page = address >> kPageBits;
    Slot& slot = cache_[page & (kCacheSlots - 1)];
    if (__builtin_expect(slot.page != page, 0)) {
      slot = {page, find_or_make(page)};
    }
    return slot.cells[(address >> 3) & (kCellsPerPage - 1)];
  }
  // Null if that would take more than a look into the cache.
  Cell* cached_cell(std::uint64_t address) {
    std::uint64_t page = address >> kPageBits;
    Slot& slot = cache_[page & (kCacheSlots - 1)];
    return slot.page == page ? &slot.cells[(address >> 3) & (kCellsPerPage - 1)] : nullptr;
  }
  // Null if nothing in that page was ever used.
  Cell* cell_if_any(std::uint64_t address);

  // All cells of the range become as new (memory given out again).
  void forget(std::uint64_t address, std::uint64_t size);

  // Records a write of `mask` bytes of the word.
  void write(Cell& c, std::uint8_t mask, std::uint32_t code, std::int8_t delta, std::uint32_t step);
  // The writers of the bytes in `mask`; at most 8, written to `out`; code 0 for bytes never
  // written.
  int writers(const Cell& c, std::uint8_t mask, std::uint64_t word, Writer* out) const;

 private:
  static constexpr int kPageBits = 12;
  static constexpr std::uint64_t kCellsPerPage = 512;
  static constexpr std::uint64_t kCacheSlots = 1024;
  struct Slot {
    std::uint64_t page;
    Cell* cells;
  };
  struct ByteWriter {
    std::uint32_t code;
    std::uint32_t step;
    std::int8_t delta;
  };
  struct ByteWriters {
    ByteWriter of[8];
  };

  Cell* find_or_make(std::uint64_t page);

  Slot cache_[kCacheSlots];
  std::unordered_map<std::uint64_t, Cell*> pages_;
  std::vector<ByteWriters> bytes_;
};

}  // namespace rff
