#include "fuzzer/replay/event_names.h"

#include <algorithm>

namespace rff {
namespace {

bool by_place_in_code(const AbstractEvent& a, const AbstractEvent& b) {
  return std::pair(a.site, a) < std::pair(b.site, b);
}

}  // namespace

std::string EventNames::object(const AbstractEvent& e) {
  switch (e.place) {
    case LocationKind::kNone: return "";
    case LocationKind::kGlobal: return debug_.short_location(e);
    case LocationKind::kHeap:
    case LocationKind::kThread:
    case LocationKind::kDescriptor:
      return std::string(location_kind_name(e.place)) + " of " +
             debug_.place(CodeName::unpack(e.base), DebugInfo::Code::kReturnAddress).function +
             "+" + std::to_string(e.offset);
    default: return std::string(location_kind_name(e.place));
  }
}

EventName EventNames::without_ordinal(const AbstractEvent& e) {
  std::string function = e.site == CodeName{} ? "" : debug_.place(e).function;
  return {std::string(op_name(e.op)), function, object(e), 0};
}

void EventNames::add(const std::vector<AbstractEvent>& events) {
  for (const AbstractEvent& e : events) {
    std::vector<AbstractEvent>& same = events_[without_ordinal(e)];
    auto at = std::lower_bound(same.begin(), same.end(), e, by_place_in_code);
    if (at == same.end() || *at != e) {
      same.insert(at, e);
    }
  }
}

EventName EventNames::name(const AbstractEvent& e) {
  EventName name = without_ordinal(e);
  auto it = events_.find(name);
  if (it != events_.end()) {
    auto at = std::lower_bound(it->second.begin(), it->second.end(), e, by_place_in_code);
    name.ordinal = static_cast<unsigned>(at - it->second.begin());
  }
  return name;
}

std::optional<AbstractEvent> EventNames::find(const EventName& name,
                                              const std::set<std::string>& others) const {
  EventName key = name;
  key.ordinal = 0;
  auto found = events_.find(key);
  if (found == events_.end() && !name.object.empty()) {
    for (auto it = events_.begin(); it != events_.end(); ++it) {
      bool same = it->first.op == name.op && it->first.object == name.object;
      bool better = found == events_.end() || others.contains(found->first.function);
      found = same && better ? it : found;
    }
  }
  if (found == events_.end()) {
    return std::nullopt;
  }
  return found->second[std::min<std::size_t>(name.ordinal, found->second.size() - 1)];
}

}  // namespace rff
