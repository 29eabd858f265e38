// Tests that every format writes a report made by hand: testing a format requires no run.
#include "fuzzer/report/formats.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/report/json_schema_for_tests.h"
#include "fuzzer/report/made_up_report.h"
#include "fuzzer/report/trace_events.h"

namespace rff {
namespace {

std::string written(std::string_view format, const FindingReport& report) {
  return report_format(format).write(report);
}

TEST(Formats, HaveNamesAndExtensionsOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> extensions;
  for (const ReportFormat& f : report_formats()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_TRUE(extensions.insert(f.extension).second && f.extension.starts_with(".")) << f.name;
  }
  EXPECT_TRUE(names.contains("text") && names.contains("json") && names.contains("html"));
  EXPECT_THROW(report_format("papyrus"), ToolError);
}

TEST(Formats, WriteEveryReport) {
  FindingReport failed = made_up_report();
  FindingReport traced = made_up_report();
  traced.whole_trace = true;
  FindingReport ended = made_up_report();
  ended.comparison = {};
  ended.kind = FindingKind::kNone;
  ended.explanation.reset();
  ended.ended_by.reset();
  FindingReport empty;
  empty.details = std::make_shared<MadeUpDetails>(std::vector<StoryEvent>{});
  for (const ReportFormat& f : report_formats()) {
    for (const FindingReport* report : {&failed, &traced, &ended, &empty}) {
      EXPECT_FALSE(f.write(*report).empty()) << f.name;
      EXPECT_EQ(f.write(*report), f.write(*report)) << f.name;
    }
  }
}

constexpr char kText[] = R"(REPRODUCED, the same run event by event (9 events, 2 threads)
Note: the program is now /tmp/race.

Thread main fails the assertion `flag == 0` in main (race.c:21).
  It read `flag` = 1, last written by thread main.1 at race.c:12.

How it came about (2 of 9 events, 1 switch in all; * the failure needs it: reversed, the failure disappears; - it fails without it too):

    main.1  writes `flag` = 1  race.c:12
  - ---- switch to main (main.1 could have gone on)
  * main    reads `flag` = 1   race.c:21   <- from main.1, race.c:12
  ! main    assert

Where the threads are:

  thread main: failed here
    #0  main                  race.c:21
          > assert(flag == 0);

