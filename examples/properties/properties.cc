// A ring gives its items back in their order, whatever the capacity and the items (README.md).
#include <rff/property.h>

#include <thread>
#include <vector>

#include "ring.h"

template <Pop pop_form>
static void keeps_order(std::size_t capacity, const std::vector<int>& items) {
  Ring<pop_form> ring(capacity);
  std::vector<int> popped;
  std::thread consumer([&] {
    // As many attempts as fit into a short test: what comes late is not waited for.
    for (int attempt = 0; attempt < 20 && popped.size() < items.size(); attempt++) {
      int item = 0;
      if (ring.pop(item)) {
        popped.push_back(item);
      }
    }
  });
  std::size_t pushed = 0;
  for (int attempt = 0; attempt < 20 && pushed < items.size(); attempt++) {
    pushed += ring.push(items[pushed]) ? 1 : 0;
  }
  consumer.join();
  for (std::size_t i = 0; i < popped.size(); i++) {
    rff_check(popped[i] == items[i]);
  }
}

static const auto capacities = rff::in_range<std::size_t>(2, 64);
static const auto items = rff::vector_of(rff::in_range(0, 9), 0, 3);

static const auto ring = rff::property("ring", keeps_order<Pop::kTooEarly>, capacities, items);
static const auto corrected_ring =
    rff::property("corrected ring", keeps_order<Pop::kAfterReading>, capacities, items);
