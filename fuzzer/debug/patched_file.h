// Reads the tables of rff-instrument in a patched file: which addresses are instrumented
// instructions, and from where copies of code come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/hook.h"

namespace rff {

class PatchedFile {
 public:
  // Reads any file; one that is not patched has no sites and maps every address to itself.
  static PatchedFile read(const std::string& path);

  bool patched() const { return code_end_ != 0; }
  const std::vector<hook::SiteRecord>& sites() const { return sites_; }  // sorted by address

  const std::vector<hook::AddressMapEntry>& address_map() const { return map_; }

  // All addresses are link-time addresses.
  std::uint64_t code_begin() const { return code_begin_; }  // of the copies
  std::uint64_t code_end() const { return code_end_; }
  bool is_site(std::uint64_t address) const;
  bool in_copies(std::uint64_t address) const {
    return address >= code_begin_ && address < code_end_;
  }
  std::uint64_t original(std::uint64_t address) const;

 private:
  std::vector<hook::SiteRecord> sites_;
  std::vector<hook::AddressMapEntry> map_;
  std::uint64_t code_begin_ = 0;
  std::uint64_t code_end_ = 0;
};

}  // namespace rff
