// What a backend has to carry out: the sites to hook, numbered, and what is left alone and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrument/program.h"

namespace rff::instrument {

struct LeftAlone {
  std::uint64_t address;  // of the function
  std::string function;
  std::string reason;
  std::uint64_t sites;  // how many accesses go unreported because of it
};

// Sites are numbered in the order of their addresses; the number is what the hook is given.
class PatchPlan {
 public:
  // `chosen[i]` says whether site i of the program gets a number.
  PatchPlan(const Program& program, const std::vector<bool>& chosen);

  // The number of a site of the program; kNone32 if it is not hooked.
  std::uint32_t NumberOf(std::uint32_t program_site) const { return numbers_[program_site]; }
  std::vector<hook::SiteRecord>& records() { return records_; }
  const std::vector<hook::SiteRecord>& records() const { return records_; }
  const std::vector<hook::SiteDetail>& details() const { return details_; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<hook::SiteRecord> records_;
  std::vector<hook::SiteDetail> details_;
};

}  // namespace rff::instrument
