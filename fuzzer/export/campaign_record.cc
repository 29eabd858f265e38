#include "fuzzer/export/campaign_record.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

#include "fuzzer/common/files.h"
#include "fuzzer/common/words.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNewestReport = 2;
constexpr std::size_t kLongestReport = std::size_t{64} << 20;

bool is_campaign(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / ".rff-campaign", error) || fs::exists(folder / "stats.json", error) ||
         fs::exists(folder / kOutcomeFile, error);
}

std::vector<fs::path> sorted_folders(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory(error)) {
      folders.push_back(it->path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// Campaigns of --tests lie two folders deep below rff-out: one for the program, one for each test.
std::vector<fs::path> campaigns_below(const fs::path& folder, int depth) {
  if (is_campaign(folder)) {
    return {folder};
  }
  std::vector<fs::path> found;
  if (depth > 0) {
    for (const fs::path& below : sorted_folders(folder)) {
      std::vector<fs::path> more = campaigns_below(below, depth - 1);
      found.insert(found.end(), more.begin(), more.end());
    }
  }
  return found;
}

// Nothing in place of a pipe, on which a reader would wait.
std::optional<std::string> read_regular(const fs::path& path, std::size_t most = kLongestReport) {
  std::error_code error;
  return fs::is_regular_file(path, error) ? read_file(path, most) : std::nullopt;
}

Json parse(const std::optional<std::string>& text) {
  return text ? Json::parse(*text, nullptr, false) : Json();
}

// Tells whether this part of a report is left out.
bool is_left_out(const std::string& member, FindingRecord::Part wanted) {
  static const std::set<std::string> kHeaders = {"version", "finding", "campaign"};
  return wanted == FindingRecord::Part::kHeaders ? !kHeaders.contains(member) : member == "story";
}

// "001-deadlock" was found first; its kind is the rest of the name.
FindingRecord finding_in(const fs::path& folder) {
  std::string name = folder.filename().string();
  std::size_t dash = name.find('-');
  return {.folder = folder,
          .name = name,
          .kind = dash == std::string::npos ? "" : name.substr(dash + 1),
          .summary = "",
          .first_schedule = 0,
          .count = 1};
}

class Reader {
 public:
  Reader(fs::path folder, std::vector<std::string>& problems)
      : folder_(std::move(folder)), problems_(problems) {}

  CampaignRecord read() {
    record_.folder = folder_;
    std::optional<std::string> text = read_regular(folder_ / "stats.json");
    Json stats = parse(text);
    if (text && !stats.is_object()) {
      problem("stats.json is damaged: its statistics are left out");
    }
    read_stats(stats);
    read_outcome();
    read_findings(stats);
    conclude(text.has_value());
    return std::move(record_);
  }

 private:
  void problem(const std::string& what) { problems_.push_back(folder_.string() + ": " + what); }

  void read_stats(const Json& stats) {
    record_.program = text_field(stats, "target");
    for (const Json& argument : list_field(stats, "arguments")) {
      record_.arguments.push_back(argument.is_string() ? argument.get<std::string>() : "");
    }
    record_.seconds = seconds_field(stats, "seconds");
    record_.schedules = number_field(stats, "schedules");
    record_.seed = number_field(stats, "seed");
    record_.scheduler = text_field(stats, "scheduler");
    record_.unstable = number_field(stats, "unstable");
    record_.lost = number_field(stats, "lost");
    record_.unresponsive = number_field(stats, "unresponsive");
  }

  void read_outcome() {
    std::optional<std::string> text = read_regular(folder_ / kOutcomeFile);
    if (!text) {
      return;
    }
    record_.outcome = outcome_from_json(*text);
    if (!record_.outcome) {
      record_.reason = "outcome.json is damaged or of a newer rff: use that rff-report";
      problem(record_.reason);
      return;
    }
    if (record_.program.empty()) {
      record_.program = record_.outcome->program;
      record_.arguments = record_.outcome->arguments;
    }
    record_.test = record_.outcome->test;
    record_.started = record_.outcome->started;
  }

  // Folders on disk count, also those that the statistics do not have yet.
  void read_findings(const Json& stats) {
    std::map<std::string, const Json*> by_folder;
    for (const Json& noted : list_field(stats, "findings")) {
      by_folder[text_field(noted, "folder")] = &noted;
    }
    for (const fs::path& folder : sorted_folders(folder_ / "findings")) {
      FindingRecord finding = finding_in(folder);
      if (auto it = by_folder.find("findings/" + finding.name); it != by_folder.end()) {
        finding.summary = text_field(*it->second, "summary");
        finding.first_schedule = number_field(*it->second, "first_schedule");
        finding.count = number_field(*it->second, "count");
      }
      check_report(finding);
      record_.findings.push_back(std::move(finding));
    }
    std::size_t noted = list_field(stats, "findings").size();
    if (noted > record_.findings.size()) {
      problem(count(noted - record_.findings.size(), "finding") +
              " of stats.json has no folder: copy the whole output folder");
    }
  }

  void check_report(FindingRecord& finding) {
    std::error_code error;
    if (!fs::exists(finding.folder / "report.json", error)) {
      problem("findings/" + finding.name + " has no report.json: the campaign was cut off there");
    } else if (std::optional<Json> report = finding.report(FindingRecord::Part::kHeaders);
               !report) {
      problem("findings/" + finding.name + "/report.json is damaged or of a newer rff");
    } else if (finding.summary.empty()) {
      finding.summary = text_field(field(*report, "finding"), "summary");
      finding.first_schedule = number_field(field(*report, "campaign"), "first_schedule");
    }
    if (finding.summary.empty()) {
      finding.summary = finding.kind;
    }
  }

  void conclude(bool has_stats) {
    if (record_.started.empty()) {
      record_.started = time_of(has_stats ? folder_ / "stats.json" : folder_);
    }
    if (!record_.findings.empty()) {
      record_.result = CampaignResult::kFinding;
    } else if (record_.outcome) {
      record_.result = record_.outcome->result;
      record_.reason = record_.outcome->reason;
    } else if (record_.reason.empty()) {
      record_.reason = "the campaign has not ended, or was killed";
    }
    if (record_.result == CampaignResult::kFinding && record_.findings.empty()) {
      record_.result = CampaignResult::kInconclusive;
      record_.reason = "rff-fuzz found a bug, but its folder is gone";
    }
    if (record_.program.empty()) {
      record_.program = folder_.filename().string();
    }
  }

  static std::string time_of(const fs::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? time_text(status.st_mtime) : time_text();
  }

  fs::path folder_;
  std::vector<std::string>& problems_;
  CampaignRecord record_;
};

}  // namespace

std::optional<Json> FindingRecord::report(Part part) const {
  auto keep = [&](int depth, Json::parse_event_t event, Json& parsed) {
    return depth != 1 || event != Json::parse_event_t::key ||
           !is_left_out(parsed.get_ref<const std::string&>(), part);
  };
  std::optional<std::string> text = read_regular(folder / "report.json");
  Json report = part == Part::kAll ? parse(text) : text ? Json::parse(*text, keep, false) : Json();
  std::uint64_t version = number_field(report, "version");
  if (version == 0 || version > kNewestReport) {
    return std::nullopt;
  }
  return report;
}

std::string FindingRecord::text(std::size_t most) const {
  std::string all = read_regular(folder / "report.txt").value_or(summary + "\n");
  if (all.size() > most) {
    all.resize(most);
    all += "\n[the rest is in report.txt]\n";
  }
  return all;
}

std::string CampaignRecord::program_name() const { return fs::path(program).filename().string(); }

std::string CampaignRecord::name() const {
  if (!test.empty()) {
    return test;
  }
  std::string text = program_name();
  for (const std::string& argument : arguments) {
    text += " " + shell_word(argument);
  }
  return text;
}

std::size_t CampaignRecords::finding_count() const {
  std::size_t n = 0;
  for (const CampaignRecord& campaign : campaigns) {
    n += campaign.findings.size();
  }
  return n;
}

CampaignRecords read_campaigns(const std::vector<std::string>& folders) {
  CampaignRecords records;
  for (const std::string& given : folders) {
    fs::path folder = fs::absolute(given).lexically_normal();
    if (!folder.has_filename()) {
      folder = folder.parent_path();
    }
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      records.problems.push_back(
          given + (fs::exists(folder, error) ? ": no folder" : ": no such folder"));
      continue;
    }
    std::vector<fs::path> found = campaigns_below(folder, 2);
    if (found.empty()) {
      records.problems.push_back(given + ": no output of rff-fuzz: name the folder of its -o");
    }
    for (const fs::path& one : found) {
      records.campaigns.push_back(Reader(one, records.problems).read());
    }
  }
  return records;
}

}  // namespace rff
