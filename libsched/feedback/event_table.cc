#include "libsched/feedback/event_table.h"

#include "libsched/memory/shadow.h"
#include "schedule/hash.h"

namespace rff {
namespace {

OpKind op_of(hook::SiteKind kind) {
  switch (kind) {
    case hook::SiteKind::kRead: return OpKind::kRead;
    case hook::SiteKind::kWrite: return OpKind::kWrite;
    default: return OpKind::kReadModifyWrite;
  }
}

}  // namespace

std::uint32_t EventTable::intern(const AbstractEvent& e) {
  std::uint64_t id = e.id();
  auto [it, fresh] = by_id_.try_emplace(id, static_cast<std::uint32_t>(events_.size()));
  if (fresh) {
    events_.push_back(e);
    ids_.push_back(id);
    if (run_ != nullptr) {
      run_->event_list.append(e);
    }
  }
  return it->second;
}

std::uint32_t EventTable::intern(OpKind op, std::uint64_t address, std::uint64_t size,
                                 CodeName site) {
  std::uint64_t key =
      hash_combine(hash_combine(address, site.packed()), static_cast<std::uint64_t>(op));
  CacheEntry& entry = cache_[key & 255];
  if (entry.key != key || entry.epoch != locations_.epoch()) {
    entry = {key, locations_.epoch(),
             intern(AbstractEvent::make(op, locations_.locate(address), size, site))};
  }
  return entry.index;
}

std::uint32_t EventTable::intern_site(std::uint32_t code, std::uint64_t address) {
  if (code & kInterned) {
    return code & ~kInterned;
  }
  const PatchedModule& m = *modules_.patched()[code >> 24];
  const hook::SiteRecord& site = m.sites[(code & 0xffffff) - 1];
  return intern(op_of(site.kind), address, site.size, m.site_name((code & 0xffffff) - 1));
}

AbstractEvent EventTable::describe(std::uint32_t code, std::uint64_t address) const {
  if (code & kInterned) {
    return events_[code & ~kInterned];
  }
  const PatchedModule& m = *modules_.patched()[code >> 24];
  const hook::SiteRecord& site = m.sites[(code & 0xffffff) - 1];
  return AbstractEvent::make(op_of(site.kind), locations_.locate(address), site.size,
                             m.site_name((code & 0xffffff) - 1));
}

bool EventTable::add_pair(std::uint32_t write, std::uint32_t read) {
  std::uint64_t key = (static_cast<std::uint64_t>(write) << 32) | read;
  if (!seen_pairs_.insert(key).second) {
    return false;
  }
  pairs_.push_back({write, read});
  std::uint64_t hash = hash_combine(ids_[write], ids_[read]);
  combination_ += hash;
  touch_map(hash);
  if (run_ != nullptr) {
    run_->pairs.append({write, read});
  }
  return true;
}

void EventTable::add_edge(std::uint64_t from, std::uint64_t to) {
  std::uint64_t hash = hash_combine(from, to);
  if (seen_edges_.insert(hash).second) {
    control_flow_ += hash;
    touch_map(hash ^ 0x5555555555555555ULL);
  }
}

void EventTable::touch_map(std::uint64_t hash) {
  if (map_ == nullptr) {
    return;
  }
  auto place = static_cast<std::uint16_t>(hash);
  if (run_ == nullptr || !run_->map_places.append(place)) {
    map_[place] = 1;
  }
}

}  // namespace rff
