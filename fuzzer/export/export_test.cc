// The formats of rff-report, on output folders that are made by hand.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "fuzzer/common/files.h"
#include "fuzzer/export/clean_text.h"
#include "fuzzer/export/exports.h"
#include "fuzzer/export/sarif_flows.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

Json place(const std::string& function, int line, const std::string& file = "/src/app/race.c") {
  Json j = {{"module", "race"}, {"offset", 4096 + line}, {"function", function}};
  if (!file.empty()) {
    j["file"] = file;
    j["line"] = line;
  }
  return j;
}

Json event(std::uint64_t step, const std::string& thread, const std::string& op,
           const std::string& need) {
  Json j = {{"step", step},
            {"thread", thread},
            {"op", op},
            {"text", op},
            {"location", "`flag`"},
            {"value", std::to_string(step)},
            {"place", place("set", static_cast<int>(step))}};
  if (!need.empty()) {
    j["reads_from"] = {{"step", 1}, {"thread", "main.1"}, {"need", need}};
  }
  return j;
}

Json made_up_json() {
  Json j;
  j["version"] = 2;
  j["finding"] = {{"kind", "assert"},
                  {"summary", "assertion failed"},
                  {"place", place("main", 21)},
                  {"identity", "00ff00ff00ff00ff"},
                  {"headline", "thread main fails."},
                  {"causes", {"it read 1"}}};
  j["threads"] = {{{"name", "main"},
                   {"state", "failed here"},
                   {"failed_here", true},
                   {"stack", {place("main", 21)}}}};
  j["story"] = {event(4, "main.1", "write", ""), event(5, "main", "read", "needed"),
                event(6, "main.1", "lock", "not needed")};
  return j;
}

class Exports : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rff-export-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void campaign(const std::string& name, CampaignResult result, const std::string& reason = "",
                const std::string& test = "") {
    CampaignOutcome outcome;
    outcome.result = result;
    outcome.reason = reason;
    outcome.program = "/bin/race";
    outcome.test = test;
    outcome.started = outcome.ended = "2026-01-31T23:59:59Z";
    put(fs::path(name) / kOutcomeFile, outcome_to_json(outcome));
    Json stats = {{"target", "/bin/race"}, {"schedules", 7},
                  {"seconds", 1.5},        {"seed", 3},
                  {"scheduler", "rff"},    {"findings", Json::array()}};
    put(fs::path(name) / "stats.json", stats.dump());
  }
  void finding(const std::string& campaign, const std::string& name, const Json& report) {
    put(fs::path(campaign) / "findings" / name / "report.json", report.dump());
    put(fs::path(campaign) / "findings" / name / "report.txt", "the story\n");
  }
  CampaignRecords read() { return read_campaigns({root_.string()}); }
  Json sarif(const std::string& source_root = "/src") {
    settings_.source_root = source_root;
    remarks_ = {};
    return Json::parse(write_sarif(read().campaigns, settings_, remarks_));
  }
  pugi::xml_node junit() {
    std::string text = write_junit(read().campaigns);
    EXPECT_TRUE(document_.load_string(text.c_str())) << text;
    return document_.child("testsuites");
  }

  fs::path root_;
  ExportSettings settings_;
  ExportRemarks remarks_;
  pugi::xml_document document_;
};

TEST_F(Exports, SarifNamesFilesRelativeToTheSourceRoot) {
  campaign("out", CampaignResult::kFinding);
  finding("out", "001-assert", made_up_json());
  Json result = sarif()["runs"][0]["results"][0];
  Json at = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(at["artifactLocation"]["uri"], "app/race.c");
  EXPECT_EQ(at["artifactLocation"]["uriBaseId"], "%SRCROOT%");
  EXPECT_EQ(at["region"]["startLine"], 21);
  EXPECT_EQ(result["ruleId"], "RFF1001");
  EXPECT_EQ(result["partialFingerprints"]["rff/v1"], "00ff00ff00ff00ff");
}

