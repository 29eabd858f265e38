// Shadow memory: for every 8-byte word of the target its last writer, its value, and who uses it.
//
// Words are kept in blocks. While all words of a block have only been used together (a large
// memset, memcpy, read), one cell represents all of them; the first use of a part gives each word
// its own cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libsched/memory/site_code.h"
#include "libsched/memory/thread_memory.h"
#include "libsched/support/words.h"
#include "schedule/joined.h"

namespace rff {

// The source of a value: an interned abstract event of the run, or none yet.
struct Writer {
  std::uint32_t code = 0;  // see Cell
  std::uint32_t step = 0;
  std::uint64_t address = 0;  // where that write began
};

// The reads, or the writes, of a word in one era (SyncOrder).
struct Use {
  std::uint32_t era = 0;
  std::uint32_t code = 0;  // the last one; see Cell
};

// The uses of a word by several threads, unless what came first is known to be ordered before all
// that can follow. Words with equal histories may share one: those of a table that threads read.
struct History {
  std::vector<Use> reads, writes;
  std::uint32_t words = 0;    // that have it
  std::uint32_t version = 0;  // how often it was given up
  std::uint32_t guard = 0;    // the locks under which all of them were made (LockSets)
  std::uint32_t limit =
      0;               // the number of uses from which on it is worth looking for needless ones
  bool raced = false;  // two of them
  bool all_learned = false;
  // Where the latest uses of some actors are in `reads` and `writes`.
  struct Place {
    std::uint32_t era = 0;
    std::uint32_t index = 0;
  };
  static constexpr std::uint32_t kPlaces = 8;
  Place places[kPlaces];
  Place& place(std::uint32_t actor, bool writing) {
    return places[(2 * actor + (writing ? 1 : 0)) % kPlaces];
  }
  // Whether the thread has read the word in its present era, and nobody has written since.
  bool read_now(const ThreadMemory& t) { return t.is_now(place(t.actor, false).era); }
  std::size_t size() const { return reads.size() + writes.size(); }
};

static_assert(sizeof(History) == hook::kHistoryBytes &&
              offsetof(History, places) == hook::kHistoryPlaces && History::kPlaces == 8 &&
              sizeof(History::Place) == 8 && offsetof(History::Place, era) == 0);

// A check knows of a word that it is good, that its first 1 to 7 bytes are, or that none is.
struct Guard {
  static constexpr std::uint8_t kGood = 0;
  static constexpr std::uint8_t kRedzone = 8;
  static constexpr std::uint8_t kFreed = 9;
};

// `code` names the event that wrote: 0 none; with the top bit an index of the run's event table
// (primitives and ranges); otherwise module index and site, which name an event together with the
// address.
struct Cell {
  std::uint64_t value;        // whole word, as last seen; for a block: see probe_words
  std::uint32_t writer_code;  // if `bytewise`: index of per-byte writers
  std::uint32_t writer_step;  // if `halves`: code of the upper half's writer
  std::uint32_t reader_code;  // the last read
  std::uint32_t read_in;  // the era of the last reads; kSeveral and an index of a history; 0: none
  std::uint32_t written_in;  // the era of the last writes; 0: none, or there is a history
  std::uint8_t mask;         // bytes written
  std::int8_t delta;         // word address minus the address where the write began
  bool known : 1;            // `value` is meaningful
  bool locked : 1;           // used by a locked instruction
  bool bytewise : 1;         // the written bytes have different writers
  bool halves : 1;           // the same, but each half has one, which wrote just that half
  // See Guard. A guarded word has kGuarded in its eras, so that it is never this thread's alone and
  // private_access needs no look at the guard.
  std::uint8_t guard;

