#include "fuzzer/campaign/stats.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "fuzzer/common/overflow.h"

namespace rff {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 1000) / 1000; }

}  // namespace

void add_tally(std::vector<SearchTally>& tallies, const SearchTally& more) {
  auto it = std::find_if(tallies.begin(), tallies.end(),
                         [&](const SearchTally& t) { return t.strategy == more.strategy; });
  if (it == tallies.end()) {
    tallies.push_back(more);
    return;
  }
  it->proposals += more.proposals;
  it->new_pairs += more.new_pairs;
  it->new_paths += more.new_paths;
  it->failures += more.failures;
  it->profiles += more.profiles;
  it->blocked += more.blocked;
}

std::uint64_t Stats::profile_schedules() const {
  std::uint64_t sum = 0;
  for (const SearchTally& t : search) {
    sum += t.profiles;
  }
  return sum;
}

std::string search_line(const std::vector<SearchTally>& tallies) {
  std::string text;
  for (const SearchTally& t : tallies) {
    if (t.proposals == 0) {
      continue;
    }
    text += (text.empty() ? "" : "; ") + t.strategy + " " + std::to_string(t.proposals);
    std::string brought;
    auto add = [&](std::uint64_t n, const char* what) {
      if (n > 0) {
        brought += (brought.empty() ? "" : ", ") + std::to_string(n) + " " + what;
      }
    };
    add(t.new_pairs, "with new pairs");
    add(t.new_paths, "with new paths");
    add(t.failures, "failed");
    add(t.blocked, "with a thread that could not take its turn");
    text += brought.empty() ? "" : " (" + brought + ")";
  }
  return text.empty() ? "" : "search, runs by strategy: " + text;
}

static Json systematic_json(const ExplorationState& e) {
  Json steps = Json::array();
  for (const ExplorationState::Step& s : e.steps) {
    steps.push_back({{"bound", s.bound}, {"classes", s.classes}, {"failing", s.failing}});
  }
  return {{"verdict", verdict_name(e)},
          {"classes", e.classes},
          {"explored", e.explored},
          {"reads_from_classes", e.reads_from_classes},
          {"redundant", e.redundant},
          {"failing", e.failing},
          {"estimate", rounded(e.estimate())},
          {"bound", e.cut_by_bound || !e.steps.empty() ? Json(e.bound) : Json()},
          {"steps", steps},
          {"reasons", e.reason.empty() ? Json::array() : Json::array({e.reason})}};
}

static void add_inputs(Json& j, const Stats::Inputs& inputs) {
  if (!inputs.way.empty()) {
    j["input_as"] = inputs.way;
    j["inputs"] = inputs.members;
    j["edges"] = inputs.edges;
    j["comparisons"] = inputs.comparisons;
    j["discarded"] = inputs.discarded;
    j["input_bytes_smallest"] = inputs.smallest ? Json(*inputs.smallest) : Json();
  }
}

static Json search_json(const std::vector<SearchTally>& search) {
  Json j = Json::array();
  for (const SearchTally& t : search) {
    j.push_back({{"strategy", t.strategy},
                 {"proposals", t.proposals},
                 {"new_pairs", t.new_pairs},
                 {"new_paths", t.new_paths},
                 {"failures", t.failures},
                 {"profiles", t.profiles},
                 {"blocked", t.blocked}});
  }
  return j;
}

static Json in_place_json(const Stats::InPlace& in_place) {
  Json retired_by = Json::object();
  for (const auto& [call, times] : in_place.retired_by) {
    retired_by[std::to_string(call)] = times;
  }
  return {{"way", in_place.way},
          {"runs", in_place.runs},
          {"retired", in_place.retired},
          {"retired_by", retired_by},
          {"disagreements", in_place.disagreements}};
}