TEST_F(Exports, SarifOrdersEventsAcrossThreads) {
  campaign("out", CampaignResult::kFinding);
  finding("out", "001-assert", made_up_json());
  Json flows = sarif()["runs"][0]["results"][0]["codeFlows"];
  ASSERT_EQ(flows.size(), 2);
  Json threads = flows[0]["threadFlows"];
  ASSERT_EQ(threads.size(), 2);
  EXPECT_EQ(threads[0]["id"], "main.1");
  EXPECT_EQ(threads[0]["locations"][0]["executionOrder"], 1);
  EXPECT_EQ(threads[0]["locations"][1]["executionOrder"], 3);
  EXPECT_EQ(threads[1]["locations"][0]["executionOrder"], 2);
  EXPECT_EQ(threads[1]["locations"][0]["importance"], "essential");
  EXPECT_EQ(threads[0]["locations"][1]["importance"], "unimportant");
  EXPECT_EQ(threads[0]["locations"][1]["kinds"], Json({"acquire", "lock"}));
  EXPECT_EQ(threads[0]["locations"][0]["state"]["flag"]["text"], "4");
  // The failure comes last, in the thread that fails.
  EXPECT_EQ(threads[1]["locations"][1]["kinds"], Json({"danger"}));
  ASSERT_EQ(flows[1]["threadFlows"].size(), 1);
  EXPECT_EQ(flows[1]["threadFlows"][0]["locations"].size(), 4);
}

TEST_F(Exports, SarifTakesTheNearestCallerWithSource) {
  campaign("out", CampaignResult::kFinding);
  Json report = made_up_json();
  report["finding"]["place"] = place("memcpy", 0, "");
  report["threads"][0]["stack"] = {place("memcpy", 0, ""), place("copy", 9, "/usr/include/x.h"),
                                   place("caller", 33)};
  finding("out", "001-assert", report);
  Json at = sarif()["runs"][0]["results"][0]["locations"][0];
  EXPECT_EQ(at["physicalLocation"]["region"]["startLine"], 33);
  EXPECT_EQ(at["logicalLocations"][0]["fullyQualifiedName"], "caller");
}

TEST_F(Exports, SarifWithoutDebugInformationNamesProgramAndFunction) {
  campaign("out", CampaignResult::kFinding);
  Json report = made_up_json();
  report["finding"]["place"] = place("work", 0, "");
  report["threads"] = Json::array();
  finding("out", "001-assert", report);
  Json at = sarif()["runs"][0]["results"][0]["locations"][0];
  EXPECT_EQ(at["physicalLocation"]["artifactLocation"]["uri"], "file:///bin/race");
  EXPECT_EQ(at["logicalLocations"][0]["fullyQualifiedName"], "work");
}

TEST_F(Exports, SarifShowsTheEndOfALongStoryAndSaysSo) {
  campaign("out", CampaignResult::kFinding);
  Json report = made_up_json();
  report["story"] = Json::array();
  for (std::uint64_t i = 1; i <= 2 * kMostFlowLocations; ++i) {
    report["story"].push_back(event(i, "main", "read", ""));
  }
  finding("out", "001-assert", report);
  Json flows = sarif()["runs"][0]["results"][0]["codeFlows"];
  std::size_t locations = 0;
  for (const Json& flow : flows) {
    for (const Json& thread : flow["threadFlows"]) {
      locations += thread["locations"].size();
    }
  }
  EXPECT_EQ(locations, kMostFlowLocations);
  Json story = flows[1]["threadFlows"][0]["locations"];
  EXPECT_EQ(story[story.size() - 2]["state"]["flag"]["text"],
            std::to_string(2 * kMostFlowLocations));
  EXPECT_NE(flows[0]["message"]["text"].get<std::string>().find("1501 earlier events left out"),
            std::string::npos);
}

