#include "fuzzer/campaign/conclusion.h"

#include <cstdio>
#include <cstring>

#include "command_line/command_line.h"
#include "fuzzer/campaign/campaign.h"
#include "fuzzer/common/files.h"
#include "fuzzer/export/outcome.h"

namespace rff {
namespace {

void write_outcome(const OutputFolder& output, CampaignOutcome outcome) {
  outcome.ended = time_text();
  std::filesystem::path file = output / kOutcomeFile;
  if (int error = write_file(file, outcome_to_json(outcome)); error != 0) {
    throw tool_failed("cannot write " + file.string() + ": " + std::strerror(error));
  }
}

// Returns the problems; each was printed.
std::vector<std::string> export_results(const Options& options, const OutputFolder& output) {
  if (!options.exports.any()) {
    return {};
  }
  CampaignRecords records = read_campaigns({output.path().string()});
  std::vector<std::string> problems = write_exports(records, options.exports);
  std::fflush(stdout);
  for (const std::string& problem : problems) {
    print_error("rff-fuzz", problem);
  }
  return problems;
}

CampaignOutcome begin(const Options& options) {
  CampaignOutcome outcome;
  outcome.command = options.command;
  outcome.program = options.program;
  outcome.arguments = options.arguments;
  outcome.test = options.test;
  outcome.started = time_text();
  return outcome;
}

}  // namespace

ExitStatus run_and_conclude(const Options& options, const OutputFolder& output,
                            const std::function<ExitStatus()>& campaign) {
  CampaignOutcome outcome = begin(options);
  auto end = [&](CampaignResult result, int status, const std::string& reason) {
    outcome.result = result;
    outcome.exit_status = status;
    outcome.reason = reason;
    write_outcome(output, outcome);
    return export_results(options, output);
  };
  try {
    ExitStatus status = campaign();
    bool bug = status == kBugFound;
    std::vector<std::string> problems =
        end(bug ? CampaignResult::kFinding : CampaignResult::kNothingFound, status, "");
    return problems.empty() || bug ? status : kBadUsage;
  } catch (const NothingToSchedule& error) {
    end(CampaignResult::kNoThreads, error.status, error.what());
    throw;
  } catch (const ToolError& error) {
    bool refused = error.status == kBadUsage;
    end(refused ? CampaignResult::kRefused : CampaignResult::kInconclusive, error.status,
        error.what());
    throw;
  }
}

}  // namespace rff
