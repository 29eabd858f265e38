// Writes JUnit XML in the form that Jenkins' schema takes, as the smallest common one. A program is
// a suite; a campaign is a test case of it, and each further finding of a campaign another one.
#include <cstdio>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "fuzzer/export/clean_text.h"
#include "fuzzer/export/exports.h"

namespace rff {
namespace {

constexpr std::size_t kLongestStory = std::size_t{64} << 10;
// Servers read the file into memory.
constexpr std::size_t kAllStories = std::size_t{32} << 20;

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(clean_text(value).c_str());
}

void add_text(pugi::xml_node parent, const char* name, const std::string& text) {
  parent.append_child(name).append_child(pugi::node_pcdata).set_value(clean_text(text).c_str());
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

// Hands out the stories of findings until there are enough.
class Stories {
 public:
  std::string of(const FindingRecord& finding) {
    if (written_ >= kAllStories) {
      return finding.summary + "\n[the story is in report.txt]\n";
    }
    std::string story = finding.text(kLongestStory);
    written_ += story.size();
    return story;
  }

 private:
  std::size_t written_ = 0;
};

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const Counts& more) {
    tests += more.tests;
    failures += more.failures;
    errors += more.errors;
    skipped += more.skipped;
    seconds += more.seconds;
  }
};

std::string attachments(const std::filesystem::path& folder,
                        const std::vector<const char*>& names) {
  std::string text;
  for (const char* name : names) {
    std::error_code error;
    if (std::filesystem::exists(folder / name, error)) {
      text += "[[ATTACHMENT|" + (folder / name).string() + "]]\n";
    }
  }
  return text;
}

class Suite {
 public:
  Suite(pugi::xml_node parent, const std::vector<const CampaignRecord*>& campaigns,
        Stories& stories)
      : node_(parent.append_child("testsuite")), campaigns_(campaigns), stories_(stories) {}

  Counts write() {
    properties();
    for (const CampaignRecord* campaign : campaigns_) {
      add(*campaign);
    }
    std::string started = campaigns_.front()->started;
    set(node_, "name", campaigns_.front()->program_name());
    set_counts(node_, counts_);
    set(node_, "skipped", std::to_string(counts_.skipped));
    set(node_, "timestamp", started.substr(0, started.find('Z')));
    return counts_;
  }

  static void set_counts(pugi::xml_node node, const Counts& counts) {
    set(node, "tests", std::to_string(counts.tests));
    set(node, "failures", std::to_string(counts.failures));
    set(node, "errors", std::to_string(counts.errors));
    set(node, "time", seconds_text(counts.seconds));
  }

 private:
  void properties() {
    pugi::xml_node list = node_.append_child("properties");
    for (const CampaignRecord* campaign : campaigns_) {
      std::string prefix = campaigns_.size() > 1 ? campaign->name() + ": " : "";
      for (const auto& [name, value] :
           {std::pair<const char*, std::string>{"seed", std::to_string(campaign->seed)},
            {"schedules", std::to_string(campaign->schedules)},
            {"scheduler", campaign->scheduler},
            {"folder", campaign->folder.string()}}) {
        pugi::xml_node property = list.append_child("property");
        set(property, "name", prefix + name);
        set(property, "value", value);
      }
    }
  }

  pugi::xml_node test_case(const CampaignRecord& campaign, const std::string& name,
                           double seconds) {
    pugi::xml_node node = node_.append_child("testcase");
    set(node, "classname", "rff." + campaign.program_name());
    set(node, "name", name);
    set(node, "time", seconds_text(seconds));
    ++counts_.tests;
    counts_.seconds += seconds;
    return node;
  }

  static void add_problem(pugi::xml_node parent, const char* element, const std::string& type,
                          const std::string& message, const std::string& text) {
    pugi::xml_node node = parent.append_child(element);
    set(node, "type", type);
    set(node, "message", message);
    node.append_child(pugi::node_pcdata).set_value(clean_text(text).c_str());
  }

  void add(const CampaignRecord& campaign) {
    bool first = true;
    for (const FindingRecord& finding : campaign.findings) {
      std::string name = campaign.name() + (first ? "" : " [" + finding.name + "]");
      pugi::xml_node node = test_case(campaign, name, first ? campaign.seconds : 0);
      add_problem(node, "failure", finding.kind, finding.summary, stories_.of(finding));
      add_text(node, "system-out",
               attachments(finding.folder, {"report.html", "report.txt", "schedule.bin"}));
      ++counts_.failures;
      first = false;
    }
    if (first) {
      add_without_findings(campaign);
    }
  }

  void add_without_findings(const CampaignRecord& campaign) {
    pugi::xml_node node = test_case(campaign, campaign.name(), campaign.seconds);
    switch (campaign.result) {
      case CampaignResult::kNothingFound: break;
      case CampaignResult::kNoThreads:
        add_text(node, "skipped", campaign.reason);
        ++counts_.skipped;
        break;
      default: {
        std::string type = campaign.unstable > 0 ? "unstable"
                           : campaign.lost > 0   ? "lost"
                                                 : std::string(result_name(campaign.result));
        add_problem(node, "error", type, campaign.reason, campaign.reason + "\n");
        add_text(node, "system-out", attachments(campaign.folder, {"stats.json"}));
        ++counts_.errors;
      }
    }
  }

  pugi::xml_node node_;
  const std::vector<const CampaignRecord*>& campaigns_;
  Stories& stories_;
  Counts counts_;
};

}  // namespace

std::string write_junit(const std::vector<CampaignRecord>& campaigns) {
  std::map<std::string, std::vector<const CampaignRecord*>> programs;
  for (const CampaignRecord& campaign : campaigns) {
    programs[campaign.program].push_back(&campaign);
  }
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  root.append_attribute("name") = "rff";
  Counts all;
  Stories stories;
  for (const auto& [program, list] : programs) {
    all.add(Suite(root, list, stories).write());
  }
  Suite::set_counts(root, all);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace rff