  thread main.1 (created in main (race.c:18)): waits for mutex `m`
    #0  set                   race.c:13

Ran unpatched (their accesses are not seen): libz.so.1
)";

TEST(TextFormat, TellsAFailure) { EXPECT_EQ(written("text", made_up_report()), kText); }

TEST(TextFormat, BeginsWithTheWholeTraceIfThatIsWanted) {
  FindingReport r = made_up_report();
  r.whole_trace = true;
  EXPECT_EQ(written("text", r),
            "4         main.1  writes `flag` = 1                 set (race.c:12)\n"
            "5      >> main    reads `flag` = 1                  main (race.c:21)"
            "   <- from main.1, race.c:12\n\n" +
                std::string(kText));
}

TEST(TextFormat, SaysWhereARunDivergedAndWhy) {
  FindingReport r = made_up_report();
  r.comparison = {
      .verdict = Verdict::kDiverged, .identical = false, .divergence = "decision 3 of 9"};
  r.explanation.reset();
  r.notes.clear();
  r.unpatched_modules.clear();
  r.unmodelled_calls = {"io_uring_enter"};
  r.input_changed = true;
  EXPECT_EQ(written("text", r),
            "DIVERGED: the decisions could not be followed, and the program ended by itself\n"
            "First divergence: decision 3 of 9.\n"
            "Likely cause: the input has changed.\n"
            "Not modelled: io_uring_enter\n");
}

TEST(TextFormat, SaysHowMuchWasNotTested) {
  FindingReport r = made_up_report();
  r.explanation->experiments =
      Experiments{.runs = 40, .tested = 3, .untested = 2, .end = Experiments::End::kRuns};
  EXPECT_NE(written("text", r).find("Not tested, so neither needed nor not: 2 of 5 pairs and "
                                    "switches (40 runs used up; more: --max-runs)\n"),
            std::string::npos);
}

TEST(TextFormat, ShortensLongStoriesAndListsOfThreads) {
  FindingReport r = made_up_report();
  r.explanation->story.assign(70, r.explanation->story[0]);
  r.explanation->threads.assign(20, r.explanation->threads[0]);
  r.explanation->ended_threads = 1;
  std::string text = written("text", r);
  EXPECT_NE(text.find("    ... 10 earlier lines left out (--trace has everything)\n"),
            std::string::npos);
  EXPECT_NE(text.find("\n  ... and 4 more threads (--json has them)\n"), std::string::npos);
  EXPECT_NE(text.find("\n  1 other thread had ended.\n"), std::string::npos);
}

TEST(JsonFormat, IsWhatItsSchemaSays) {
  std::ifstream file(RFF_REPORT_SCHEMA);
  auto schema = nlohmann::json::parse(file);
  FindingReport traced = made_up_report();
  traced.whole_trace = true;
  traced.first_schedule = 7;
  FindingReport without_story = made_up_report();
  without_story.explanation.reset();
  FindingReport empty;
  empty.details = std::make_shared<MadeUpDetails>(std::vector<StoryEvent>{});
  for (const FindingReport* report : {&traced, &without_story, &empty}) {
    auto j = nlohmann::json::parse(written("json", *report));
    EXPECT_EQ(schema_violation(j, schema, schema), "") << j.dump(1);
  }
  auto j = nlohmann::json::parse(written("json", made_up_report()));
  j["story"][0]["color"] = "red";
  EXPECT_EQ(schema_violation(j, schema, schema), "$.story[0] has an unknown color");
}

TEST(JsonFormat, HasTheWholeReport) {
  auto j = nlohmann::json::parse(written("json", made_up_report()));
  EXPECT_EQ(j["verdict"], "reproduced");
  EXPECT_EQ(j["exit_status"], 1);
  EXPECT_EQ(j["notes"], std::vector<std::string>{"the program is now /tmp/race"});
  EXPECT_EQ(j["target"]["build_id"], "abc123");
  EXPECT_EQ(j["run"], (nlohmann::json{{"events", 9},
                                      {"scheduling_points", 3},
                                      {"switches", 1},
                                      {"threads", 2},
                                      {"unpatched_modules", {"libz.so.1"}},
                                      {"unmodelled_calls", nlohmann::json::array()},
                                      {"overflowed", nlohmann::json::array()}}));
  EXPECT_EQ(j["finding"]["kind"], "assert");
  EXPECT_EQ(j["finding"]["place"]["line"], 21);
  EXPECT_EQ(j["threads"][0]["failed_here"], true);
  EXPECT_FALSE(j["threads"][0].contains("waits_for"));
  EXPECT_EQ(j["threads"][1]["waits_for"]["held_by"], "main");
  EXPECT_EQ(j["threads"][1]["waits_for"]["held_since"]["line"], 20);
  EXPECT_EQ(j["story"][1]["reads_from"]["thread"], "main.1");
  EXPECT_EQ(j["story"][1]["reads_from"]["need"], "needed");
  EXPECT_EQ(j["story"][1]["switch"]["need"], "not needed");
  EXPECT_EQ(j["experiments"]["ended"], "done");
  EXPECT_FALSE(j.contains("trace"));
}

TEST(JsonFormat, HasTheTraceIfThatIsWanted) {
  FindingReport r = made_up_report();
  r.whole_trace = true;
  auto j = nlohmann::json::parse(written("json", r));
  ASSERT_EQ(j["trace"].size(), 2u);
  EXPECT_EQ(j["trace"][0]["text"], "writes `flag` = 1");
}

// Returns the data that the page's script shows.
nlohmann::json data_of(const std::string& page) {
  auto begin = page.find("{\"verdict\"");
  auto end = page.find("</script>", begin);
  return nlohmann::json::parse(page.substr(begin, page.find_last_of('}', end) - begin + 1));
}

TEST(HtmlFormat, HasThreadsEventsAndSources) {
  auto j = data_of(written("html", made_up_report()));
  EXPECT_EQ(j["program"], "race");
  EXPECT_EQ(j["failed"], 0);
  EXPECT_EQ(j["together"], false);
  EXPECT_EQ(j["threads"][1]["blocked"], true);
  EXPECT_EQ(j["threads"][1]["since"], 2);
  EXPECT_EQ(j["events"][1]["r"], 4);
  EXPECT_EQ(j["events"][1]["n"], true);
  EXPECT_EQ(j["sources"]["race.c"]["21"], "assert(flag == 0);");
  EXPECT_EQ(j["left_out"], 0);
}

TEST(HtmlFormat, TellsFramesOfLibrariesFromTheProgramsOwn) {
  FindingReport r = made_up_report();
  Place library = made_up_place("std::mutex::lock()", 100);
  library.outside = true;
  r.explanation->threads[0].frames.insert(r.explanation->threads[0].frames.begin(), library);
  auto stack = data_of(written("html", r))["threads"][0]["stack"];
  EXPECT_EQ(stack[0]["library"], true);
  EXPECT_EQ(stack[1]["library"], false);
}

TEST(HtmlFormat, SaysWhatWasRunAndHowToSeeItAgain) {
  FindingReport r = made_up_report();
  r.target.arguments = {"2", "a b", "it's"};
  r.replay_command = "rff-replay /tmp/schedule.bin";
  auto run = data_of(written("html", r))["run"];
  EXPECT_EQ(run[0], nlohmann::json({"program", "/tmp/race"}));
  EXPECT_EQ(run[1], nlohmann::json({"arguments", "2 'a b' 'it'\\''s'"}));
  EXPECT_EQ(run[2], nlohmann::json({"build id", "abc123"}));
  EXPECT_EQ(run[3], nlohmann::json({"replay", "rff-replay /tmp/schedule.bin"}));
  EXPECT_EQ(run[4][1], std::string("rff ") + RFF_VERSION);
}

TEST(HtmlFormat, CannotBeLeftByWhatTheProgramSays) {
  FindingReport r = made_up_report();
  r.explanation->headline = "</script><script>alert(1)";
  EXPECT_EQ(written("html", r).find("</script><script>alert"), std::string::npos);
}

TEST(HtmlFormat, KeepsTheEndOfALongRunAndItsStory) {
  FindingReport r = made_up_report();
  std::vector<StoryEvent> events(25'000, r.explanation->story[0]);
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].step = i + 1;
  }
  r.details = std::make_shared<MadeUpDetails>(events);
  auto j = data_of(written("html", r));
  EXPECT_EQ(j["events"].size(), 20'002u);  // steps 4 and 5 are part of the story
  EXPECT_EQ(j["left_out"], 4'998);
  EXPECT_EQ(j["events"][0]["s"], 4);
}

TEST(TraceEvents, EventsAreSlicesAndReadsHaveArrows) {
  nlohmann::json file = nlohmann::json::parse(write_trace_events(made_up_report()));
  std::map<std::string, std::vector<nlohmann::json>> by_phase;
  for (const nlohmann::json& e : file["traceEvents"]) {
    by_phase[e["ph"]].push_back(e);
  }
  ASSERT_EQ(by_phase["X"].size(), 3);  // write, read, and a thread that waits at the end
  EXPECT_EQ(by_phase["X"][0]["ts"], 4);
  EXPECT_EQ(by_phase["X"][0]["tid"], 2);
  EXPECT_EQ(by_phase["X"][1]["args"]["value"], "1");
  EXPECT_EQ(by_phase["X"][2]["name"], "waits for a mutex `m`");
  EXPECT_EQ(by_phase["X"][2]["ts"], 5);
  ASSERT_EQ(by_phase["s"].size(), 1);
  ASSERT_EQ(by_phase["f"].size(), 1);
  EXPECT_EQ(by_phase["s"][0]["id"], by_phase["f"][0]["id"]);
  EXPECT_EQ(by_phase["s"][0]["ts"], 4);
  EXPECT_EQ(by_phase["f"][0]["ts"], 5);
  EXPECT_EQ(by_phase["f"][0]["bp"], "e");
  ASSERT_EQ(by_phase["i"].size(), 1);
  EXPECT_EQ(by_phase["i"][0]["s"], "g");
}

}  // namespace
}  // namespace rff
