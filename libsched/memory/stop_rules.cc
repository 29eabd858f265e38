#include "libsched/memory/stop_rules.h"

#include <algorithm>

namespace rff {
namespace {

// Whether one of the sorted ranges has some of the offsets from `begin` up to `end`.
bool touches(const std::vector<ModuleRange>& ranges, std::uint32_t module, std::uint64_t begin,
             std::uint64_t end) {
  auto it = std::upper_bound(ranges.begin(), ranges.end(), begin,
                             [&](std::uint64_t offset, const ModuleRange& r) {
                               return module != r.module ? module < r.module : offset < r.end;
                             });
  return it != ranges.end() && it->module == module && it->begin < end;
}
bool contains(const std::vector<ModuleRange>& ranges, CodeName code) {
  return touches(ranges, code.module, code.offset, std::uint64_t{code.offset} + 1);
}

}  // namespace

void StopRules::start(const SchedulingPoints& points) {
  rules_ = points.stops;
  by_address_ = points.chosen(StopRule::Kind::kMemory);
  mark();
}

// The rules may be gone by now.
StopRules::~StopRules() {
  for (PatchedModule* m : modules_.patched()) {
    if (chosen()) {
      m->choose(0, ~std::uint32_t{0}, false, false);
    }
  }
}

// Marked sites never take the fast path of an access.
void StopRules::mark() {
  for (const StopRule& rule : rules_) {
    if (rule.kind != StopRule::Kind::kEntries && rule.kind != StopRule::Kind::kCode) {
      continue;
    }
    for (const ModuleRange& range : rule.ranges) {
      for (PatchedModule* m : modules_.patched()) {
        if (m->hash == range.module) {
          m->choose(range.begin, range.end, rule.kind == StopRule::Kind::kEntries, true);
        }
      }
    }
  }
}

bool StopRules::has_memory(std::uint64_t address, std::uint64_t size) const {
  const Module* m = modules_.find(address);
  return m != nullptr && std::any_of(rules_.begin(), rules_.end(), [&](const StopRule& rule) {
           return rule.kind == StopRule::Kind::kMemory &&
                  touches(rule.ranges, m->hash, address - m->bias, address - m->bias + size);
         });
}

bool StopRules::concerns(const StopRule& rule, const Access& access) const {
  switch (rule.kind) {
    case StopRule::Kind::kAccesses: return access.point;
    case StopRule::Kind::kCode: return contains(rule.ranges, access.site);
    case StopRule::Kind::kMemory: {
      const Module* m = modules_.find(access.address);
      return m != nullptr && touches(rule.ranges, m->hash, access.address - m->bias,
                                     access.address - m->bias + access.size);
    }
    default: return false;
  }
}

bool StopRules::inside(const StopRule& rule, CodeName code) const {
  if (rule.within.empty() || contains(rule.within, code)) {
    return true;
  }
  constexpr std::size_t kMostFrames = 256;
  static std::uint64_t frames[kMostFrames];  // not on the program's stack
  std::size_t count = stack_ != nullptr ? stack_->frames(frames, kMostFrames) : 0;
  for (std::size_t i = 1; i < count; ++i) {
    if (contains(rule.within, modules_.name(frames[i]))) {
      return true;
    }
  }
  return false;
}

bool StopRules::stops_at(const Access& given) const {
  Access access = given;
  access.site.offset -= access.called ? 1 : 0;  // into the call
  return std::any_of(rules_.begin(), rules_.end(), [&](const StopRule& rule) {
    return concerns(rule, access) && inside(rule, access.site);
  });
}

bool StopRules::stops_at_entry(CodeName site) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const StopRule& rule) {
    return rule.kind == StopRule::Kind::kEntries && contains(rule.ranges, site) &&
           inside(rule, site);
  });
}

}  // namespace rff
