#include "libsched/memory/shadow.h"

#include <cstring>

namespace rff {

Shadow::Shadow() : bytes_(1) {
  for (Slot& s : cache_) {
    s.page = ~std::uint64_t{0};
  }
}

Cell* Shadow::find_or_make(std::uint64_t page) {
  Cell*& cells = pages_[page];
  if (cells == nullptr) {
    cells = new Cell[kCellsPerPage]();
  }
  return cells;
}

Cell* Shadow::cell_if_any(std::uint64_t address) {
  auto it = pages_.find(address >> kPageBits);
  return it == pages_.end() ? nullptr : &it->second[(address >> 3) & (kCellsPerPage - 1)];
}

void Shadow::forget(std::uint64_t address, std::uint64_t size) {
  std::uint64_t end = address + size;
  if ((size >> kPageBits) > pages_.size() && ((address | size) & ((1 << kPageBits) - 1)) == 0) {
    // A whole stack: look at the few pages that were ever used.
    for (auto& [page, cells] : pages_) {
      std::uint64_t first = page << kPageBits;
      if (first >= address && first + (std::uint64_t{1} << kPageBits) <= end) {
        std::memset(cells, 0, kCellsPerPage * sizeof(Cell));
      }
    }
    return;
  }
  while (address < end) {
    std::uint64_t page_end = ((address >> kPageBits) + 1) << kPageBits;
    std::uint64_t stop = end < page_end ? end : page_end;
    if (Cell* c = cell_if_any(address)) {
      std::memset(c, 0, ((stop - address + 7) >> 3) * sizeof(Cell));
    }
    address = stop;
  }
}

void Shadow::write(Cell& c, std::uint8_t mask, std::uint32_t code, std::int8_t delta,
                   std::uint32_t step) {
  if (c.bytes == 0) {
    if ((c.mask & ~mask) == 0) {
      c.writer_code = code;
      c.writer_step = step;
      c.delta = delta;
      c.mask = mask;
      return;
    }
    // Some bytes keep an older writer: remember each byte's.
    ByteWriters w{};
    for (int i = 0; i < 8; ++i) {
      if (c.mask & (1 << i)) {
        w.of[i] = {c.writer_code, c.writer_step, c.delta};
      }
    }
    c.bytes = static_cast<std::uint32_t>(bytes_.size());
    bytes_.push_back(w);
  }
  if (mask == 0xff) {
    c.bytes = 0;
    c.mask = 0;
    write(c, mask, code, delta, step);
    return;
  }
  ByteWriters& w = bytes_[c.bytes];
  for (int i = 0; i < 8; ++i) {
    if (mask & (1 << i)) {
      w.of[i] = {code, step, delta};
    }
  }
  c.mask |= mask;
}

int Shadow::writers(const Cell& c, std::uint8_t mask, std::uint64_t word, Writer* out) const {
  int n = 0;
  auto add = [&](std::uint32_t code, std::uint32_t step, std::int8_t delta) {
    for (int i = 0; i < n; ++i) {
      if (out[i].code == code && out[i].step == step) {
        return;
      }
    }
    out[n++] = {
        code, step,
        code == 0 ? 0 : word - static_cast<std::uint64_t>(static_cast<std::int64_t>(delta))};
  };
  if (c.bytes == 0) {
    if (c.mask & mask) {
      add(c.writer_code, c.writer_step, c.delta);
    }
    if (mask & ~c.mask) {
      add(0, 0, 0);
    }
    return n;
  }
  const ByteWriters& w = bytes_[c.bytes];
  for (int i = 0; i < 8; ++i) {
    if (mask & (1 << i)) {
      if (c.mask & (1 << i)) {
        add(w.of[i].code, w.of[i].step, w.of[i].delta);
      } else {
        add(0, 0, 0);
      }
    }
  }
  return n;
}

}  // namespace rff
