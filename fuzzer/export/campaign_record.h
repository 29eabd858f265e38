// Reads an output folder of rff-fuzz for the formats of rff-report. Nothing is run. The folder
// may come from another machine, be half written or damaged: what can be read is read, and the rest
// is named.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/export/json_reading.h"
#include "fuzzer/export/outcome.h"

namespace rff {

struct FindingRecord {
  std::filesystem::path folder;
  std::string name;  // "001-deadlock"
  std::string kind;
  std::string summary;
  std::uint64_t first_schedule = 0;
  std::uint64_t count = 0;

  enum class Part { kAll, kWithoutStory, kHeaders };  // the latter have no threads either
  // Returns report.json; nothing if there is none of a known version. Reports are long, so they are
  // read when they are needed. All of one is checked, whatever part of it is wanted.
  std::optional<Json> report(Part part = Part::kAll) const;
  // Returns report.txt, its end left out if it is longer than `most` bytes.
  std::string text(std::size_t most) const;
};

struct CampaignRecord {
  std::filesystem::path folder;
  std::string program;  // path
  std::vector<std::string> arguments;
  std::string test;  // the test of a test framework; empty if the program ran as a whole
  std::optional<CampaignOutcome> outcome;  // nothing: the campaign has not ended, or was killed
  CampaignResult result = CampaignResult::kInconclusive;
  std::string reason;
  std::string started;
  double seconds = 0;
  std::uint64_t schedules = 0;
  std::uint64_t seed = 0;
  std::string scheduler;
  std::uint64_t unstable = 0;
  std::uint64_t lost = 0;
  std::uint64_t unresponsive = 0;
  std::vector<FindingRecord> findings;

  std::string program_name() const;
  // Returns the name of the test, or the program with its arguments.
  std::string name() const;
};

struct CampaignRecords {
  std::vector<CampaignRecord> campaigns;
  std::vector<std::string> problems;  // one line each
  std::size_t finding_count() const;
};

// A folder stands for its own campaign, or for those in the folders below it (-o auto, --tests).
CampaignRecords read_campaigns(const std::vector<std::string>& folders);

}  // namespace rff
