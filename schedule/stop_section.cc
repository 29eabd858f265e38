// Writes and reads the section of a schedule file that stores the chosen stop points.
#include "schedule/schedule_parts.h"

namespace rff::schedule_parts {
namespace {

constexpr std::size_t kMaxRules = 1 << 12;

// The runtime searches ranges by halving.
void read_ranges(ByteReader& r, std::vector<ModuleRange>& ranges) {
  r.records(ranges, kMaxSites, "stop points");
  if (!in_order(ranges)) {
    r.fail("stop points are not in order");
  }
}

void read_rule(ByteReader& r, StopRule& rule) {
  r.text(rule.text, "stop points");
  r.enumeration(rule.kind, StopRule::Kind::kCount, "kind of stop points");
  read_ranges(r, rule.ranges);
  read_ranges(r, rule.within);
  bool has_places = rule.kind >= StopRule::Kind::kEntries;
  if (r.ok() && has_places == rule.ranges.empty()) {
    r.fail("stop points and their kind do not fit");
  }
}

}  // namespace

bool has_stops(const Schedule& s) { return s.points.chosen(); }

void write_stops(ByteWriter& w, const Schedule& s) {
  w.number(static_cast<std::uint32_t>(s.points.stops.size()));
  for (const StopRule& rule : s.points.stops) {
    w.text(rule.text);
    w.number(static_cast<std::uint8_t>(rule.kind));
    w.records(rule.ranges);
    w.records(rule.within);
  }
}

void read_stops(ByteReader& r, Schedule& s) {
  constexpr std::size_t kLeastBytes = 3 * sizeof(std::uint32_t) + 1;
  std::size_t n = r.count(kMaxRules, kLeastBytes, "stop points");
  if (r.ok() && n == 0) {
    r.fail("no stop points");
  }
  for (std::size_t i = 0; i < n && r.ok(); ++i) {
    read_rule(r, s.points.stops.emplace_back());
  }
}

}  // namespace rff::schedule_parts
