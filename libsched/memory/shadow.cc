#include "libsched/memory/shadow.h"

#include <algorithm>
#include <bit>

#include "libsched/support/arena.h"
#include "libsched/support/check.h"
#include "libsched/support/runtime_stack.h"

namespace rff {
namespace {

constexpr std::uint64_t kFirstTable = 64;

template <typename T>
T* fresh(std::uint64_t count) {
  return static_cast<T*>(fresh_memory(count * sizeof(T)));
}

std::uint64_t place(std::uint64_t index) { return (index * 0x9e3779b97f4a7c15ULL) >> 32; }

}  // namespace

void Shadow::start_afresh() {
  if (blocks_ > 0) {
    return;
  }
  make_cache(kFirstCache);
  table_ = fresh<Block*>(kFirstTable);
  table_size_ = kFirstTable;
}

void Shadow::make_cache(std::uint64_t slots) {
  auto* first = fresh<Slot>(slots);
  cache_ = {reinterpret_cast<std::uint64_t>(first), (slots - 1) * sizeof(Slot)};
  // A block that does not belong in a slot marks it as empty.
  first->begin = kBlockBytes;
}

Block* Shadow::find(std::uint64_t index) const {
  for (std::uint64_t at = place(index);; ++at) {
    Block* b = table_[at & (table_size_ - 1)];
    if (b == nullptr || b->index == index) {
      return b;
    }
  }
}

void Shadow::grow_table() {
  Block** old = table_;
  std::uint64_t old_size = table_size_;
  table_size_ *= 4;
  table_ = fresh<Block*>(table_size_);
  for (std::uint64_t i = 0; i < old_size; ++i) {
    if (old[i] != nullptr) {
      std::uint64_t at = place(old[i]->index);
      while (table_[at & (table_size_ - 1)] != nullptr) {
        ++at;
      }
      table_[at & (table_size_ - 1)] = old[i];
    }
  }
}

Block& Shadow::block(std::uint64_t address) {
  std::uint64_t index = address >> kBlockBits;
  if (Block* b = find(index)) {
    return *b;
  }
  if (++blocks_ > table_size_ / 2) {
    grow_table();
  }
  if (std::uint64_t slots = cache_.mask / sizeof(Slot) + 1;
      blocks_ == slots / 2 && slots < kLargeCache) {
    make_cache(slots * kCacheGrowth);
  }
  auto* b = fresh<Block>(1);
  b->index = index;
  std::uint64_t at = place(index);
  while (table_[at & (table_size_ - 1)] != nullptr) {
    ++at;
  }
  table_[at & (table_size_ - 1)] = b;
  if (guards_ != nullptr) [[unlikely]] {
    ask_for_guards(*b);
  }
  return *b;
}

void Shadow::set_guard(Cell& c, std::uint8_t guard) {
  if (c.guard == guard) {
    return;
  }
  {
    PlainEras strip(c);
    c.guard = Guard::kGood;
  }
  PlainEras add(c);
  c.guard = guard;
  if (guard == Guard::kFreed) {
    c.known = false;  // the allocator has filled it
  }
}

void Shadow::ask_for_guards(Block& b) {
  std::uint8_t now[kBlockWords];
  guards_->guards(b.address(), now);
  if (std::all_of(std::begin(now), std::end(now),
                  [&](std::uint8_t guard) { return guard == now[0]; })) {
    set_guard(b.all, now[0]);
    return;
  }
  Cell* cells = split(b);
  for (std::uint64_t i = 0; i < kBlockWords; ++i) {
    set_guard(cells[i], now[i]);
  }
}

void Shadow::guard(std::uint64_t address, std::uint64_t size, std::uint8_t guard) {
  std::uint64_t end = address + size;
  for_each_block(address >> kBlockBits, (end + kBlockBytes - 1) >> kBlockBits, [&](Block& b) {
    std::uint64_t first = std::max(address, b.address());
    std::uint64_t last = std::min(end, b.address() + kBlockBytes);
    if (b.cells == nullptr && (last - first == kBlockBytes || b.all.guard == guard)) {
      set_guard(b.all, guard);
      return;
    }
    Cell* c = split(b) + (first - b.address()) / kWordBytes;
    for (std::uint64_t word = first; word < last; word += kWordBytes) {
      set_guard(*c++, guard);
    }
  });
}

Cell* Shadow::split(Block& b) {
  if (b.cells == nullptr) {
    b.cells = free_cells_;
    bool used = b.cells != nullptr;
    if (used) {
      free_cells_ = reinterpret_cast<Cell*>(b.cells->value);
    } else {
      b.cells = fresh<Cell>(kBlockWords);
    }
    // If something wrote to the block unseen since its content was taken, it is unknown which words
    // still hold the recorded values, and no value will match.
    std::uint64_t content = 0;
    bool readable = b.all.known && probe_words(b.address(), kBlockWords, &content);
    bool unseen = readable && content != b.all.value;
    bool blank = !used && !b.all.used() && b.all.mask == 0 && b.all.guard == Guard::kGood;
    for (std::uint64_t i = 0; !blank && i < kBlockWords; ++i) {
      Cell& c = b.cells[i];
      c = b.all;
      if (i > 0 && c.several()) {
        ++history_of(c).words;
      }
      c.known = readable && probe_word(b.address() + i * kWordBytes, &c.value);
      c.value = unseen ? ~c.value : c.value;
    }
  }
  slot_of(b.address()) = {b.address(), b.cells};
  return b.cells;
}

Cell& Shadow::find_cell(std::uint64_t address) {
  return split(block(address))[(address >> 3) & (kBlockWords - 1)];
}

const Cell* Shadow::cell_if_any(std::uint64_t address) const {
  const Block* b = find(address >> kBlockBits);
  if (b == nullptr) {
    return nullptr;
  }
  return b->cells != nullptr ? &b->cells[(address >> 3) & (kBlockWords - 1)] : &b->all;
}

void Shadow::reset(Block& b) {
  if (b.cells != nullptr) {
    for (std::uint64_t i = 0; i < kBlockWords; ++i) {
      clear(b.cells[i]);
    }
    Slot& slot = slot_of(b.address());
    if (slot.begin == b.address()) {
      slot = {b.address() + kBlockBytes, nullptr};
    }
    b.cells->value = reinterpret_cast<std::uint64_t>(free_cells_);
    free_cells_ = b.cells;
    b.cells = nullptr;
    b.all = {};  // its history went to its first word
  }
  clear(b.all);
}

void Shadow::forget(std::uint64_t address, std::uint64_t size) {
  std::uint64_t end = address + size;
  std::uint64_t first = (address + kBlockBytes - 1) >> kBlockBits;  // whole blocks
  std::uint64_t last = end >> kBlockBits;
  auto forget_words = [&](std::uint64_t from, std::uint64_t to) {
    if (from < to && cell_if_any(from) != nullptr) {
      for (std::uint64_t word = word_of(from); word < to; word += kWordBytes) {
        clear(cell(word));
      }
    }
  };
  if (first >= last) {
    forget_words(address, first << kBlockBits < end ? first << kBlockBits : end);
    forget_words(first << kBlockBits, end);
    return;
  }
  forget_words(address, first << kBlockBits);
  forget_words(last << kBlockBits, end);
  for_each_block(first, last, [&](Block& b) { reset(b); });
}

template <typename Visit>
void Shadow::for_each_block(std::uint64_t first, std::uint64_t last, Visit visit) {
  if (last - first < table_size_) {
    for (std::uint64_t index = first; index < last; ++index) {
      if (Block* b = find(index)) {
        visit(*b);
      }
    }
    return;
  }
  // A whole stack: visit only the few blocks that were ever used.
  for (std::uint64_t i = 0; i < table_size_; ++i) {
    if (table_[i] != nullptr && table_[i]->index >= first && table_[i]->index < last) {
      visit(*table_[i]);
    }
  }
}

std::uint32_t Shadow::take_byte_writers() {
  if (free_byte_writers_ != 0) {
    std::uint32_t index = free_byte_writers_;
    free_byte_writers_ = byte_writers(index).next_free;
    return index;
  }
  if (byte_writers_ >> kChunkBits == byte_chunks_.size()) {
    // Traced runs need more of them; the memory of others must not move for that.
    on_runtime_stack([&] { byte_chunks_.push_back(fresh<ByteWriters>(1 << kChunkBits)); });
  }
  return byte_writers_++;
}

void Shadow::free_byte_writers(Cell& c) {
  if (c.bytewise) {
    byte_writers(c.writer_code).next_free = free_byte_writers_;
    free_byte_writers_ = c.writer_code;
    c.bytewise = false;
  }
}

History& Shadow::history(Cell& c) {
  if (c.several() && history_of(c).words == 1) {
    return history_of(c);
  }
  if (free_histories_.empty()) {
    free_histories_.push_back(static_cast<std::uint32_t>(histories_.size()));
    histories_.emplace_back();
  }
  std::uint32_t index = free_histories_.back();
  free_histories_.pop_back();
  History& mine = histories_[index];
  std::uint32_t version = mine.version;
  if (c.several()) {
    --history_of(c).words;
    mine = history_of(c);
  }
  mine.version = version;
  mine.words = 1;
  c.read_in = Cell::kSeveral | index;
  c.written_in = 0;
  return mine;
}

void Shadow::share_history(Cell& c, std::uint32_t read_in) {
  ++history_at(read_in).words;
  drop_users(c);
  c.read_in = read_in;
}

void Shadow::drop_users(Cell& c) {
  if (c.several() && --history_of(c).words == 0) {
    History& h = history_of(c);
    h.reads.clear();
    h.writes.clear();
    ++h.version;
    free_histories_.push_back(c.read_in & ~Cell::kSeveral);
  }
  c.read_in = c.written_in = 0;
}

void Shadow::clear(Cell& c) {
  free_byte_writers(c);
  drop_users(c);
  c = {};
}

// Returns which half of a word a write wrote and nothing else, 0 or 1; -1 if neither.
int Shadow::half_of(std::uint8_t mask, std::int8_t delta) {
  constexpr std::uint8_t kLower = 0x0f, kUpper = 0xf0;
  return mask == kLower && delta == 0 ? 0 : mask == kUpper && delta == -4 ? 1 : -1;
}

// Makes the cell one with a writer for each half, one of which will be overwritten. Returns false
// if the writer of the other one wrote something else as well.
bool Shadow::make_halves(Cell& c, int overwritten) {
  if (c.halves) {
    return true;
  }
  int other = 1 - overwritten;
  std::uint8_t mask = other == 0 ? 0x0f : 0xf0;
  Writer writers[8];
  if (different_writers(c, mask, 0, writers) != 1) {
    return false;
  }
  std::uint64_t begin = other == 0 ? 0 : 4;
  std::uint32_t code = writers[0].code;
  if (code != 0 && (code & kInterned) == 0 && writers[0].address != begin) {
    return false;
  }
  free_byte_writers(c);
  c.halves = true;
  (other == 0 ? c.writer_code : c.writer_step) = code;
  c.mask &= mask;
  return true;
}

void Shadow::make_bytewise(Cell& c) {
  std::uint32_t index = take_byte_writers();
  ByteWriter* of = byte_writers(index).of;
  for (int i = 0; i < 8; ++i) {
    of[i] = !c.halves ? ByteWriter{c.writer_code, c.writer_step, c.delta}
            : i < 4   ? ByteWriter{c.writer_code, 0, 0}
                      : ByteWriter{c.writer_step, 0, -4};
  }
  c.halves = false;
  c.bytewise = true;
  c.writer_code = index;
}

void Shadow::write_part(Cell& c, std::uint8_t mask, std::uint32_t code, std::int8_t delta,
                        std::uint32_t step) {
  if (mask == kWholeWord || (!c.bytewise && !c.halves && (c.mask & ~mask) == 0)) {
    free_byte_writers(c);
    c.halves = false;
    c.writer_code = code;
    c.writer_step = step;
    c.delta = delta;
    c.mask = mask;
    return;
  }
  int half = exact ? -1 : half_of(mask, delta);
  if (half >= 0 && make_halves(c, half)) {
    (half == 0 ? c.writer_code : c.writer_step) = code;
    c.mask |= mask;
    return;
  }
  if (!c.bytewise) {
    make_bytewise(c);  // some bytes keep an older writer
  }
  write_bytes(c, mask, code, delta, step);
}

int Shadow::different_writers(const Cell& c, std::uint8_t mask, std::uint64_t word,
                              Writer* out) const {
  const ByteWriter single = {c.writer_code, c.halves ? 0 : c.writer_step,
                             c.halves ? std::int8_t{0} : c.delta};
  const ByteWriter upper = c.halves ? ByteWriter{c.writer_step, 0, -4} : single;
  const ByteWriter* each = c.bytewise ? byte_writers(c.writer_code).of : nullptr;
  int n = 0;
  for (unsigned left = mask; left != 0; left &= left - 1) {
    int i = std::countr_zero(left);
    ByteWriter w = (c.mask & (1 << i)) == 0 ? ByteWriter{}
                   : each != nullptr        ? each[i]
                   : i < 4                  ? single
                                            : upper;
    Writer writer;
    if (w.code != 0) {
      auto begin = word - static_cast<std::uint64_t>(static_cast<std::int64_t>(w.delta));
      writer = {w.code, w.step, begin};
    }
    bool known = std::any_of(out, out + n, [&](const Writer& other) {
      return other.code == writer.code && other.step == writer.step &&
             other.address == writer.address;
    });
    if (!known) {
      out[n++] = writer;
    }
  }
  return n;
}

}  // namespace rff