  std::uint64_t begin_of_write(std::uint64_t word) const {
    return word - static_cast<std::uint64_t>(static_cast<std::int64_t>(delta));
  }
  static constexpr std::uint32_t kSeveral = 0x8000'0000;
  static constexpr std::uint32_t kGuarded = 0x4000'0000;
  bool several() const { return (read_in & kSeveral) != 0; }
  bool used() const { return read_in != 0 || written_in != 0; }
  // Whether the thread has read, or written, the word last, in its present era or, less guarded,
  // without a lock.
  bool read_by(const ThreadMemory& t) const { return t.is_now(read_in); }
  bool written_by(const ThreadMemory& t) const { return t.is_now(written_in); }
};
static_assert(sizeof(Cell) == sizeof(hook::JoinedCell) &&
              offsetof(Cell, value) == offsetof(hook::JoinedCell, value) &&
              offsetof(Cell, writer_code) == offsetof(hook::JoinedCell, writer_code) &&
              offsetof(Cell, writer_step) == offsetof(hook::JoinedCell, writer_step) &&
              offsetof(Cell, reader_code) == offsetof(hook::JoinedCell, reader_code) &&
              offsetof(Cell, read_in) == offsetof(hook::JoinedCell, read_in) &&
              offsetof(Cell, written_in) == offsetof(hook::JoinedCell, written_in) &&
              offsetof(Cell, mask) == offsetof(hook::JoinedCell, mask) &&
              offsetof(Cell, delta) == offsetof(hook::JoinedCell, delta) &&
              offsetof(Cell, guard) == offsetof(hook::JoinedCell, guard));

// While one exists, the cell has its eras as Sharing wants them.
class PlainEras {
 public:
  explicit PlainEras(Cell& c) : cell_(c) {
    if (c.guard != Guard::kGood) {
      c.read_in &= c.several() ? ~0u : ~Cell::kGuarded;
      c.written_in &= ~Cell::kGuarded;
    }
  }
  ~PlainEras() {
    if (cell_.guard != Guard::kGood) {
      cell_.read_in |= cell_.several() || cell_.read_in == 0 ? 0 : Cell::kGuarded;
      cell_.written_in |= cell_.written_in == 0 ? 0 : Cell::kGuarded;
    }
  }
  PlainEras(const PlainEras&) = delete;
  PlainEras& operator=(const PlainEras&) = delete;

 private:
  Cell& cell_;
};

inline constexpr int kBlockBits = 8;
inline constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << kBlockBits;
inline constexpr std::uint64_t kBlockWords = kBlockBytes / kWordBytes;

// Then the cells of its words are adjacent.
constexpr bool inside_block(std::uint64_t address, std::uint64_t size) {
  return address % kBlockBytes + size <= kBlockBytes;
}

struct Block {
  std::uint64_t index;  // address / kBlockBytes
  Cell* cells;          // null while `all` represents every word
  Cell all;
  std::uint64_t address() const { return index << kBlockBits; }
};

// Knows the guards of all words, also of those that the shadow has no cells for.
class GuardSource {
 public:
  // Returns the guards of the words of the block that begins there.
  virtual void guards(std::uint64_t begin, std::uint8_t (&out)[kBlockWords]) const = 0;

 protected:
  ~GuardSource() = default;
};

class Shadow {
 public:
  Shadow() { start_afresh(); }

  // Allocates new tables, unless something was recorded already.
  void start_afresh();

  Cell& cell(std::uint64_t address) {
    Cell* c = nullptr;
    return __builtin_expect(cached_cell(address, &c), 1) ? *c : find_cell(address);
  }
  // Returns false if the cell is not in the cache.
  bool cached_cell(std::uint64_t address, Cell** cell) {
    const Slot& slot = slot_of(address);
    std::uint64_t offset = address - slot.begin;
    *cell = &slot.cells[offset / kWordBytes];
    return offset < kBlockBytes;
  }
  // For checks in patched code; see JoinedSlots.
  const hook::JoinedCache& cache() const { return cache_; }
  const void* histories_at() const { return &histories_; }  // begins with the pointer to the first
  // Returns the cell of a word without creating one; null if there is none.
  const Cell* cell_if_any(std::uint64_t address) const;

  Block& block(std::uint64_t address);
  // Gives each word of the block its own cell and returns them.
  Cell* split(Block& b);

  // Resets all cells of the range (memory that is allocated again).
  void forget(std::uint64_t address, std::uint64_t size);

  // Blocks get their guards from there when they are made. Null: there are none.
  void set_guards(const GuardSource* source) { guards_ = source; }
  // Changes the guards of whole words in blocks that were made.
  void guard(std::uint64_t address, std::uint64_t size, std::uint8_t guard);

  // Gives the cell an empty history if it has none, and one of its own if it shares one. The
  // reference is valid until the next call.
  History& history(Cell& c);
  History& history_of(const Cell& c) { return histories_[c.read_in & ~Cell::kSeveral]; }
  History& history_at(std::uint32_t read_in) { return histories_[read_in & ~Cell::kSeveral]; }
  std::size_t histories() const { return histories_.size() - free_histories_.size(); }
  // Lets the cell share the history of a cell with this `read_in`.
  void share_history(Cell& c, std::uint32_t read_in);
  // The cell is as if nobody had used it.
  void drop_users(Cell& c);

  // Keeps the step of every write; otherwise those of writes to halves of words are forgotten (0).
  bool exact = false;