TEST_F(Exports, ASourceRootThatFitsNothingIsSaidAndTheFileIsWritten) {
  campaign("out", CampaignResult::kFinding);
  finding("out", "001-assert", made_up_json());
  std::string file = (root_ / "x.sarif").string();
  std::vector<std::string> problems =
      write_exports(read(), {.sarif = file, .source_root = "/elsewhere"});
  ASSERT_EQ(problems.size(), 1);
  EXPECT_NE(problems[0].find("/src/app/race.c"), std::string::npos) << problems[0];
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(Exports, JunitTellsFailuresErrorsAndSkippedTestsApart) {
  campaign("a", CampaignResult::kNothingFound, "", "Suite.Passes");
  campaign("b", CampaignResult::kFinding, "", "Suite.Fails");
  finding("b", "001-assert", made_up_json());
  finding("b", "002-crash", made_up_json());
  campaign("c", CampaignResult::kInconclusive, "3 runs did not repeat", "Suite.Unstable");
  campaign("d", CampaignResult::kNoThreads, "no thread", "Suite.Single");
  pugi::xml_node suite = junit().child("testsuite");
  EXPECT_EQ(suite.attribute("tests").as_int(), 5);
  EXPECT_EQ(suite.attribute("failures").as_int(), 2);
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 1);
  auto test = [&](const char* name) {
    return suite.find_child_by_attribute("testcase", "name", name);
  };
  EXPECT_FALSE(test("Suite.Passes").first_child());
  EXPECT_STREQ(test("Suite.Fails").child("failure").attribute("type").value(), "assert");
  EXPECT_STREQ(test("Suite.Fails").child("failure").text().get(), "the story\n");
  EXPECT_TRUE(test("Suite.Fails [002-crash]").child("failure"));
  EXPECT_STREQ(test("Suite.Unstable").child("error").attribute("message").value(),
               "3 runs did not repeat");
  EXPECT_STREQ(test("Suite.Single").child("skipped").text().get(), "no thread");
  EXPECT_FALSE(test("Suite.Single").child("skipped").first_attribute());
}

TEST_F(Exports, ACampaignThatWasKilledIsAnErrorAndNotAPass) {
  campaign("out", CampaignResult::kNothingFound);
  fs::remove(root_ / "out" / kOutcomeFile);
  EXPECT_TRUE(junit().child("testsuite").child("testcase").child("error"));
}

TEST_F(Exports, XmlHasNoForbiddenCharacters) {
  campaign("out", CampaignResult::kFinding);
  finding("out", "001-assert", made_up_json());
  put("out/findings/001-assert/report.txt", "a\x01 \xff\xc3 \x1b[0m ]]> & \xc3\xa4\r\n");
  std::string text = junit().child("testsuite").child("testcase").child("failure").text().get();
  EXPECT_EQ(text, "a\uFFFD \uFFFD\uFFFD \uFFFD[0m ]]> & \u00e4\n");
}

TEST_F(Exports, WhatIsDamagedIsNamedAndTheRestIsRead) {
  campaign("good", CampaignResult::kNothingFound);
  campaign("newer", CampaignResult::kFinding);
  Json report = made_up_json();
  report["version"] = 99;
  finding("newer", "001-hang", report);
  put("torn/.rff-campaign", "");
  put("torn/stats.json", "{\"schedules\": 1");
  put("odd/stats.json", R"({"schedules": "many", "findings": {"x": 1}, "target": 5})");
  CampaignRecords records = read();
  EXPECT_EQ(records.campaigns.size(), 4);
  EXPECT_EQ(records.problems.size(), 2);
  EXPECT_EQ(records.finding_count(), 1);
  EXPECT_EQ(read_campaigns({"/nowhere"}).problems.size(), 1);
  EXPECT_EQ(read_campaigns({"/dev/null"}).problems.front(), "/dev/null: no folder");
  EXPECT_EQ(sarif()["runs"][0]["results"][0]["ruleId"], "RFF1004");
}

