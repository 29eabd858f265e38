// The report of rff-instrument to its user: a summary, and the same as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "instrument/program.h"

namespace rff::instrument {

struct LeftAlone {
  std::uint64_t address;  // address of the function
  std::string function;   // empty if it has no name
  std::string reason;
  std::vector<std::uint64_t> sites;  // the accesses that go unreported for this reason
};

struct Report {
  std::string input;
  std::string output;
  std::string backend;
  std::uint64_t sites_found = 0;  // without those private to their frame
  std::uint64_t sites_instrumented = 0;
  std::vector<std::uint64_t> private_to_frame;  // sites that need no hook: see private_frames.h
  std::map<std::string, std::uint64_t> instrumented_by_kind;
  std::uint64_t blocks = 0;  // hooked by --branches
  std::uint64_t comparisons = 0;
  std::vector<LeftAlone> left_alone;
  std::vector<LinkageTable> linkage_tables;  // not examined
  struct Range {
    std::uint64_t begin, end;
  };
  std::vector<Range> data;  // data between functions
  double seconds = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;

  double percent() const {
    return sites_found == 0
               ? 100.0
               : 100.0 * static_cast<double>(sites_instrumented) / static_cast<double>(sites_found);
  }
};

const char* kind_name(hook::SiteKind kind);

// Counts sites; `hooked` has one flag per site of the program.
void count_sites(const Program& program, const std::vector<bool>& hooked, Report& report);

std::string summary(const Report& report);
std::string json(const Report& report);

}  // namespace rff::instrument
