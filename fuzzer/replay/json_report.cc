#include "fuzzer/replay/json_report.h"

#include <map>
#include <nlohmann/json.hpp>

#include "fuzzer/replay/story.h"
#include "fuzzer/replay/waits.h"

namespace rff {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& j, int indent) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json place_json(const Place& p) {
  Json j = {{"module", p.module}, {"offset", p.offset}, {"function", p.function}};
  if (!p.file.empty()) {
    j["file"] = p.file;
    j["line"] = p.line;
  }
  return j;
}

// A page with more cannot be used; of a longer run it has the end, and what is told of it.
constexpr std::size_t kMostOnPage = 20'000;

bool needed(const StoryEvent& e) {
  return e.pair_need == Need::kNeeded || e.switch_need == Need::kNeeded;
}

const char* need_name(Need need) {
  return need == Need::kNeeded ? "needed" : need == Need::kNotNeeded ? "not needed" : "untested";
}

const char* end_name(Experiments::End end) {
  switch (end) {
    case Experiments::End::kDone: return "done";
    case Experiments::End::kRuns: return "no run left";
    case Experiments::End::kTime: return "no time left";
    case Experiments::End::kInterrupt: return "interrupted";
    case Experiments::End::kOrderIsNotEnough: return "the order alone does not lead to the failure";
  }
  return "";
}

Json event_json(const StoryEvent& e, const Trace& trace) {
  Json j = {{"step", e.step},
            {"thread", trace.thread_name(e.thread)},
            {"op", op_name(e.event.op)},
            {"text", e.what},
            {"place", place_json(e.place)}};
  if (e.repeated_times > 0) {
    j["repeated"] = {{"events", e.repeated_lines}, {"times", e.repeated_times}};
  }
  if (e.switched) {
    j["switch"] = {{"preempted", e.preempted}, {"need", need_name(e.switch_need)}};
  }
  switch (e.from) {
    case From::kInitial:
      j["reads_from"] = {{"initial", true}, {"need", need_name(e.pair_need)}};
      break;
    case From::kUnseen: j["reads_from"] = {{"unseen", true}}; break;
    case From::kSameThread:
    case From::kOtherThread:
      j["reads_from"] = {{"step", e.from_step},
                         {"thread", trace.thread_name(e.from_thread)},
                         {"place", place_json(e.from_place)},
                         {"need", need_name(e.pair_need)}};
      break;
    default: break;
  }
  return j;
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

Json threads_json(const Explanation& x) {
  Json threads = Json::array();
  for (const ThreadReport& t : x.threads) {
    Json stack = Json::array();
    for (const Place& p : t.frames) {
      stack.push_back(place_json(p));
    }
    Json j = {
        {"name", t.name}, {"state", t.state}, {"failed_here", t.failed_here}, {"stack", stack}};
    if (t.created_at.offset != 0) {
      j["created_at"] = place_json(t.created_at);
    }
    threads.push_back(j);
  }
  return threads;
}

}  // namespace

std::string json_report(const Report& r, DebugInfo& debug, bool all_events) {
  Json j;
  j["verdict"] = verdict_name(r.comparison.verdict);
  j["identical"] = r.comparison.identical;
  j["exit_status"] = static_cast<int>(r.comparison.exit_status());
  if (!r.comparison.divergence.empty()) {
    j["divergence"] = r.comparison.divergence;
  }
  j["notes"] = r.target.notes;
  j["target"] = {{"path", r.schedule.target.path},
                 {"arguments", r.schedule.target.arguments},
                 {"build_id", r.schedule.target.build_id},
                 {"rebuilt", r.target.rebuilt},
                 {"input_changed", r.target.input_changed}};
  j["run"] = {{"events", r.run.events},
              {"scheduling_points", r.run.scheduling_points},
              {"switches", r.run.switches},
              {"threads", r.run.threads},
              {"unpatched_modules", r.run.unpatched_modules},
              {"unmodelled_calls", r.run.unmodelled_calls}};
  if (r.explanation != nullptr) {
    const Explanation& x = *r.explanation;
    j["finding"] = {{"kind", finding_name(r.run.finding.kind)},
                    {"summary", r.run.finding.summary},
                    {"place", place_json(debug.place(r.run.finding.kind, r.run.finding.place))},
                    {"headline", x.headline},
                    {"causes", x.causes}};
    Json cycle = Json::array();
    for (std::uint32_t t : waiting_cycle(r.run.trace)) {
      cycle.push_back(r.run.trace.thread_name(t));
    }
    j["finding"]["cycle"] = cycle;
    j["threads"] = threads_json(x);
    Json story = Json::array();
    for (const StoryEvent& e : x.story) {
      story.push_back(event_json(e, r.run.trace));
    }
    j["story"] = story;
    j["story_left_out"] = x.story_left_out;
    if (x.experiments) {
      j["experiments"] = {{"runs", x.experiments->runs},
                          {"tested", x.experiments->tested},
                          {"untested", x.experiments->untested},
                          {"ended", end_name(x.experiments->end)}};
    }
  }
  if (all_events) {
    Storyteller teller(r.run.trace, debug);
    Json events = Json::array();
    for (const trace::EventInfo& e : r.run.trace.events) {
      events.push_back(event_json(teller.tell(e), r.run.trace));
    }
    j["trace"] = events;
  }
  return dump(j, 2) + "\n";
}

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
  return dump(j, -1);
}

}  // namespace rff
