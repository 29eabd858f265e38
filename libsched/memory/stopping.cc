// Decides where a run stops: which accesses and entries of functions are scheduling points.
#include "libsched/memory/private_access.h"
#include "libsched/memory/site_code.h"

namespace rff {
namespace {

// Number of decisions that a long stretch without scheduling point and without change counts for.
constexpr std::uint32_t kIdleRun = 100;

}  // namespace

bool Accesses::in_net(CodeName site) {
  constexpr std::uint64_t kOneOf = 64;
  constexpr std::uint32_t kMostStops = 10'000;
  return hash_combine(seed_, site.packed()) % kOneOf == 0 && net_stops_++ < kMostStops;
}

bool Accesses::stops_for_handed_over() {
  constexpr std::uint64_t kOneOf = 16;
  constexpr std::uint32_t kMostStops = 2'000;
  if (sharing.order.handing_over_orders || !others_matter()) {
    return false;
  }
  if (seed_ % kOneOf == 0 || handed_over_stops_++ < kMostStops) {
    return true;
  }
  sharing.order.handing_over_orders = true;
  points.drop_handed_over();
  return false;
}

bool Accesses::passes_point(CodeName site) {
  constexpr std::uint32_t kAlways = 4096;
  constexpr std::uint64_t kOneOf = 64;
  std::uint32_t n = ++stops_[site.packed()];
  return n > kAlways && hash_combine(hash_combine(seed_, site.packed()), n) % kOneOf != 0;
}

// Where the user chose, what would have been a point is noted: the search must know what the steps
// between two stops touch. A thread that waits in a loop stops there all the same, or others could
// never end its wait.
Accesses::Stop Accesses::planned_stop(const Thread& t, std::uint8_t known_as,
                                      const StopRules::Access& access, const Relation& relation) {
  bool point = relation.races || known_as == PatchedModule::kPoint || every_access();
  bool handed = relation.handed || known_as == PatchedModule::kHandedOver;
  if (rules.chosen()) {
    StopRules::Access known = access;
    known.point = point || handed;
    bool waits = t.spin.spinning && relation.conflicts;
    return {others_matter() && (waits || rules.stops_at(known)), false, known.point};
  }
  point = point || (handed && stops_for_handed_over());
  point = point || (relation.conflicts && in_net(access.site));
  return {point && others_matter(), false, false};
}

Accesses::Stop Accesses::stop(Thread& t, const PatchedModule& module, std::uint32_t site,
                              std::uint64_t address, std::uint64_t size, const Relation& relation) {
  Stop planned =
      planned_stop(t, module.is_point[site], {module.site_name(site), address, size}, relation);
  bool point = planned.here;
  bool locked = (module.sites[site].flags & hook::kLocked) != 0;
  if (point && !locked && passes_point(module.site_name(site))) {
    point = false;
  }
  bool forced = execution_.steps >= t.memory->cut_at;
  if (execution_.proving()) {
    forced |= execution_.wants_stop(site_code(module.index, site), address);
  } else if (forced) {
    // Work changes something or keeps reading new places; a loop that does neither spins.
    if (t.memory->changed_something || !t.memory->rounds.seen_before(address)) {
      execution_.progress.worked();
    } else {
      execution_.progress.idle(kIdleRun);
      spins_.idles(t);
    }
    t.memory->changed_something = false;
  }
  return {forced || point, forced, planned.noted};
}

void Accesses::enter(Thread& t, const PatchedModule& module, std::uint32_t site) {
  if (module.chosen[site] == 0 || (module.sites[site].flags & hook::kFirst) == 0) {
    return;
  }
  commit(t);
  CodeName name = module.site_name(site);
  if (!others_matter() || !rules.stops_at_entry(name) || passes_point(name)) {
    return;
  }
  Operation operation;
  operation.op = OpKind::kCall;
  operation.site = name;
  execution_.perform(operation);
}

}  // namespace rff
