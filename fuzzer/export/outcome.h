// How a campaign ended, as rff-fuzz leaves it in its output folder (outcome.json). The statistics
// tell what was seen; this tells what rff-fuzz concluded, also if there are no statistics.
#pragma once

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rff {

inline constexpr char kOutcomeFile[] = "outcome.json";

enum class CampaignResult { kNothingFound, kFinding, kInconclusive, kNoThreads, kRefused };
std::string_view result_name(CampaignResult result);

struct CampaignOutcome {
  CampaignResult result = CampaignResult::kInconclusive;
  int exit_status = 3;
  std::string reason;                // one line; empty if the campaign is conclusive
  std::vector<std::string> command;  // of rff-fuzz
  std::string program;
  std::vector<std::string> arguments;
  std::string test;     // the test that the campaign ran; empty: the whole program
  std::string started;  // "2026-01-31T23:59:59Z"
  std::string ended;
};

// Returns the present time in UTC, in the form of CampaignOutcome::started.
std::string time_text();
std::string time_text(std::time_t when);

std::string outcome_to_json(const CampaignOutcome& outcome);
// Returns nothing if the text is no outcome.
std::optional<CampaignOutcome> outcome_from_json(const std::string& text);

}  // namespace rff
