#include "fuzzer/report/json_report.h"

#include <nlohmann/json.hpp>

#include "fuzzer/common/overflow.h"
#include "fuzzer/explain/story.h"
#include "fuzzer/explain/waits.h"

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
  for (const auto& [name, text] : {std::pair{"location", e.location}, {"value", e.value}}) {
    if (!text.empty()) {
      j[name] = text;
    }
  }
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

Json wait_json(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait) {
  Json j = {
      {"what", wait.text},
      {"object", waited_object(trace, debug, wait)},
      {"place", place_json(debug.place(static_cast<OpKind>(wait.info.op), wait.info.waits_at))}};
  if (wait.info.holder != kNobody) {
    j["held_by"] = trace.thread_name(wait.info.holder);
    if (wait.info.held_since != CodeName{}) {
      j["held_since"] =
          place_json(debug.place(wait.info.held_since, DebugInfo::Code::kReturnAddress));
    }
  }
  return j;
}

Json threads_json(const Explanation& x, const Trace& trace, DebugInfo& debug) {
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
    if (const Trace::Wait* w = trace.wait_of(t.index); w != nullptr && w->info.blocked != 0) {
      j["waits_for"] = wait_json(trace, debug, *w);
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
              {"unmodelled_calls", r.run.unmodelled_calls},
              {"overflowed", overflow_names(r.run.overflowed)}};
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
    j["threads"] = threads_json(x, r.run.trace, debug);
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

}  // namespace rff
