// A report made by hand, for tests of formats: two threads, a race on `flag`, a failed assertion.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzzer/report/finding_report.h"

namespace rff {

class MadeUpDetails : public ReportDetails {
 public:
  explicit MadeUpDetails(std::vector<StoryEvent> events) : events_(std::move(events)) {}

  std::size_t events() const override { return events_.size(); }
  std::uint64_t step(std::size_t event) const override { return events_[event].step; }
  StoryEvent tell(std::size_t event) override { return events_[event]; }
  std::uint64_t taken_before(std::size_t) const override { return 0; }
  std::string source_line(const Place& place) override {
    return place.file == "/src/race.c" && place.line == 21 ? "assert(flag == 0);" : "";
  }

 private:
  std::vector<StoryEvent> events_;
};

inline Place made_up_place(const std::string& function, int line) {
  return {.module = "race",
          .offset = static_cast<std::uint64_t>(0x1000 + line),
          .function = function,
          .file = "/src/race.c",
          .line = line};
}

inline StoryEvent made_up_write() {
  StoryEvent write;
  write.step = 4;
  write.thread = 1;
  write.event.op = OpKind::kWrite;
  write.what = "writes `flag` = 1";
  write.location = "`flag`";
  write.value = "1";
  write.place = made_up_place("set", 12);
  return write;
}

inline StoryEvent made_up_read() {
  StoryEvent read;
  read.step = 5;
  read.thread = 0;
  read.event.op = OpKind::kRead;
  read.what = "reads `flag` = 1";
  read.location = "`flag`";
  read.value = "1";
  read.place = made_up_place("main", 21);
  read.switched = read.preempted = true;
  read.previous = 1;
  read.switch_need = Need::kNotNeeded;
  read.from = From::kOtherThread;
  read.from_step = 4;
  read.from_thread = 1;
  read.from_place = made_up_write().place;
  read.source = "from main.1, race.c:12";
  read.pair_need = Need::kNeeded;
  return read;
}

inline Explanation made_up_explanation() {
  ThreadReport main{.index = 0,
                    .name = "main",
                    .state = "failed here",
                    .failed_here = true,
                    .created_at = {},
                    .frames = {made_up_place("main", 21)}};
  ThreadReport setter{.index = 1,
                      .name = "main.1",
                      .state = "waits for mutex `m`",
                      .failed_here = false,
                      .created_at = made_up_place("main", 18),
                      .frames = {made_up_place("set", 13)}};
  return {.headline = "thread main fails the assertion `flag == 0` in main (race.c:21).",
          .causes = {"it read `flag` = 1, last written by thread main.1 at race.c:12"},
          .threads = {main, setter},
          .ended_threads = 0,
          .story = {made_up_write(), made_up_read()},
          .story_left_out = 0,
          .experiments = Experiments{.runs = 2, .tested = 2, .untested = 0}};
}

inline FindingReport made_up_report() {
  FindingReport r;
  r.comparison = {.verdict = Verdict::kReproduced, .identical = true, .divergence = ""};
  r.recorded = Finding{.kind = FindingKind::kAssert};
  r.notes = {"the program is now /tmp/race"};
  r.target.path = "/tmp/race";
  r.target.arguments = {"2"};
  r.target.build_id = "abc123";
  r.program = "race";
  r.events = 9;
  r.scheduling_points = 3;
  r.switches = 1;
  r.thread_count = 2;
  r.threads = {{.name = "main", .wait = {}},
               {.name = "main.1",
                .wait = ReportedWait{.blocked = true,
                                     .what = "a mutex",
                                     .object = "`m`",
                                     .place = made_up_place("set", 13),
                                     .since = 2,
                                     .held_by = "main",
                                     .held_since = made_up_place("main", 20)}}};
  r.unpatched_modules = {"libz.so.1"};
  r.kind = FindingKind::kAssert;
  r.summary = "Assertion `flag == 0' failed";
  r.place = made_up_place("main", 21);
  r.ended_by = 0;
  r.explanation = made_up_explanation();
  r.details = std::make_shared<MadeUpDetails>(r.explanation->story);
  return r;
}

}  // namespace rff