std::string stats_to_json(const Stats& s) {
  auto per_schedule = [&](std::uint64_t sum) {
    return s.schedules > 0 ? rounded(static_cast<double>(sum) / static_cast<double>(s.schedules))
                           : 0.0;
  };
  Json j;
  j["schedules"] = s.schedules;
  j["profile_schedules"] = s.profile_schedules();
  j["seconds"] = rounded(s.seconds);
  j["schedules_per_second"] = rounded(s.per_second());
  j["rf_pairs"] = s.rf_pairs;
  j["rf_combinations"] = s.rf_combinations;
  j["corpus"] = s.corpus;
  j["events_per_schedule"] = per_schedule(s.events);
  j["scheduling_points"] = per_schedule(s.scheduling_points);
  j["seconds_running"] = rounded(s.seconds_running);
  j["seconds_analysing"] = rounded(s.seconds_analyzing);
  j["unstable"] = s.unstable;
  j["audited"] = s.audited;
  j["unresponsive"] = s.unresponsive;
  j["lost"] = s.lost;
  j["lost_causes"] = s.lost_causes;
  j["bad_exits"] = s.bad_exits;
  j["seed"] = s.seed;
  j["processors"] = s.processors;
  j["check"] = s.checks;
  j["scheduler"] = s.scheduler;
  j["search"] = search_json(s.search);
  if (s.systematic) {
    j["systematic"] = systematic_json(*s.systematic);
  }
  j["carrier"] = s.carrier;
  j["in_place"] = in_place_json(s.in_place);
  j["target"] = s.target;
  j["arguments"] = s.arguments;
  j["stop_at"] = s.stop_at;
  j["plain_status"] = s.plain_status ? Json(*s.plain_status) : Json();
  j["plain_seconds"] = s.plain_seconds ? Json(rounded(*s.plain_seconds)) : Json();
  j["schedule_timeout_ms"] = s.schedule_timeout_ms;
  j["exit_is_bug"] = s.exit_is_bug;
  j["unpatched_modules"] = s.unpatched_modules;
  j["unmodelled_calls"] = s.unmodelled_calls;
  add_inputs(j, s.inputs);
  j["overflowed"] = overflow_names(s.overflowed);
  j["findings"] = Json::array();
  for (const FindingGroup& group : s.findings) {
    j["findings"].push_back({{"kind", finding_name(group.kind)},
                             {"first_schedule", group.first_schedule},
                             {"count", group.count},
                             {"folder", group.folder},
                             {"summary", group.summary},
                             {"place", std::to_string(group.place.packed())}});
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Stats> stats_from_json(const std::string& text) {
  try {
    Json j = Json::parse(text);
    Stats s;
    s.schedules = j.at("schedules");
    s.seconds = j.at("seconds");
    s.seed = j.at("seed");
    s.processors = j.value("processors", kDefaultProcessors);
    s.checks = j.value("check", "none");
    s.scheduler = j.at("scheduler");
    for (const Json& t : j.value("search", Json::array())) {
      s.search.push_back({t.at("strategy"), t.at("proposals"), t.at("new_pairs"), t.at("new_paths"),
                          t.at("failures"), t.value("profiles", std::uint64_t{0}),
                          t.value("blocked", std::uint64_t{0})});
    }
    s.target = j.at("target");
    s.arguments = j.value("arguments", std::vector<std::string>{});
    s.stop_at = j.value("stop_at", std::vector<std::string>{});
    s.seconds_running = j.value("seconds_running", 0.0);
    s.seconds_analyzing = j.value("seconds_analysing", 0.0);
    s.unstable = j.value("unstable", std::uint64_t{0});
    s.audited = j.value("audited", std::uint64_t{0});
    s.unresponsive = j.value("unresponsive", std::uint64_t{0});
    s.lost = j.value("lost", std::uint64_t{0});
    s.bad_exits = j.value("bad_exits", std::uint64_t{0});
    if (Json status = j.value("plain_status", Json()); status.is_number_integer()) {
      s.plain_status = status.get<int>();
    }
    if (Json seconds = j.value("plain_seconds", Json()); seconds.is_number()) {
      s.plain_seconds = seconds.get<double>();
    }
    s.exit_is_bug = j.value("exit_is_bug", false);
    s.inputs.discarded = j.value("discarded", std::uint64_t{0});
    s.overflowed = overflows_from_names(j.value("overflowed", std::vector<std::string>{}));
    s.events = static_cast<std::uint64_t>(j.value("events_per_schedule", 0.0) *
                                          static_cast<double>(s.schedules));
    s.scheduling_points = static_cast<std::uint64_t>(j.value("scheduling_points", 0.0) *
                                                     static_cast<double>(s.schedules));
    for (const Json& f : j.at("findings")) {
      FindingGroup group;
      group.kind = finding_from_name(f.at("kind").get<std::string>()).value_or(FindingKind::kNone);
      group.first_schedule = f.at("first_schedule");
      group.count = f.at("count");
      group.folder = f.at("folder");
      group.summary = f.at("summary");
      group.place = CodeName::unpack(std::stoull(f.at("place").get<std::string>()));
      s.findings.push_back(std::move(group));
    }
    return s;
  } catch (const std::exception&) {  // not JSON, or not written by rff-fuzz
    return std::nullopt;
  }
}

std::optional<Stats> read_stats(const OutputFolder& output) {
  std::optional<std::string> text = read_file(output / "stats.json");
  return text ? stats_from_json(*text) : std::nullopt;
}

}  // namespace rff
