// Writes a folder that can be put on any web server or opened from disk: an index of all campaigns
// and the pages of their findings.
#include <cstdio>
#include <cstring>
#include <set>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/export/clean_text.h"
#include "fuzzer/export/exports.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

// Each has four files, which are copied.
constexpr std::size_t kMostPages = 2'000;

constexpr char kHead[] = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>RFF</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #8884; }
td.number { text-align: right; white-space: nowrap; }
.failed { color: #b3261e; font-weight: 600; } .passed { color: #1b6e2c; } .other { color: #8a5a00; }
td { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { background: #16181c; color: #e6e6e6; } a { color: #8ab4f8; }
  .failed { color: #ff8a80; } .passed { color: #7ddb8f; } .other { color: #ffcc66; }
}
</style></head><body>
)";

// Names of campaigns' folders as names of files, each once.
class Names {
 public:
  std::string unique(const std::string& wanted) {
    std::string name;
    for (char c : wanted) {
      bool plain =
          std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
      name += plain ? c : '_';
    }
    name = name.substr(0, 100);
    std::string result = name;
    for (int i = 2; !used_.insert(result).second; ++i) {
      result = name + "-" + std::to_string(i);
    }
    return result;
  }

 private:
  std::set<std::string> used_ = {"", ".", "..", "index.html"};
};

void check(const std::error_code& error, const fs::path& path) {
  if (error) {
    throw bad_usage("cannot write " + path.string() + ": " + error.message());
  }
}

class Index {
 public:
  explicit Index(fs::path folder) : folder_(std::move(folder)) {}

  void write(const std::vector<CampaignRecord>& campaigns) {
    std::error_code error;
    fs::create_directories(folder_, error);
    check(error, folder_);
    std::string rows;
    std::size_t findings = 0;
    for (const CampaignRecord& campaign : campaigns) {
      std::string pages = names_.unique(campaign.program_name() + "-" + campaign.test);
      for (const FindingRecord& finding : campaign.findings) {
        std::string link = findings++ < kMostPages ? copy_pages(finding, pages) : "";
        rows += finding_row(campaign, finding, link);
      }
      rows += campaign.findings.empty() ? campaign_row(campaign) : "";
    }
    std::string html = kHead;
    html += "<h1>RFF: " + count(findings, "finding") + " in " +
            count(campaigns.size(), "campaign") + "</h1>\n<table><thead><tr><th>test</th>" +
            "<th>result</th><th>what</th><th>schedules</th><th>seconds</th></tr></thead><tbody>\n" +
            rows + "</tbody></table>\n</body></html>\n";
    if (int failed = write_file(folder_ / "index.html", html); failed != 0) {
      throw bad_usage("cannot write " + (folder_ / "index.html").string() + ": " +
                      std::strerror(failed));
    }
    if (findings > kMostPages) {
      throw bad_usage(folder_.string() + ": " + count(findings - kMostPages, "finding") +
                      " without pages: give fewer folders");
    }
  }

 private:
  // Returns the path of the page that the index links to, relative to it; empty if there is none.
  std::string copy_pages(const FindingRecord& finding, const std::string& pages) {
    fs::path to = fs::path(pages) / finding.name;
    std::error_code error;
    fs::create_directories(folder_ / to, error);
    check(error, folder_ / to);
    std::string link;
    for (const char* name : {"schedule.bin", "output.txt", "report.txt", "report.html"}) {
      if (fs::is_regular_file(finding.folder / name, error)) {
        fs::copy_file(finding.folder / name, folder_ / to / name,
                      fs::copy_options::overwrite_existing, error);
        check(error, folder_ / to / name);
        link = (to / name).string();
      }
    }
    return link;
  }

  static std::string row(const CampaignRecord& campaign, const std::string& style,
                         const std::string& result, const std::string& what) {
    char numbers[128];
    std::snprintf(numbers, sizeof numbers,
                  "<td class=\"number\">%llu</td><td class=\"number\">%.1f</td>",
                  static_cast<unsigned long long>(campaign.schedules), campaign.seconds);
    return "<tr><td>" + html_text(campaign.name()) + "</td><td class=\"" + style + "\">" +
           html_text(result) + "</td><td>" + what + "</td>" + numbers + "</tr>\n";
  }

  static std::string finding_row(const CampaignRecord& campaign, const FindingRecord& finding,
                                 const std::string& link) {
    std::string what = html_text(shortened(finding.summary, 400));
    if (!link.empty()) {
      what = "<a href=\"" + uri_text(link) + "\">" + what + "</a>";
    }
    return row(campaign, "failed", finding.kind, what);
  }

  static std::string campaign_row(const CampaignRecord& campaign) {
    switch (campaign.result) {
      case CampaignResult::kNothingFound: return row(campaign, "passed", "passed", "");
      case CampaignResult::kNoThreads:
        return row(campaign, "other", "skipped", html_text(campaign.reason));
      default: return row(campaign, "failed", "error", html_text(campaign.reason));
    }
  }

  fs::path folder_;
  Names names_;
};

}  // namespace

void write_html_index(const std::vector<CampaignRecord>& campaigns,
                      const std::filesystem::path& folder) {
  Index(folder).write(campaigns);
}

}  // namespace rff
