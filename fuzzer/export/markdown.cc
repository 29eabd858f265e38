// Writes one table of all campaigns, and the story of the first finding folded.
#include <cstdio>

#include "fuzzer/common/words.h"
#include "fuzzer/export/clean_text.h"
#include "fuzzer/export/exports.h"

namespace rff {
namespace {

constexpr std::size_t kMostRows = 500;
constexpr std::size_t kLongestCell = 200;
// A step's summary may have 1 MiB, a comment 64 KiB.
constexpr std::size_t kLongestInMarkdown = 24'000;

// Makes a text one line that Markdown shows as it is.
std::string cell(const std::string& text) {
  std::string result;
  for (char c : clean_text(shortened(text, kLongestCell))) {
    bool special = std::string_view("|`*_[]\\~#<&").find(c) != std::string_view::npos;
    result += c == '\n' ? std::string(" ") : (special ? "\\" : "") + std::string(1, c);
  }
  return result;
}

std::string place_of(const FindingRecord& finding, const ExportSettings& settings) {
  Json report = finding.report(FindingRecord::Part::kHeaders).value_or(Json());
  const Json& place = field(field(report, "finding"), "place");
  std::string file = text_field(place, "file");
  std::string function = text_field(place, "function");
  if (file.empty()) {
    return function;
  }
  std::filesystem::path relative =
      std::filesystem::path(file).lexically_relative(settings.source_root);
  bool inside = !relative.empty() && *relative.begin() != "..";
  return (function.empty() ? "" : function + ", ") + (inside ? relative.string() : file) + ":" +
         std::to_string(number_field(place, "line"));
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& text : cells) {
    line += " " + text + " |";
  }
  return line + "\n";
}

std::string numbers(const CampaignRecord& campaign) {
  char text[64];
  std::snprintf(text, sizeof text, "%llu in %.1f s",
                static_cast<unsigned long long>(campaign.schedules), campaign.seconds);
  return text;
}

std::string result_text(const CampaignRecord& campaign) {
  switch (campaign.result) {
    case CampaignResult::kNothingFound: return "passed";
    case CampaignResult::kNoThreads: return "skipped: no threads";
    default: return "**error**: " + cell(campaign.reason);
  }
}

std::string folded(const CampaignRecord& campaign, const FindingRecord& finding) {
  std::string story = clean_text(finding.text(kLongestInMarkdown));
  // The fence is longer than any in the text.
  std::string fence = "```";
  while (story.find(fence) != std::string::npos) {
    fence += "`";
  }
  return "\n<details><summary>" + html_text(campaign.name() + ": " + finding.name) +
         "</summary>\n\n" + fence + "text\n" + story + (story.ends_with('\n') ? "" : "\n") + fence +
         "\n\n</details>\n";
}

}  // namespace

std::string write_markdown(const std::vector<CampaignRecord>& campaigns,
                           const ExportSettings& settings) {
  std::string rows, story;
  std::size_t findings = 0, shown = 0, errors = 0;
  for (const CampaignRecord& campaign : campaigns) {
    for (const FindingRecord& finding : campaign.findings) {
      story = findings++ == 0 ? folded(campaign, finding) : story;
      if (shown < kMostRows) {
        ++shown;
        rows +=
            row({cell(campaign.name()), "**" + cell(finding.kind) + "**: " + cell(finding.summary),
                 cell(place_of(finding, settings)), numbers(campaign)});
      }
    }
    if (campaign.findings.empty()) {
      errors += result_text(campaign).starts_with("**") ? 1 : 0;
      if (shown < kMostRows) {
        ++shown;
        rows += row({cell(campaign.name()), result_text(campaign), "", numbers(campaign)});
      }
    }
  }
  std::size_t all = findings;
  for (const CampaignRecord& campaign : campaigns) {
    all += campaign.findings.empty() ? 1 : 0;
  }
  std::string text = "### RFF: " + count(findings, "finding") + " in " +
                     count(campaigns.size(), "campaign") +
                     (errors > 0 ? ", " + count(errors, "error") : "") + "\n\n";
  text += row({"test", "result", "place", "schedules"}) + "|---|---|---|---|\n" + rows;
  if (all > shown) {
    text += "\n" + count(all - shown, "more row") + " left out.\n";
  }
  return text + story;
}

}  // namespace rff
