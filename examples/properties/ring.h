// A ring of items between one thread that pushes and one that pops. The program's properties run
// it in two forms, of which one gives an item's place away before it has read the item.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

enum class Pop { kTooEarly, kAfterReading };

template <Pop pop_form>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : items_(capacity) {}

  // Returns false if the ring is full.
  bool push(int item) {
    std::size_t head = head_.load();
    if (head - tail_.load() == items_.size()) {
      return false;
    }
    items_[head % items_.size()].store(item);
    head_.store(head + 1);
    return true;
  }

  // Returns false if the ring is empty.
  bool pop(int& item) {
    std::size_t tail = tail_.load();
    if (tail == head_.load()) {
      return false;
    }
    if (pop_form == Pop::kTooEarly) {
      tail_.store(tail + 1);  // from here on a push may take the place
    }
    item = items_[tail % items_.size()].load();
    if (pop_form == Pop::kAfterReading) {
      tail_.store(tail + 1);
    }
    return true;
  }

 private:
  std::vector<std::atomic<int>> items_;
  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
};
