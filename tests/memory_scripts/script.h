// Random scripts of allocator calls and accesses, with a model that knows the first error.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>

#include "schedule/failure.h"

namespace rff::test {

// The model expects this of a script, as far as a report says it.
struct ExpectedError {
  FindingKind kind = FindingKind::kNone;
  int thread = 0;
  long offset = 0;      // of the access or of the released address, from the block's begin
  long wrong = 0;       // of the first wrong byte
  long block_size = 0;  // as asked for
};

class Script {
 public:
  // With `faulty`, steps may be errors; the first one ends the script. With `strict`, an aligned
  // load that runs over the end of a block is one.
  Script(std::uint64_t seed, bool faulty, bool strict = false)
      : random_(seed), faulty_(faulty), strict_(strict) {
    for (int slot = 0; slot < kSlots; ++slot) {
      allocate(slot);
    }
    int length = 5 + pick(40);
    for (int i = 0; i < length && !error; ++i) {
      step();
    }
  }

  std::string text;
  std::optional<ExpectedError> error;

 private:
  static constexpr int kSlots = 8;
  static constexpr long kRedzone = 16;
  struct Block {
    long size = 0;
    bool freed = false;
  };

  int pick(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  void add(int thread, char op, int slot, long a, long b) {
    text += std::to_string(thread) + " " + op + " " + std::to_string(slot) + " " +
            std::to_string(a) + " " + std::to_string(b) + " ";
  }
  void fail(FindingKind kind, int thread, int slot, long offset, long wrong) {
    error = {kind, thread, offset, wrong, blocks_[static_cast<std::size_t>(slot)].size};
  }
  Block& block(int slot) { return blocks_[static_cast<std::size_t>(slot)]; }

  void allocate(int slot) {
    long size = 1 + (pick(4) == 0 ? pick(2000) : pick(70));
    int way = pick(4);
    add(pick(3), way == 0 ? 'z' : way == 1 ? 'l' : 'm', slot, size, 16 << pick(4));
    block(slot) = {size, false};
  }

  void step() {
    int slot = pick(kSlots);
    Block& b = block(slot);
    if (b.freed && (!faulty_ || pick(2) == 0)) {
      allocate(slot);
      return;
    }
    switch (pick(8)) {
      case 0: release(slot); break;
      case 1: enlarge(slot); break;
      case 2: release_inside(slot); break;
      case 3: use_range(slot); break;
      default: use(slot); break;
    }
  }

  void release(int slot) {
    int thread = pick(3);
    add(thread, 'f', slot, 0, 0);
    if (block(slot).freed) {
      fail(FindingKind::kDoubleFree, thread, slot, 0, 0);
    }
    block(slot).freed = true;
  }

  void enlarge(int slot) {
    int thread = pick(3);
    long size = 1 + pick(300);
    add(thread, 'e', slot, size, 0);
    if (block(slot).freed) {
      fail(FindingKind::kDoubleFree, thread, slot, 0, 0);
      return;
    }
    block(slot) = {size, false};
  }

  void release_inside(int slot) {
    if (!faulty_ || block(slot).size < 2 || pick(8) != 0) {
      return;
    }
    int thread = pick(3);
    long offset = 1 + pick(static_cast<int>(block(slot).size) - 1);
    add(thread, 'F', slot, offset, 0);
    fail(block(slot).freed ? FindingKind::kUseAfterFree : FindingKind::kInvalidFree, thread, slot,
         offset, offset);
  }

  // Returns where an access of so many bytes begins: in the block, or now and then near it.
  long place(int slot, long bytes) {
    long size = block(slot).size;
    bool astray = faulty_ && pick(6) == 0;
    if (astray) {
      long low = -kRedzone, high = size + kRedzone - bytes;
      return high > low ? low + pick(static_cast<int>(high - low)) : low;
    }
    return size > bytes ? pick(static_cast<int>(size - bytes + 1)) : 0;
  }

  void judge(int thread, int slot, long offset, long bytes, bool may_run_over) {
    Block& b = block(slot);
    bool aligned = bytes >= 8 && offset % bytes == 0 && may_run_over && !strict_;
    if (offset < 0) {
      bool touches = offset + bytes > 0 && !b.freed;
      if (!(aligned && touches)) {
        fail(FindingKind::kHeapUnderflow, thread, slot, offset, offset);
      }
    } else if (offset >= b.size) {
      fail(FindingKind::kHeapOverflow, thread, slot, offset, offset);
    } else if (b.freed) {
      fail(FindingKind::kUseAfterFree, thread, slot, offset, offset);
    } else if (offset + bytes > b.size && !aligned) {
      fail(FindingKind::kHeapOverflow, thread, slot, offset, b.size);
    }
  }

  void use(int slot) {
    int thread = pick(3);
    char op = "rrrwwwu"[pick(7)];
    long bytes = op == 'u' ? 4 : 1L << pick(5);
    if (!faulty_ && bytes > block(slot).size) {
      bytes = 1;
      op = 'r';
    }
    long offset = place(slot, bytes);
    offset = op == 'u' ? offset & ~3L : offset;  // a locked instruction
    add(thread, op, slot, offset, bytes);
    judge(thread, slot, offset, bytes, op == 'r');
  }

  void use_range(int slot) {
    int thread = pick(3);
    long most = block(slot).size + (faulty_ && pick(4) == 0 ? kRedzone : 0);
    long bytes = 1 + pick(static_cast<int>(most));
    long offset =
        bytes <= block(slot).size ? pick(static_cast<int>(block(slot).size - bytes + 1)) : 0;
    // The copies of libraries and string instructions are no loads that may run over an end.
    add(thread, "csv"[pick(3)], slot, offset, bytes);
    judge(thread, slot, offset, bytes, false);
  }

  std::mt19937_64 random_;
  bool faulty_;
  bool strict_;
  std::array<Block, kSlots> blocks_;
};

}  // namespace rff::test
