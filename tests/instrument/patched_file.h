// Reads the tables of a patched file from disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/hook.h"

namespace rff::test {

class PatchedFile {
 public:
  // Fails the test if `path` is not a patched file.
  explicit PatchedFile(const std::string& path);

  const hook::HookNote& note() const { return note_; }
  const std::vector<hook::SiteRecord>& sites() const { return sites_; }
  const std::vector<hook::GroupRecord>& groups() const { return groups_; }
  // Returns null if there is no site.
  const hook::SiteRecord* site_at(std::uint64_t address) const;
  // Returns the original address of an address in a copy; any other address is returned unchanged.
  std::uint64_t original(std::uint64_t address) const;

 private:
  void load(const std::string& path);

  hook::HookNote note_{};
  std::vector<hook::SiteRecord> sites_;
  std::vector<hook::GroupRecord> groups_;
  std::vector<hook::AddressMapEntry> map_;
};

}  // namespace rff::test
