#include "fuzzer/report/html_report.h"

#include <map>
#include <nlohmann/json.hpp>

#include "fuzzer/report/page.h"
#include "fuzzer/explain/story.h"
#include "fuzzer/explain/waits.h"

namespace rff {
namespace {

using Json = nlohmann::ordered_json;

// A page with more cannot be used; of a longer run it has the end, and what is told of it.
constexpr std::size_t kMostOnPage = 20'000;

bool needed(const StoryEvent& e) {
  return e.pair_need == Need::kNeeded || e.switch_need == Need::kNeeded;
}

// Who has to wait for an object waits from the step on in which somebody else took it: the last
// such step before the event. 0 if nobody did.
std::uint64_t last_taken(const Trace& trace, std::uint64_t object, std::uint32_t waiter,
                         std::size_t before) {
  for (std::size_t i = before; i-- > 0;) {
    const trace::EventInfo& e = trace.events[i];
    bool takes = e.event.op == OpKind::kLock || e.event.op == OpKind::kReadLock ||
                 e.event.op == OpKind::kSemaphoreWait;
    if (e.address == object && takes && e.thread != waiter) {
      return e.step;
    }
    if (e.address == object && e.thread == waiter) {
      break;
    }
  }
  return 0;
}

// What the page shows, for its script.
std::string page_data(const Report& r, DebugInfo& debug) {
  Json j;
  const Trace& trace = r.run.trace;
  j["verdict"] = verdict_name(r.comparison.verdict);
  j["kind"] = finding_name(r.run.finding.kind);
  j["program"] = debug.module_name(module_hash(r.schedule.target.path));
  j["headline"] = r.explanation != nullptr ? r.explanation->headline
                                           : std::string("the program ended by itself");
  j["causes"] = r.explanation != nullptr ? r.explanation->causes : std::vector<std::string>();
  j["notes"] = r.target.notes;
  bool together =
      r.run.finding.kind == FindingKind::kDeadlock || r.run.finding.kind == FindingKind::kHang;
  j["failed"] = trace.outcome && r.explanation != nullptr && !together
                    ? static_cast<int>(trace.outcome->thread)
                    : -1;
  j["together"] = together;  // no thread fails alone
  j["cycle"] = waiting_cycle(trace);
  j["total"] = r.run.events;
  j["threads"] = Json::array();
  for (const Trace::Thread& t : trace.threads) {
    Json thread = {
        {"name", t.name}, {"state", "had ended"}, {"stack", Json::array()}, {"blocked", false}};
    if (r.explanation != nullptr) {
      for (const ThreadReport& report : r.explanation->threads) {
        if (report.index == t.info.thread) {
          thread["state"] = report.state;
          std::vector<Repeat> repeats = repeated_frames(report.frames);
          auto repeat = repeats.begin();
          for (std::size_t i = 0; i < report.frames.size(); ++i) {
            thread["stack"].push_back(report.frames[i].text());
            if (repeat != repeats.end() && i + 1 == repeat->begin + repeat->length) {
              thread["stack"].push_back("... " + repeat_text(*repeat, report.frames.size()));
              i = repeat++->end() - 1;
            }
          }
        }
      }
    }
    const Trace::Wait* wait = trace.wait_of(t.info.thread);
    thread["blocked"] = wait != nullptr && wait->info.blocked != 0;
    if (thread["blocked"]) {
      thread["since"] = last_taken(trace, wait->info.object, t.info.thread, trace.events.size());
    }
    j["threads"].push_back(thread);
  }
  std::map<std::uint64_t, const StoryEvent*> chosen;
  if (r.explanation != nullptr) {
    for (const StoryEvent& e : r.explanation->story) {
      chosen[e.step] = &e;
    }
  }
  Storyteller teller(trace, debug);
  Json sources = Json::object();
  j["events"] = Json::array();
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const trace::EventInfo& info = trace.events[i];
    auto it = chosen.find(info.step);
    if (i + kMostOnPage < trace.events.size() && it == chosen.end()) {
      ++left_out;
      continue;
    }
    StoryEvent e = teller.tell(info);
    Json event = {{"s", e.step},
                  {"t", e.thread},
                  {"w", e.what},
                  {"p", e.place.where()},
                  {"f", e.place.function}};
    if (!e.place.file.empty()) {
      event["l"] = e.place.line;
      event["file"] = e.place.file_name();
      Json& lines = sources[e.place.file_name()];
      for (int n = e.place.line - 2; n <= e.place.line + 2; ++n) {
        Place near = e.place;
        near.line = n;
        std::string text = debug.source_line(near);
        if (!text.empty()) {
          lines[std::to_string(n)] = text;
        }
      }
    }
    if (e.switched) {
      event["sw"] = e.preempted ? 2 : 1;
    }
    if (e.from != From::kNothing) {
      event["src"] = teller.source_text(e);
    }
    if (e.from == From::kOtherThread) {
      event["r"] = e.from_step;
      if (!op_accesses(e.event.op)) {
        event["since"] = last_taken(trace, e.address, e.thread, i);
      }
    }
    if (!op_accesses(e.event.op)) {
      event["sync"] = true;
    }
    if (it != chosen.end()) {
      event["k"] = true;
      if (it->second->repeated_lines == 1) {
        event["x"] = it->second->repeated_times + 1;
      }
      if (needed(*it->second)) {
        event["n"] = true;
      }
    }
    j["events"].push_back(event);
  }
  j["left_out"] = left_out;
  j["sources"] = sources;
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string html_report(const Report& report, DebugInfo& debug) {
  std::string data = page_data(report, debug);
  // Inside a script element only "</" could end it.
  for (std::size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3) {
    data.replace(at, 2, "<\\/");
  }
  constexpr std::string_view kMark = "@DATA@";
  std::string page(kPage);
  return page.replace(page.find(kMark), kMark.size(), data);
}

}  // namespace rff
