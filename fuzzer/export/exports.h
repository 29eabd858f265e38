// The formats in which campaigns are written for other tools: one function and one file for each.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/export/campaign_record.h"

namespace rff {

struct ExportSettings {
  // Files below this folder are named relative to it.
  std::filesystem::path source_root;
  // Results have stacks and flows until there are so many locations: about 60 MB of text and,
  // zipped, much less than the 10 MB that code-scanning pages take.
  std::size_t most_locations = 200'000;
};

// Collects what a format had to leave out, or could not place: one line each.
struct ExportRemarks {
  std::vector<std::string> left_out;
  std::size_t places_in_root = 0;
  std::size_t places_elsewhere = 0;
  std::string example_elsewhere;  // a file that is not below the source root
};

// SARIF 2.1.0: sarif.cc.
std::string write_sarif(const std::vector<CampaignRecord>& campaigns,
                        const ExportSettings& settings, ExportRemarks& remarks);
// JUnit XML: junit.cc.
std::string write_junit(const std::vector<CampaignRecord>& campaigns);
// For summaries of pipelines and comments: markdown.cc.
std::string write_markdown(const std::vector<CampaignRecord>& campaigns,
                           const ExportSettings& settings);
// A folder with an index of all findings and copies of their pages: html_index.cc. Throws ToolError
// (2) if it cannot be written.
void write_html_index(const std::vector<CampaignRecord>& campaigns,
                      const std::filesystem::path& folder);

// The files that a user asked for; empty: not wanted.
struct ExportTargets {
  std::string sarif;
  std::string junit;
  std::string markdown;
  std::string html;
  std::string source_root;  // empty: the working folder

  bool any() const {
    return !sarif.empty() || !junit.empty() || !markdown.empty() || !html.empty();
  }
};

// Writes what can be written, and returns one line for each thing that went wrong.
std::vector<std::string> write_exports(const CampaignRecords& records,
                                       const ExportTargets& targets);

}  // namespace rff