  // Records a write of `mask` bytes of the word. Does not touch vector registers.
  void write(Cell& c, std::uint8_t mask, std::uint32_t code, std::int8_t delta,
             std::uint32_t step) {
    if (mask == kWholeWord && !c.bytewise) {
      c.halves = false;
      c.writer_code = code;
      c.writer_step = step;
      c.delta = delta;
      c.mask = mask;
    } else {
      write_part(c, mask, code, delta, step);
    }
  }
  // The same for a word whose bytes have different writers.
  void write_bytes(Cell& c, std::uint8_t mask, std::uint32_t code, std::int8_t delta,
                   std::uint32_t step) {
    ByteWriter* of = byte_writers(c.writer_code).of;
    for (unsigned i = 0, left = mask; left != 0; ++i, left >>= 1) {
      if ((left & 1) != 0) {
        of[i] = {code, step, delta};
      }
    }
    c.mask |= mask;
  }
  // Writes the writers of the bytes in `mask` to `out`, at most 8; code 0 for bytes never written.
  int writers(const Cell& c, std::uint8_t mask, std::uint64_t word, Writer* out) const {
    if (!c.bytewise && !c.halves && ((c.mask & mask) == mask || (c.mask & mask) == 0)) {
      *out = (c.mask & mask) == 0 ? Writer{}
                                  : Writer{c.writer_code, c.writer_step, c.begin_of_write(word)};
      return 1;
    }
    return different_writers(c, mask, word, out);
  }

 private:
  // Small at first: most runs use few blocks, and every page costs them time.
  static constexpr std::uint64_t kFirstCache = 64;
  static constexpr std::uint64_t kCacheGrowth = 8;
  static constexpr std::uint64_t kLargeCache = 4096;
  struct Slot {
    std::uint64_t begin;  // begin of the block
    Cell* cells;
  };
  static_assert(sizeof(Slot) == std::size_t{1} << (kBlockBits - hook::kCacheShift) &&
                kBlockBytes == hook::kCacheBlock);
  struct ByteWriter {
    std::uint32_t code = 0;
    std::uint32_t step = 0;
    std::int8_t delta = 0;
  };
  struct ByteWriters {
    ByteWriter of[8];
    std::uint32_t next_free;
  };
  static constexpr std::uint32_t kChunkBits = 5;

  void write_part(Cell& c, std::uint8_t mask, std::uint32_t code, std::int8_t delta,
                  std::uint32_t step);
  static int half_of(std::uint8_t mask, std::int8_t delta);
  bool make_halves(Cell& c, int overwritten);
  void make_bytewise(Cell& c);
  int different_writers(const Cell& c, std::uint8_t mask, std::uint64_t word, Writer* out) const;
  Cell& find_cell(std::uint64_t address);
  Block* find(std::uint64_t index) const;
  void grow_table();
  void make_cache(std::uint64_t slots);
  // Visits the existing blocks with these indexes.
  template <typename Visit>
  void for_each_block(std::uint64_t first, std::uint64_t last, Visit visit);
  void reset(Block& b);
  void ask_for_guards(Block& b);
  static void set_guard(Cell& c, std::uint8_t guard);
  ByteWriters& byte_writers(std::uint32_t index) const {
    return byte_chunks_[index >> kChunkBits][index & ((1 << kChunkBits) - 1)];
  }
  std::uint32_t take_byte_writers();
  void free_byte_writers(Cell& c);
  void clear(Cell& c);

  Slot& slot_of(std::uint64_t address) const {
    return *reinterpret_cast<Slot*>(cache_.slots + ((address >> hook::kCacheShift) & cache_.mask));
  }
  hook::JoinedCache cache_;  // blocks with cells
  Block** table_;            // open addressing, a power of two, at most half full
  std::uint64_t table_size_;
  std::uint64_t blocks_ = 0;
  Cell* free_cells_ = nullptr;  // linked through `value`
  std::vector<ByteWriters*> byte_chunks_;
  std::uint32_t byte_writers_ = 1;
  std::uint32_t free_byte_writers_ = 0;
  std::vector<History> histories_;
  std::vector<std::uint32_t> free_histories_;
  const GuardSource* guards_ = nullptr;
};

// Calls on_block(block) for blocks inside the range that have one cell for all words, and
// on_word(cell, word, mask) for every other word. Requires: size > 0.
template <typename OnBlock, typename OnWord>
void for_each_part(Shadow& shadow, std::uint64_t address, std::uint64_t size, OnBlock on_block,
                   OnWord on_word) {
  if (inside_word(address, size)) {
    on_word(shadow.cell(address), word_of(address), byte_mask(address, size));
    return;
  }
  std::uint64_t end = address + size;
  for (std::uint64_t at = address; at < end;) {
    std::uint64_t next = (at | (kBlockBytes - 1)) + 1;
    if (next - at == kBlockBytes && next <= end) {
      Block& b = shadow.block(at);
      if (b.cells == nullptr) {
        on_block(b);
        at = next;
        continue;
      }
    }
    Cell* c = &shadow.cell(word_of(at));  // the words of a block have adjacent cells
    for (std::uint64_t word = word_of(at); word < end && word < next; word += kWordBytes, ++c) {
      bool whole = word >= address && end - word >= kWordBytes;
      on_word(*c, word, whole ? kWholeWord : byte_mask(word, address, size));
    }
    at = next;
  }
}

}  // namespace rff