TEST_F(Exports, AnOutcomeOfANewerVersionIsSaidToBeOne) {
  put("out/outcome.json", R"({"version": 99, "result": "nothing found"})");
  std::string why = read().campaigns.front().reason;
  EXPECT_NE(why.find("of a newer rff"), std::string::npos) << why;
}

TEST_F(Exports, SarifHasFlowsUntilThereAreEnough) {
  campaign("out", CampaignResult::kFinding);
  for (const char* name : {"001-assert", "002-assert", "003-assert"}) {
    finding("out", name, made_up_json());
  }
  settings_.most_locations = 2 * 9;  // a stack, and two flows of three events and the failure
  Json results = sarif()["runs"][0]["results"];
  ASSERT_EQ(results.size(), 3);
  EXPECT_TRUE(results[1].contains("codeFlows") && results[1].contains("stacks"));
  EXPECT_FALSE(results[2].contains("codeFlows") || results[2].contains("stacks"));
  EXPECT_EQ(results[2]["locations"][0]["physicalLocation"]["region"]["startLine"], 21);
  ASSERT_EQ(remarks_.left_out.size(), 1);
  EXPECT_TRUE(remarks_.left_out[0].starts_with("1 finding without stacks and code flows"));
}

TEST_F(Exports, ManyFindingsHaveStoriesAndPagesUntilThereAreEnough) {
  campaign("out", CampaignResult::kFinding);
  put("report.json", made_up_json().dump());
  put("report.txt", std::string(20'000, 'x'));
  for (int i = 1; i <= 2'100; ++i) {
    fs::path folder = root_ / "out/findings" / (std::to_string(i) + "-assert");
    fs::create_directories(folder);
    for (const char* name : {"report.json", "report.txt"}) {
      fs::create_hard_link(root_ / name, folder / name);
    }
  }
  std::string file = (root_ / "x.xml").string();
  std::vector<std::string> problems =
      write_exports(read(), {.junit = file, .html = (root_ / "pages").string()});
  ASSERT_EQ(problems.size(), 1);
  EXPECT_NE(problems[0].find("100 findings without pages"), std::string::npos) << problems[0];
  ASSERT_TRUE(document_.load_file(file.c_str()));
  pugi::xml_node suite = document_.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.child("testcase").child("failure").text().get(), std::string(20'000, 'x'));
  EXPECT_EQ(suite.last_child().child("failure").text().get(),
            std::string("assertion failed\n[the story is in report.txt]\n"));
}

TEST_F(Exports, PipesInPlaceOfFilesAreNotWaitedFor) {
  campaign("out", CampaignResult::kFinding);
  fs::create_directories(root_ / "out/findings/001-assert");
  for (const char* name : {"report.json", "report.txt", "schedule.bin"}) {
    ASSERT_EQ(::mkfifo((root_ / "out/findings/001-assert" / name).c_str(), 0600), 0);
  }
  EXPECT_EQ(read().problems.size(), 1);
  EXPECT_STREQ(junit().child("testsuite").child("testcase").child("failure").text().get(),
               "assert\n");
  write_html_index(read().campaigns, root_ / "pages");
}

TEST_F(Exports, MarkdownAndIndexEscapeWhatProgramsSay) {
  campaign("out", CampaignResult::kFinding);
  Json report = made_up_json();
  report["finding"]["summary"] = "<script>|`x`";
  finding("out", "001-assert", report);
  std::string markdown = write_markdown(read().campaigns, {.source_root = "/src"});
  EXPECT_NE(markdown.find("\\<script>\\|\\`x\\`"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("app/race.c:21"), std::string::npos) << markdown;
  write_html_index(read().campaigns, root_ / "pages");
  std::string html = read_file(root_ / "pages" / "index.html").value_or("");
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(html.find("race-/001-assert/report.txt"), std::string::npos) << html;
}

TEST(Uri, EscapesEveryByteThatIsNotPlain) {
  EXPECT_EQ(uri_text("/a b/\xff%.c"), "/a%20b/%FF%25.c");
}

}  // namespace
}  // namespace rff
