// Names of events that stay when a program is changed and built again: what is done, in which
// function, to which variable. They come from what runs show, so that no older build is needed.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

struct EventName {
  std::string op;        // "read"
  std::string function;  // empty if unknown
  std::string object;    // "queue.head", "heap of make_node+8"; empty if none
  unsigned ordinal = 0;  // among events with the same three, in the order of the code

  auto operator<=>(const EventName&) const = default;
};

class EventNames {
 public:
  explicit EventNames(DebugInfo& debug) : debug_(debug) {}

  // Adds what a run did. Its modules must be known.
  void add(const std::vector<AbstractEvent>& events);
  EventName name(const AbstractEvent& event);
  // Returns the event of that name; if there is none, the one that comes nearest: with another
  // ordinal, or in another function, where code was moved. Functions in `others` are known by their
  // own names, so they are the last to be taken for a renamed one.
  std::optional<AbstractEvent> find(const EventName& name,
                                    const std::set<std::string>& others) const;

 private:
  EventName without_ordinal(const AbstractEvent& event);
  std::string object(const AbstractEvent& event);

  DebugInfo& debug_;
  std::map<EventName, std::vector<AbstractEvent>> events_;  // by name with ordinal 0; sorted
};

}  // namespace rff
