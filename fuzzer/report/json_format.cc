// Writes the report for machines; json.md describes its fields.
#include <nlohmann/json.hpp>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/common/overflow.h"
#include "fuzzer/report/finding_report.h"
#include "schedule/base64.h"

namespace rff {
namespace {

using Json = nlohmann::ordered_json;

// The version of the fields and their meaning, as described in report.schema.json.
constexpr int kVersion = 2;

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

Json event_json(const StoryEvent& e, const FindingReport& r) {
  Json j = {{"step", e.step},
            {"thread", r.thread_name(e.thread)},
            {"op", op_name(e.event.op)},
            {"text", e.what},
            {"place", place_json(e.place)}};
  for (const auto& [name, text] : {std::pair{"location", e.location},
                                   {"value", e.value},
                                   {"read_value", e.read_value},
                                   {"points_to", e.points_to}}) {
    if (!text.empty()) {
      j[name] = text;
    }
  }
  if (e.address != 0) {
    j["address"] = hex_words(e.address);
    j["size"] = e.event.size;
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
                         {"thread", r.thread_name(e.from_thread)},
                         {"place", place_json(e.from_place)},
                         {"need", need_name(e.pair_need)}};
      break;
    default: break;
  }
  return j;
}

Json wait_json(const ReportedWait& wait) {
  Json j = {{"what", wait.what}, {"object", wait.object}, {"place", place_json(wait.place)}};
  if (!wait.held_by.empty()) {
    j["held_by"] = wait.held_by;
    if (wait.held_since) {
      j["held_since"] = place_json(*wait.held_since);
    }
  }
  return j;
}

Json threads_json(const FindingReport& r) {
  Json threads = Json::array();
  for (const ThreadReport& t : r.explanation->threads) {
    Json stack = Json::array();
    for (const Place& p : t.frames) {
      stack.push_back(place_json(p));
    }
    Json j = {
        {"name", t.name}, {"state", t.state}, {"failed_here", t.failed_here}, {"stack", stack}};
    if (t.created_at.offset != 0) {
      j["created_at"] = place_json(t.created_at);
    }
    if (t.index < r.threads.size() && r.threads[t.index].wait && r.threads[t.index].wait->blocked) {
      j["waits_for"] = wait_json(*r.threads[t.index].wait);
    }
    threads.push_back(j);
  }
  return threads;
}

Json memory_json(const Explanation& x) {
  Json events = Json::array();
  for (const BlockEvent& e : x.memory) {
    Json stack = Json::array();
    for (const Place& p : e.frames) {
      stack.push_back(place_json(p));
    }
    events.push_back({{"what", e.what}, {"thread", e.by}, {"when", e.when}, {"stack", stack}});
  }
  return events;
}

void add_explanation(Json& j, const FindingReport& r) {
  const Explanation& x = *r.explanation;
  j["finding"]["headline"] = x.headline;
  j["finding"]["causes"] = x.causes;
  if (!x.memory.empty()) {
    j["finding"]["memory"] = memory_json(x);
  }
  if (!x.message.empty()) {
    j["finding"]["message"] = x.message;
  }
  if (!r.sanitizer.empty()) {
    j["finding"]["sanitizer"] = r.sanitizer;
  }
  Json cycle = Json::array();
  for (std::uint32_t t : r.cycle) {
    cycle.push_back(r.thread_name(t));
  }
  j["finding"]["cycle"] = cycle;
  j["threads"] = threads_json(r);
  Json story = Json::array();
  for (const StoryEvent& e : x.story) {
    story.push_back(event_json(e, r));
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

}  // namespace

std::string write_json(const FindingReport& r) {
  Json j;
  j["version"] = kVersion;
  j["verdict"] = verdict_name(r.comparison.verdict);
  j["identical"] = r.comparison.identical;
  j["exit_status"] = static_cast<int>(r.comparison.exit_status());
  if (!r.comparison.divergence.empty()) {
    j["divergence"] = r.comparison.divergence;
  }
  j["notes"] = r.notes;
  if (r.first_schedule) {
    j["campaign"] = {{"first_schedule", *r.first_schedule}};
  }
  j["target"] = {{"path", r.target.path},
                 {"arguments", r.target.arguments},
                 {"build_id", r.target.build_id},
                 {"rebuilt", r.rebuilt},
                 {"input_changed", r.input_changed}};
  if (r.input.given()) {
    j["input"] = {{"as", input_way_name(r.input.way)},
                  {"name", r.input.name},
                  {"base64", to_base64(r.input.bytes)}};
    if (!r.values.empty()) {
      j["input"]["values"] = r.values;
    }
  }
  j["run"] = {{"events", r.events},
              {"scheduling_points", r.scheduling_points},
              {"switches", r.switches},
              {"threads", r.thread_count},
              {"unpatched_modules", r.unpatched_modules},
              {"unmodelled_calls", r.unmodelled_calls},
              {"overflowed", overflow_names(r.overflowed)}};
  j["output"] = {{"text", r.output}, {"left_out", r.output_left_out}};
  if (r.failed() || r.explanation) {
    j["finding"] = {
        {"kind", finding_name(r.kind)}, {"summary", r.summary}, {"place", place_json(r.place)}};
    if (!r.identity.empty()) {
      j["finding"]["identity"] = r.identity;
    }
  }
  if (r.explanation) {
    add_explanation(j, r);
  }
  if (r.whole_trace) {
    Json events = Json::array();
    for (std::size_t i = 0; i < r.details->events(); ++i) {
      events.push_back(event_json(r.details->tell(i), r));
    }
    j["trace"] = events;
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rff
