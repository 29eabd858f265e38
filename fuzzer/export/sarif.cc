// Writes SARIF 2.1.0: one run with all findings of all campaigns, since code-scanning pages take
// few runs per file and many results per run.
#include <algorithm>
#include <cstdio>

#include "fuzzer/common/words.h"
#include "fuzzer/export/clean_text.h"
#include "fuzzer/export/exports.h"
#include "fuzzer/export/sarif_flows.h"
#include "fuzzer/export/sarif_locations.h"
#include "fuzzer/export/sarif_rules.h"
#include "schedule/hash.h"

namespace rff {
namespace {

constexpr char kSchema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
// Code-scanning pages refuse more results.
constexpr std::size_t kMostResults = 25'000;

// Reports of older versions have no identity.
std::string fingerprint(const Json& report, const FindingRecord& finding) {
  std::string identity = text_field(field(report, "finding"), "identity");
  if (!identity.empty()) {
    return identity;
  }
  std::string text = finding.kind + "\n" + finding.summary;
  text.erase(std::remove_if(text.begin(), text.end(),
                            [](unsigned char c) { return std::isdigit(c) != 0; }),
             text.end());
  char hash[24];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(hash_bytes(text)));
  return hash;
}

std::string sentence(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text + (text.ends_with('.') ? "" : ".");
}

std::string message_of(const Json& report, const FindingRecord& finding) {
  const Json& told = field(report, "finding");
  std::string headline = text_field(told, "headline");
  std::string text = sentence(headline.empty() ? finding.summary : headline);
  for (const Json& cause : list_field(told, "causes")) {
    text += cause.is_string() ? " " + sentence(cause.get<std::string>()) : "";
  }
  return clean_text(text);
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + shell_word(word);
  }
  return clean_text(text);
}

Json invocation(const CampaignRecord& campaign) {
  bool conclusive = campaign.result != CampaignResult::kInconclusive &&
                    campaign.result != CampaignResult::kRefused;
  Json j;
  j["executionSuccessful"] = conclusive;
  if (campaign.outcome) {
    j["commandLine"] = command_text(campaign.outcome->command);
    j["exitCode"] = campaign.outcome->exit_status;
    j["startTimeUtc"] = campaign.outcome->started;
    j["endTimeUtc"] = campaign.outcome->ended;
  }
  if (!campaign.reason.empty()) {
    j["toolExecutionNotifications"] = Json::array(
        {{{"level", conclusive ? "note" : "error"},
          {"message", {{"text", clean_text(campaign.name() + ": " + campaign.reason)}}}}});
  }
  return j;
}

class Writer {
 public:
  Writer(const ExportSettings& settings, ExportRemarks& remarks)
      : locations_(settings, remarks),
        most_locations_(settings.most_locations),
        remarks_(remarks) {}

  std::string write(const std::vector<CampaignRecord>& campaigns) {
    Json run;
    run["tool"]["driver"] = {{"name", "RFF"},
                             {"fullName", "RFF, a schedule fuzzer for concurrent programs"},
                             {"version", RFF_VERSION},
                             {"semanticVersion", RFF_VERSION},
                             {"rules", sarif_rules()}};
    run["invocations"] = Json::array();
    run["automationDetails"] = {{"id", "rff/"}};
    run["originalUriBaseIds"] = locations_.root_uri();
    run["columnKind"] = "utf16CodeUnits";
    run["results"] = Json::array();
    for (const CampaignRecord& campaign : campaigns) {
      run["invocations"].push_back(invocation(campaign));
      for (const FindingRecord& finding : campaign.findings) {
        add(campaign, finding);
      }
    }
    remark();
    Json log = {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
    std::string text = dump(log, 1);
    // The empty list of results is the last but one that is closed. There may be too many results
    // for one value in memory.
    return text.insert(text.rfind(']', text.rfind(']') - 1), results_) + "\n";
  }

 private:
  static std::string dump(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
  }

  // Each result is a line.
  void add(const CampaignRecord& campaign, const FindingRecord& finding) {
    if (written_ < kMostResults) {
      results_ += (written_++ == 0 ? "\n" : ",\n") + dump(result(campaign, finding), -1);
    } else {
      ++results_left_out_;
    }
  }

  Json result(const CampaignRecord& campaign, const FindingRecord& finding) {
    using Part = FindingRecord::Part;
    // When there is no room for flows, a report without them is read in less time.
    Json report =
        finding.report(flows_left_out_ > 0 ? Part::kWithoutStory : Part::kAll).value_or(Json());
    std::size_t rule = rule_index(finding.kind);
    std::string identity = fingerprint(report, finding);
    Json j;
    j["ruleId"] = rule_id(rule);
    j["ruleIndex"] = rule;
    j["level"] = "error";
    j["message"] = {{"text", message_of(report, finding)}};
    j["locations"] = Json::array({locations_.finding_location(report, campaign.program)});
    // The second is the one by which GitHub keeps alerts; the finding has one place, so its own
    // identity serves.
    j["partialFingerprints"] = {{"rff/v1", identity}, {"primaryLocationLineHash", identity + ":1"}};
    add_flows(report, j);
    j["occurrenceCount"] = std::max<std::uint64_t>(finding.count, 1);
    j["properties"] = {{"program", clean_text(campaign.name())},
                       {"firstSchedule", finding.first_schedule},
                       {"seed", std::to_string(campaign.seed)},
                       {"folder", clean_text("findings/" + finding.name)}};
    return j;
  }

  // Adds the stacks and the flows of the first results, as long as there is room.
  void add_flows(const Json& report, Json& result) {
    if (flows_left_out_ == 0) {
      SarifStacks stacks = sarif_stacks(report, locations_);
      SarifFlows flows = sarif_flows(report, locations_);
      locations_written_ += stacks.locations + flows.locations;
      if (locations_written_ <= most_locations_) {
        add_unless_empty(result, "stacks", std::move(stacks.stacks));
        add_unless_empty(result, "codeFlows", std::move(flows.code_flows));
        return;
      }
    }
    ++flows_left_out_;
  }

  static void add_unless_empty(Json& result, const char* name, Json list) {
    if (!list.empty()) {
      result[name] = std::move(list);
    }
  }

  void remark() {
    if (results_left_out_ > 0) {
      remarks_.left_out.push_back(count(results_left_out_, "finding") + " beyond " +
                                  std::to_string(kMostResults) +
                                  " left out, since GitHub takes no more: give fewer folders");
    }
    if (flows_left_out_ > 0) {
      remarks_.left_out.push_back(
          count(flows_left_out_, "finding") +
          " without stacks and code flows, since GitHub takes 10 MB: give fewer folders");
    }
  }

  SarifLocations locations_;
  std::size_t most_locations_;
  ExportRemarks& remarks_;
  std::string results_;
  std::size_t written_ = 0;
  std::size_t locations_written_ = 0;
  std::size_t results_left_out_ = 0;
  std::size_t flows_left_out_ = 0;
};

}  // namespace

std::string write_sarif(const std::vector<CampaignRecord>& campaigns,
                        const ExportSettings& settings, ExportRemarks& remarks) {
  return Writer(settings, remarks).write(campaigns);
}

}  // namespace rff
