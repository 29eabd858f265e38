#include "fuzzer/export/sarif_flows.h"

#include <algorithm>
#include <map>

#include "fuzzer/export/clean_text.h"

namespace rff {
namespace {

// Each event stands in both flows, and so does the failure.
constexpr std::size_t kMostEvents = kMostFlowLocations / 2 - 1;

// In the words that the standard proposes.
Json kinds_of(const std::string& op) {
  static const std::map<std::string, Json> kKinds = {
      {"read", {"memory", "value"}},      {"write", {"memory", "value"}},
      {"rmw", {"memory", "value"}},       {"lock", {"acquire", "lock"}},
      {"read-lock", {"acquire", "lock"}}, {"sem-wait", {"acquire", "lock"}},
      {"unlock", {"release", "lock"}},    {"read-unlock", {"release", "lock"}},
      {"sem-post", {"release", "lock"}},  {"allocate", {"acquire", "memory"}},
      {"free", {"release", "memory"}},    {"create", {"call", "function"}},
      {"start", {"enter", "function"}},   {"end", {"exit", "function"}},
      {"call", {"enter", "function"}},
  };
  auto it = kKinds.find(op);
  return it == kKinds.end() ? Json::array() : it->second;
}

const char* importance_of(const Json& event) {
  bool spare = false;
  for (const char* part : {"reads_from", "switch"}) {
    std::string need = text_field(field(event, part), "need");
    if (need == "needed") {
      return "essential";
    }
    spare = spare || need == "not needed";
  }
  return spare ? "unimportant" : "important";
}

Json state_of(const Json& event) {
  Json state = Json::object();
  std::string name = text_field(event, "location");
  name.erase(std::remove(name.begin(), name.end(), '`'), name.end());
  for (const auto& [key, label] : {std::pair{"read_value", " before"}, {"value", ""}}) {
    std::string value = text_field(event, key);
    if (!name.empty() && !value.empty()) {
      state[clean_text(name + label)] = {{"text", clean_text(value)}};
    }
  }
  return state;
}

std::string message_of(const Json& event, bool with_thread) {
  std::string text = text_field(event, "text");
  const Json& from = field(event, "reads_from");
  if (std::string writer = text_field(from, "thread");
      !writer.empty() && writer != text_field(event, "thread")) {
    text += ", written by thread " + writer;
  }
  return (with_thread ? text_field(event, "thread") + ": " : "") + text;
}

Json event_location(const Json& event, std::size_t order, bool with_thread,
                    SarifLocations& locations) {
  Json j;
  j["location"] = locations.location(field(event, "place"), message_of(event, with_thread));
  j["executionOrder"] = order;
  j["importance"] = importance_of(event);
  if (Json kinds = kinds_of(text_field(event, "op")); !kinds.empty()) {
    j["kinds"] = kinds;
  }
  if (Json state = state_of(event); !state.empty()) {
    j["state"] = state;
  }
  return j;
}

Json failure_location(const Json& report, std::size_t order, SarifLocations& locations) {
  const Json& finding = field(report, "finding");
  std::string headline = text_field(finding, "headline");
  Json j;
  j["location"] = locations.location(field(finding, "place"),
                                     headline.empty() ? text_field(finding, "summary") : headline);
  j["executionOrder"] = order;
  j["importance"] = "essential";
  j["kinds"] = {"danger"};
  return j;
}

std::string failing_thread(const Json& report) {
  for (const Json& thread : list_field(report, "threads")) {
    if (field(thread, "failed_here") == true) {
      return text_field(thread, "name");
    }
  }
  return "";
}

}  // namespace

SarifFlows sarif_flows(const Json& report, SarifLocations& locations) {
  SarifFlows flows;
  const Json& story = list_field(report, "story");
  if (story.empty()) {
    return flows;
  }
  std::size_t skip = story.size() > kMostEvents ? story.size() - kMostEvents : 0;
  flows.left_out = skip + number_field(report, "story_left_out");
  std::vector<std::string> names;  // in the order of their first events
  std::map<std::string, Json> by_thread;
  Json all = Json::array();
  for (std::size_t i = skip; i < story.size(); ++i) {
    std::string thread = text_field(story[i], "thread");
    if (by_thread.try_emplace(thread, Json::array()).second) {
      names.push_back(thread);
    }
    std::size_t order = i - skip + 1;
    by_thread[thread].push_back(event_location(story[i], order, false, locations));
    all.push_back(event_location(story[i], order, true, locations));
  }
  std::string last = failing_thread(report);
  if (!by_thread.contains(last)) {
    last = text_field(story.back(), "thread");
  }
  Json failure = failure_location(report, story.size() - skip + 1, locations);
  by_thread[last].push_back(failure);
  all.push_back(failure);
  Json threads = Json::array();
  for (const std::string& name : names) {
    flows.locations += by_thread[name].size();
    threads.push_back({{"id", clean_text(name)},
                       {"message", {{"text", clean_text("Thread " + name)}}},
                       {"locations", by_thread[name]}});
  }
  flows.locations += all.size();
  std::string cut =
      flows.left_out > 0 ? " (" + std::to_string(flows.left_out) + " earlier events left out)" : "";
  flows.code_flows.push_back(
      {{"message", {{"text", "What each thread did" + cut + "."}}}, {"threadFlows", threads}});
  flows.code_flows.push_back(
      {{"message", {{"text", "All threads, in the order of the run" + cut + "."}}},
       {"threadFlows", Json::array({{{"id", "all threads"}, {"locations", all}}})}});
  return flows;
}

SarifStacks sarif_stacks(const Json& report, SarifLocations& locations) {
  constexpr std::size_t kMostFrames = 100;
  constexpr std::size_t kMostThreads = 100;
  SarifStacks result;
  for (const Json& thread : list_field(report, "threads")) {
    Json frames = Json::array();
    for (const Json& place : list_field(thread, "stack")) {
      if (frames.size() < kMostFrames) {
        Json frame = {{"location", locations.location(place, "")}};
        if (std::string module = text_field(place, "module"); !module.empty()) {
          frame["module"] = clean_text(module);
        }
        frames.push_back(frame);
      }
    }
    if (!frames.empty() && result.stacks.size() < kMostThreads) {
      result.locations += frames.size();
      result.stacks.push_back({{"message",
                                {{"text", clean_text("Thread " + text_field(thread, "name") + ": " +
                                                     text_field(thread, "state"))}}},
                               {"frames", frames}});
    }
  }
  return result;
}

}  // namespace rff
