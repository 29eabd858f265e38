#include "libsched/memory/event_table.h"

#include "libsched/memory/shadow.h"
#include "libsched/memory/site_code.h"
#include "schedule/hash.h"

namespace rff {
namespace {

OpKind op_of(const hook::SiteRecord& site, OpKind did) {
  switch (site.kind) {
    case hook::SiteKind::kRead: return OpKind::kRead;
    case hook::SiteKind::kWrite: return OpKind::kWrite;
    case hook::SiteKind::kString:
    case hook::SiteKind::kVector: return did;
    case hook::SiteKind::kReadModifyWrite:
      if ((site.flags & hook::kLocked) == 0) {
        return did == OpKind::kWrite ? OpKind::kWrite : OpKind::kRead;
      }
      return OpKind::kReadModifyWrite;
    default: return OpKind::kReadModifyWrite;
  }
}

// Returns the cache key of an address and the code that uses it (a site number or a packed
// CodeName). A site has one size; a call of memcpy may have many.
std::uint64_t key_of(std::uint64_t address, std::uint64_t code, OpKind op, bool site) {
  return mix64(address * kWordFactor + code * 0xd6e8feb86659fd93ULL +
               (static_cast<std::uint64_t>(op) << 1) + (site ? 1 : 0));
}

}  // namespace

void EventTable::start(RunRecord* run, std::uint8_t* map, std::uint32_t map_size) {
  run_ = run;
  map_ = map;
  map_mask_ = static_cast<std::uint16_t>(map_size - 1);
  cache_ = std::vector<CacheEntry>(kCacheSize);
  constexpr std::size_t kFew = 32;
  events_.reserve(kFew);
  ids_.reserve(kFew);
  pairs_.reserve(kFew);
  if (run_ != nullptr) {
    for (const AbstractEvent& e : events_) {
      run_->event_list.append(e);
    }
    for (const ReadsFromPair& pair : pairs_) {
      run_->pairs.append(pair);
    }
  }
}

std::uint32_t EventTable::intern(const AbstractEvent& e) {
  std::uint64_t id = e.id();
  auto [entry, fresh] = by_id_.insert(id, static_cast<std::uint32_t>(events_.size()));
  if (fresh) {
    events_.push_back(e);
    ids_.push_back(id);
    if (run_ != nullptr) {
      run_->event_list.append(e);
    }
  }
  return entry->value;
}

template <typename Make>
std::uint32_t EventTable::cached(std::uint64_t key, Make make) {
  if (const CacheEntry* known = find_cached(key)) {
    return known->index;
  }
  std::uint32_t index = intern(make());
  cache_[key % kCacheSize] = {key, static_cast<std::uint32_t>(locations_.epoch()), index};
  return index;
}

const EventTable::CacheEntry* EventTable::find_cached(std::uint64_t key) const {
  const CacheEntry& entry = cache_[key % kCacheSize];
  bool valid = entry.key == key && entry.epoch == static_cast<std::uint32_t>(locations_.epoch());
  return valid ? &entry : nullptr;
}

std::uint32_t EventTable::intern(OpKind op, std::uint64_t address, std::uint64_t size,
                                 CodeName site) {
  std::uint32_t index = cached(key_of(address, site.packed(), op, false), [&] {
    return AbstractEvent::make(op, locations_.locate(address), size, site);
  });
  if (size > events_[index].size) {
    widen(index, size);
  }
  return index;
}

void EventTable::widen(std::uint32_t index, std::uint64_t size) {
  AbstractEvent& e = events_[index];
  e = AbstractEvent::make(e.op, e.location(), size, e.site);
  if (run_ != nullptr && index < run_->event_list.size()) {
    run_->event_list.items[index] = e;
  }
}

std::uint32_t EventTable::intern_site(std::uint32_t code, std::uint64_t address, OpKind op) {
  if (code & kInterned) {
    return code & ~kInterned;
  }
  return cached(key_of(address, code, op, true), [&] { return describe(code, address, op); });
}

AbstractEvent EventTable::describe(std::uint32_t code, std::uint64_t address, OpKind op) const {
  if (code & kInterned) {
    return events_[code & ~kInterned];
  }
  const PatchedModule& m = *modules_.patched()[module_of(code)];
  const hook::SiteRecord& site = m.sites[site_of(code)];
  return AbstractEvent::make(op_of(site, op), locations_.locate(address), site.size,
                             m.site_name(site_of(code)));
}

std::uint64_t EventTable::id_of(std::uint32_t code, std::uint64_t address, OpKind op) const {
  if (code & kInterned) {
    return ids_[code & ~kInterned];
  }
  const CacheEntry* known = find_cached(key_of(address, code, op, true));
  return known != nullptr ? ids_[known->index] : describe(code, address, op).id();
}

bool EventTable::add_pair(std::uint32_t write, std::uint32_t read) {
  std::uint64_t key = (static_cast<std::uint64_t>(write) << 32) | read;
  if (!seen_pairs_.insert(key)) {
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
  if (seen_edges_.insert(hash)) {
    control_flow_ += hash;
    touch_map(hash ^ 0x5555555555555555ULL);
  }
}

void EventTable::touch_map(std::uint64_t hash) {
  if (map_ == nullptr) {
    return;
  }
  auto place = static_cast<std::uint16_t>(hash & map_mask_);
  if (run_ == nullptr || !run_->map_places.append(place)) {
    map_[place] = 1;
  }
}

}  // namespace rff
