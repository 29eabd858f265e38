// The bounds that keep the memory of a long campaign limited.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff {

struct Bounds {
  std::size_t known = std::size_t{1} << 20;          // members of each set of ids seen or tried
  std::size_t events = std::size_t{1} << 18;         // also cells of an archive
  std::size_t order_entries = std::size_t{1} << 23;  // sum over all orders that an archive holds
};

// Empties a full set: its members count as new again.
template <typename Set>
void clear_if_full(Set& set, const Bounds& bounds) {
  if (set.size() >= bounds.known) {
    set.clear();
  }
}

// Counts the entries of all recorded orders that are still referenced.
class LiveOrders {
 public:
  using Order = std::shared_ptr<const std::vector<Decision>>;

  Order count(Order order) {
    *entries_ += order->size();
    auto* counted = order.get();
    return {counted, [held = std::move(order), entries = entries_](const auto*) mutable {
              *entries -= held->size();
              held.reset();
            }};
  }
  std::size_t entries() const { return *entries_; }

 private:
  std::shared_ptr<std::size_t> entries_ = std::make_shared<std::size_t>(0);
};

}  // namespace rff
