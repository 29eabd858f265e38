#include "instrument/patch_plan.h"

#include <array>
#include <cstring>
#include <map>

namespace rff::instrument {

PatchPlan::PatchPlan(const Program& program, const std::vector<bool>& chosen)
    : numbers_(program.sites().size(), kNone32) {
  std::map<std::array<std::uint8_t, sizeof(hook::SiteDetail)>, std::uint16_t> known;
  for (std::uint32_t i = 0; i < program.sites().size(); ++i) {
    if (!chosen[i]) {
      continue;
    }
    const Site& site = program.sites()[i];
    hook::SiteRecord record{};
    record.address = site.address;
    record.kind = site.kind;
    record.flags = site.flags;
    record.size = site.size;
    record.length = site.length;
    record.detail = hook::kNoDetail;
    bool fixed = site.operand.rip_relative || (site.operand.base == hook::kNoRegister &&
                                               site.operand.index == hook::kNoRegister);
    record.operand_hint = fixed ? static_cast<std::uint64_t>(site.operand.displacement) : 0;
    if (site.complex()) {
      std::array<std::uint8_t, sizeof(hook::SiteDetail)> key;
      std::memcpy(key.data(), &site.detail, key.size());
      if (known.size() == hook::kNoDetail && known.count(key) == 0) {
        continue;  // not hooked: there are more distinct details than the table can index
      }
      auto [where, is_new] = known.try_emplace(key, static_cast<std::uint16_t>(details_.size()));
      if (is_new) {
        details_.push_back(site.detail);
      }
      record.detail = where->second;
    }
    numbers_[i] = static_cast<std::uint32_t>(records_.size());
    records_.push_back(record);
  }
}

}  // namespace rff::instrument
