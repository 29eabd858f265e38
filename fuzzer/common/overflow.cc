#include "fuzzer/common/overflow.h"

#include <algorithm>

namespace rff {
namespace {

struct List {
  OverflowedList bit;
  const char* name;
  const char* items;
  std::uint32_t capacity;
  const char* consequence;
};

constexpr List kLists[] = {
    {kEventsOverflowed, "events", "different events", decltype(RunRecord::event_list)::capacity(),
     "the search does not see the others"},
    {kPairsOverflowed, "pairs", "reads-from pairs", decltype(RunRecord::pairs)::capacity(),
     "the search does not see the others"},
    {kStepsOverflowed, "steps", "scheduling points", decltype(RunRecord::steps)::capacity(),
     "the search changes the order of the first ones only"},
    {kDecisionsOverflowed, "decisions", "decisions", decltype(RunRecord::decisions)::capacity(),
     "such a run is repeated from its seed, not decision by decision"},
    {kPointsOverflowed, "points", "places in the code that access shared memory",
     decltype(SharedMemory::points)::capacity(), "the others are no scheduling points"},
    {kModulesOverflowed, "modules", "modules", decltype(SharedMemory::modules)::capacity(),
     "places in the others have no names"},
    {kCallsOverflowed, "unmodelled_calls", "calls that are not modelled",
     decltype(SharedMemory::unmodelled_calls)::capacity(), "the others are not listed"},
};

template <std::uint32_t kCapacity>
std::uint32_t bit_if(const SharedCount<kCapacity>& list, OverflowedList bit) {
  return list.overflowed.load(std::memory_order_relaxed) != 0 ? bit : 0u;
}

}  // namespace

std::uint32_t overflowed_lists(const SharedMemory& shared) {
  return bit_if(shared.run.event_list, kEventsOverflowed) |
         bit_if(shared.run.pairs, kPairsOverflowed) | bit_if(shared.run.steps, kStepsOverflowed) |
         bit_if(shared.run.decisions, kDecisionsOverflowed) |
         bit_if(shared.points, kPointsOverflowed) | bit_if(shared.modules, kModulesOverflowed) |
         bit_if(shared.unmodelled_calls, kCallsOverflowed);
}

std::vector<std::string> overflow_names(std::uint32_t lists) {
  std::vector<std::string> names;
  for (const List& list : kLists) {
    if ((lists & list.bit) != 0) {
      names.emplace_back(list.name);
    }
  }
  return names;
}

std::uint32_t overflows_from_names(const std::vector<std::string>& names) {
  std::uint32_t lists = 0;
  for (const List& list : kLists) {
    if (std::find(names.begin(), names.end(), list.name) != names.end()) {
      lists |= list.bit;
    }
  }
  return lists;
}

std::vector<std::string> overflow_texts(std::uint32_t lists) {
  std::vector<std::string> texts;
  for (const List& list : kLists) {
    if ((lists & list.bit) != 0) {
      texts.push_back(std::string("more ") + list.items + " than the record holds (" +
                      std::to_string(list.capacity) + "): " + list.consequence);
    }
  }
  return texts;
}

}  // namespace rff
