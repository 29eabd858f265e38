// Writes one self-contained page that shows a run: threads as columns, events in order, arrows for
// values passed from thread to thread.
#include <map>
#include <nlohmann/json.hpp>

#include "fuzzer/common/words.h"
#include "fuzzer/report/finding_report.h"
#include "fuzzer/report/page.h"

namespace rff {
namespace {

using Json = nlohmann::ordered_json;
using Story = std::map<std::uint64_t, const StoryEvent*>;  // by step

// A larger page is unusable. For a longer run, the page has its end and the events of the story.
constexpr std::size_t kMostOnPage = 20'000;

bool needed(const StoryEvent& e) {
  return e.pair_need == Need::kNeeded || e.switch_need == Need::kNeeded;
}

Json stack_json(const std::vector<Place>& frames) {
  Json stack = Json::array();
  std::vector<Repeat> repeats = repeated_frames(frames);
  auto repeat = repeats.begin();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    stack.push_back({{"text", frames[i].text()}, {"library", frames[i].in_library()}});
    if (repeat != repeats.end() && i + 1 == repeat->begin + repeat->length) {
      stack.push_back({{"text", "... " + repeat_text(*repeat, frames.size())}});
      i = repeat++->end() - 1;
    }
  }
  return stack;
}

Json threads_of_page(const FindingReport& r) {
  Json threads = Json::array();
  for (std::uint32_t i = 0; i < r.threads.size(); ++i) {
    const ReportedThread& t = r.threads[i];
    Json thread = {
        {"name", t.name}, {"state", "had ended"}, {"stack", Json::array()}, {"blocked", false}};
    if (r.explanation) {
      for (const ThreadReport& live : r.explanation->threads) {
        if (live.index == i) {
          thread["state"] = live.state;
          thread["stack"] = stack_json(live.frames);
        }
      }
    }
    if (t.wait && t.wait->blocked) {
      thread["blocked"] = true;
      thread["since"] = t.wait->since;
    }
    threads.push_back(thread);
  }
  return threads;
}

// Adds the lines around a place, for the page to show.
void add_source(Json& sources, const Place& place, ReportDetails& details) {
  Json& lines = sources[place.file_name()];
  for (int n = place.line - 2; n <= place.line + 2; ++n) {
    Place near = place;
    near.line = n;
    std::string text = details.source_line(near);
    if (!text.empty()) {
      lines[std::to_string(n)] = text;
    }
  }
}

Json event_json(const StoryEvent& e) {
  Json event = {{"s", e.step},
                {"t", e.thread},
                {"w", e.what},
                {"p", e.place.where()},
                {"f", e.place.function}};
  if (!e.place.file.empty()) {
    event["l"] = e.place.line;
    event["file"] = e.place.file_name();
  }
  if (e.switched) {
    event["sw"] = e.preempted ? 2 : 1;
  }
  if (e.from != From::kNothing) {
    event["src"] = e.source;
  }
  return event;
}

void add_events(Json& j, const FindingReport& r) {
  Story story;
  if (r.explanation) {
    for (const StoryEvent& e : r.explanation->story) {
      story[e.step] = &e;
    }
  }
  Json sources = Json::object();
  j["events"] = Json::array();
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < r.details->events(); ++i) {
    auto chosen = story.find(r.details->step(i));
    if (i + kMostOnPage < r.details->events() && chosen == story.end()) {
      ++left_out;
      continue;
    }
    StoryEvent e = r.details->tell(i);
    Json event = event_json(e);
    if (!e.place.file.empty()) {
      add_source(sources, e.place, *r.details);
    }
    bool sync = !op_accesses(e.event.op);
    if (e.from == From::kOtherThread) {
      event["r"] = e.from_step;
      if (sync) {
        event["since"] = r.details->taken_before(i);
      }
    }
    if (sync) {
      event["sync"] = true;
    }
    if (chosen != story.end()) {
      event["k"] = true;
      if (chosen->second->repeated_lines == 1) {
        event["x"] = chosen->second->repeated_times + 1;
      }
      if (needed(*chosen->second)) {
        event["n"] = true;
      }
    }
    j["events"].push_back(event);
  }
  j["left_out"] = left_out;
  j["sources"] = sources;
}

// Describes the run, as pairs of a name and a value.
Json run_json(const FindingReport& r) {
  Json run = Json::array();
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) {
      run.push_back({name, value});
    }
  };
  std::string arguments;
  for (const std::string& argument : r.target.arguments) {
    arguments += (arguments.empty() ? "" : " ") + shell_word(argument);
  }
  add("program", r.target.path);
  add("arguments", arguments);
  add("build id", r.target.build_id);
  add("replay", r.replay_command);
  add("written by", std::string("rff ") + RFF_VERSION);
  return run;
}

// Returns the sentences below the headline; for a memory error also where the block was used, freed
// and allocated.
std::vector<std::string> causes(const Explanation& x) {
  std::vector<std::string> all = x.causes;
  for (const BlockEvent& e : x.memory) {
    std::string line = e.what + " by " + e.by + (e.when.empty() ? "" : ", " + e.when);
    for (std::size_t i = 0; i < e.frames.size(); ++i) {
      line += (i == 0 ? ", in " : " < ") + e.frames[i].text();
    }
    all.push_back(line);
  }
  return all;
}

// Returns the data that the script of the page shows.
std::string page_data(const FindingReport& r) {
  Json j;
  j["verdict"] = verdict_name(r.comparison.verdict);
  j["kind"] = finding_name(r.kind);
  j["program"] = r.program;
  j["headline"] =
      r.explanation ? r.explanation->headline : std::string("the program ended by itself");
  j["causes"] = r.explanation ? causes(*r.explanation) : std::vector<std::string>();
  j["notes"] = r.notes;
  j["failed"] =
      r.ended_by && r.explanation && !r.fails_together() ? static_cast<int>(*r.ended_by) : -1;
  j["together"] = r.fails_together();
  j["cycle"] = r.cycle;
  j["total"] = r.events;
  j["threads"] = threads_of_page(r);
  j["run"] = run_json(r);
  add_events(j, r);
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string write_html(const FindingReport& report) {
  std::string data = page_data(report);
  // Inside a script element only "</" could end the element.
  for (std::size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3) {
    data.replace(at, 2, "<\\/");
  }
  constexpr std::string_view kMark = "@DATA@";
  std::string page(kPage);
  return page.replace(page.find(kMark), kMark.size(), data);
}

}  // namespace rff
