// The work for a backend: the sites to hook, numbered, in the form in which the runtime finds them.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/program.h"

namespace rff::instrument {

// Sites are numbered in the order of their addresses. The hook receives this number.
class PatchPlan {
 public:
  // `chosen[i]` says whether site i of the program gets a number.
  PatchPlan(const Program& program, const std::vector<bool>& chosen);

  // Returns the number of a site of the program; kNone32 if it is not hooked.
  std::uint32_t number_of(std::uint32_t program_site) const { return numbers_[program_site]; }
  std::vector<hook::SiteRecord>& records() { return records_; }
  const std::vector<hook::SiteRecord>& records() const { return records_; }
  const std::vector<hook::SiteDetail>& details() const { return details_; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<hook::SiteRecord> records_;
  std::vector<hook::SiteDetail> details_;
};

}  // namespace rff::instrument
