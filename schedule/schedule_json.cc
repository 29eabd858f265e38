#include "schedule/schedule_json.h"

#include "schedule/base64.h"
#include "schedule/failure_json.h"

namespace rff {
namespace {

using nlohmann::json;

using json_parts::hex;
using json_parts::number;

template <typename Enum, typename Name>
Enum by_name(const json& j, Enum limit, Name name) {
  auto text = j.get<std::string>();
  for (int i = 0; i < static_cast<int>(limit); ++i) {
    if (name(static_cast<Enum>(i)) == text) {
      return static_cast<Enum>(i);
    }
  }
  throw std::invalid_argument("unknown name '" + text + "'");
}

json to_json(const AbstractEvent& e) {
  return {{"op", op_name(e.op)}, {"place", location_kind_name(e.place)},
          {"base", hex(e.base)}, {"offset", hex(e.offset)},
          {"size", e.size},      {"site", hex(e.site.packed())}};
}
AbstractEvent event_from(const json& j) {
  constexpr auto kLimit = static_cast<LocationKind>(static_cast<int>(LocationKind::kFile) + 1);
  Location x{by_name(j.at("place"), kLimit, location_kind_name), number(j.at("base")),
             number(j.at("offset"))};
  return AbstractEvent::make(by_name(j.at("op"), OpKind::kCount, op_name), x,
                             j.at("size").get<std::uint16_t>(),
                             CodeName::unpack(number(j.at("site"))));
}

json to_json(const std::vector<Decision>& decisions) {
  json list = json::array();
  for (const Decision& d : decisions) {
    list.push_back({d.thread, d.check.bits()});
  }
  return list;
}
std::vector<Decision> decisions_from(const json& j) {
  std::vector<Decision> list;
  for (const json& d : j) {
    list.push_back({d.at(0).get<std::uint16_t>(), d.at(1).get<std::uint16_t>()});
  }
  return list;
}

json to_json(const std::vector<ModuleRange>& ranges) {
  json list = json::array();
  for (const ModuleRange& r : ranges) {
    list.push_back({r.module, r.begin, r.end});
  }
  return list;
}
std::vector<ModuleRange> ranges_from(const json& list) {
  std::vector<ModuleRange> ranges;
  for (const json& r : list) {
    ranges.push_back({r.at(0), r.at(1), r.at(2)});
  }
  return ranges;
}

json to_json(const Checks& checks) {
  return {{"words", check_words(checks.bits)},
          {"quarantine", checks.quarantine},
          {"ignored", checks.ignored},
          {"ignored_code", to_json(checks.ignored_code)}};
}
Checks checks_from(const json& j) {
  Checks checks;
  std::optional<std::uint32_t> bits = parse_check_words(j.at("words").get<std::string>());
  checks.quarantine = j.at("quarantine");
  checks.ignored = j.at("ignored").get<std::vector<std::string>>();
  checks.ignored_code = ranges_from(j.at("ignored_code"));
  if (!bits || checks.quarantine == 0 || checks.quarantine > kMaxQuarantine ||
      !in_order(checks.ignored_code)) {
    throw std::invalid_argument("the checks are out of range");
  }
  checks.bits = *bits;
  return checks;
}

json to_json(const Target& t) {
  return {{"path", t.path},
          {"arguments", t.arguments},
          {"build_id", t.build_id},
          {"input_digest", hex(t.input_digest)},
          {"standard_input", t.standard_input},
          {"libraries", t.libraries},
          {"processors", t.processors},
          {"checks", to_json(t.checks)}};
}
Target target_from(const json& j) {
  Target t;
  t.path = j.at("path");
  t.arguments = j.at("arguments").get<std::vector<std::string>>();
  t.build_id = j.at("build_id");
  t.input_digest = number(j.at("input_digest"));
  t.standard_input = j.at("standard_input");
  t.libraries = j.at("libraries").get<std::vector<std::string>>();
  t.processors = j.value("processors", kDefaultProcessors);
  if (t.processors == 0 || t.processors > kMaxProcessors) {
    throw std::invalid_argument("the number of processors is out of range");
  }
  if (j.contains("checks")) {
    t.checks = checks_from(j.at("checks"));
  }
  return t;
}

std::string bytes_from(const std::string& base64) {
  std::optional<std::string> bytes = from_base64(base64);
  if (!bytes) {
    throw std::invalid_argument("not base64");
  }
  return *bytes;
}

json to_json(const ProgramInput& input) {
  return {
      {"as", input_way_name(input.way)}, {"name", input.name}, {"base64", to_base64(input.bytes)}};
}
ProgramInput input_from(const json& j) {
  ProgramInput input;
  input.way = by_name(j.at("as"), ProgramInput::Way::kCount, input_way_name);
  input.name = j.at("name");
  input.bytes = bytes_from(j.at("base64").get<std::string>());
  return input;
}

json to_json(const std::vector<CodeName>& sites) {
  json list = json::array();
  for (CodeName site : sites) {
    list.push_back(hex(site.packed()));
  }
  return list;
}
std::vector<CodeName> sites_from(const json& list) {
  std::vector<CodeName> sites;
  for (const json& site : list) {
    sites.push_back(CodeName::unpack(number(site)));
  }
  return sites;
}

json to_json(const std::vector<StopRule>& rules) {
  json list = json::array();
  for (const StopRule& rule : rules) {
    list.push_back({{"text", rule.text},
                    {"kind", static_cast<unsigned>(rule.kind)},
                    {"ranges", to_json(rule.ranges)},
                    {"within", to_json(rule.within)}});
  }
  return list;
}
std::vector<StopRule> rules_from(const json& list) {
  std::vector<StopRule> rules;
  for (const json& rule : list) {
    rules.push_back({rule.at("text"),
                     static_cast<StopRule::Kind>(rule.at("kind").get<std::uint8_t>()),
                     ranges_from(rule.at("ranges")), ranges_from(rule.at("within"))});
  }
  return rules;
}

json to_json(const SchedulingPoints& p) {
  return {{"racing", p.racing},        {"every_access", p.every_access},
          {"listed", p.listed},        {"shared_version", p.shared_version},
          {"sites", to_json(p.sites)}, {"handed_over", to_json(p.handed_over)},
          {"stops", to_json(p.stops)}};
}
SchedulingPoints points_from(const json& j) {
  SchedulingPoints p;
  p.racing = j.value("racing", false);
  p.every_access = j.at("every_access");
  p.listed = j.at("listed");
  p.shared_version = j.at("shared_version");
  p.sites = sites_from(j.at("sites"));
  p.handed_over = sites_from(j.value("handed_over", json::array()));
  p.stops = rules_from(j.value("stops", json::array()));
  return p;
}

json to_json(const Estimates& e) {
  json threads = json::array();
  for (const ThreadEstimate& t : e.threads) {
    threads.push_back({{"thread", hex(t.thread)}, {"points", t.points}});
  }
  json sites = json::array();
  for (CodeName site : e.selection.sites) {
    sites.push_back(hex(site.packed()));
  }
  return {{"location", hex(e.key)},
          {"threads", threads},
          {"selection", static_cast<unsigned>(e.selection.by)},
          {"sites", sites}};
}
Estimates estimates_from(const json& j) {
  constexpr auto kLastSelection = static_cast<unsigned>(EventSelection::By::kCount) - 1;
  Estimates e;
  e.key = number(j.at("location"));
  e.selection.by = EventSelection::By(std::min(j.value("selection", 0U), kLastSelection));
  for (const json& site : j.value("sites", json::array())) {
    e.selection.sites.push_back(CodeName::unpack(number(site)));
  }
  for (const json& t : j.at("threads")) {
    e.threads.push_back({number(t.at("thread")), t.at("points").get<std::uint64_t>()});
  }
  return e;
}

json to_json(const std::vector<LearnedValue>& learned) {
  json values = json::array();
  for (const LearnedValue& v : learned) {
    values.push_back(hex(v.packed));
  }
  return values;
}
std::vector<LearnedValue> learned_from(const json& j) {
  std::vector<LearnedValue> learned;
  for (const json& v : j) {
    learned.push_back({number(v)});
  }
  return learned;
}

json to_json(const Exploration& e) {
  return {{"order", to_json(e.order)}, {"choices", e.choices},
          {"asleep", e.asleep},        {"rest", static_cast<unsigned>(e.rest)},
          {"seed", hex(e.seed)},       {"every_primitive", e.every_primitive},
          {"loops_wait", e.loops_wait}};
}
Exploration exploration_from(const json& j) {
  Exploration e;
  e.order = decisions_from(j.at("order"));
  e.choices = j.at("choices").get<std::vector<std::uint32_t>>();
  e.asleep = j.at("asleep").get<std::vector<std::uint16_t>>();
  auto rest = j.at("rest").get<unsigned>();
  if (rest >= static_cast<unsigned>(Exploration::Rest::kCount)) {
    throw std::invalid_argument("unknown way to go on");
  }
  e.rest = static_cast<Exploration::Rest>(rest);
  e.seed = number(j.at("seed"));
  e.every_primitive = j.at("every_primitive");
  e.loops_wait = j.value("loops_wait", false);
  return e;
}

json parameters_json(const Schedule& s) {
  json parameters = json::object();
  for (std::size_t i = 0; i < std::size(kParameterFields); ++i) {
    auto p = static_cast<SchedulerParameter>(i);
    if (scheduler_row(s.scheduler).has(p)) {
      parameters[std::string(parameter_row(p).name)] = s.*kParameterFields[i];
    }
  }
  return parameters;
}
// Version 2 stores the parameters of all schedulers as fields of the schedule.
void read_parameters(const json& j, std::uint32_t version, Schedule& s) {
  constexpr const char* kVersion2[] = {"pct_depth", "pct_length", "patience"};
  for (std::size_t i = 0; i < std::size(kParameterFields); ++i) {
    const ParameterRow& row = kSchedulerParameters[i];
    if (!scheduler_row(s.scheduler).has(static_cast<SchedulerParameter>(i)) ||
        (version == 2 && i >= std::size(kVersion2))) {
      continue;
    }
    auto value = (version == 2 ? j.at(kVersion2[i]) : j.at("parameters").at(std::string(row.name)))
                     .get<std::uint32_t>();
    if (value < row.least || value > row.most) {
      throw std::invalid_argument("parameter " + std::string(row.name) + " is out of range");
    }
    s.*kParameterFields[i] = value;
  }
}

Schedule parse(const json& j) {
  Schedule s;
  auto version = j.at("version").get<std::uint32_t>();
  if (version < kOldestScheduleVersion || version > kScheduleVersion) {
    throw std::invalid_argument("version " + std::to_string(version) +
                                " is unknown; this rff reads versions 2 and 3");
  }
  s.scheduler = by_name(j.at("scheduler"), SchedulerKind::kCount, scheduler_name);
  read_parameters(j, version, s);
  if (j.contains("estimates")) {
    s.estimates = estimates_from(j.at("estimates"));
  }
  if (j.contains("exploration")) {
    s.exploration = exploration_from(j.at("exploration"));
  }
  s.stream = bytes_from(j.value("stream", ""));
  s.learned = learned_from(j.value("learned", json::array()));
  const json& timeouts = j.at("timeouts");
  s.timeouts = timeouts.is_number() ? timeouts.get<Preemption>()
               : timeouts == "any"  ? kAnyPreemption
                                    : kNoPreemption;
  s.guided = j.at("guided");
  s.exit_is_finding = j.at("exit_is_finding");
  s.seed = number(j.at("seed"));
  s.max_steps = number(j.at("max_steps"));
  for (const json& c : j.at("constraints")) {
    if (!s.constraints.insert(
            {event_from(c.at("write")), event_from(c.at("read")), c.at("positive")})) {
      throw std::invalid_argument(
          "a constraint is not a write and a read of one location, or is given twice");
    }
  }
  s.prefix = decisions_from(j.at("prefix"));
  s.points = points_from(j.at("points"));
  s.target = target_from(j.at("target"));
  if (j.contains("input")) {
    s.input = input_from(j.at("input"));
  }
  if (j.contains("finding")) {
    const json& f = j.at("finding");
    s.finding = Finding{by_name(f.at("kind"), FindingKind::kCount, finding_name),
                        CodeName::unpack(number(f.at("place"))),
                        number(f.at("trace_hash")),
                        decisions_from(f.at("decisions")),
                        {}};
    if (version == 2) {
      s.finding->failure.version_2_text = f.at("summary");
    } else {
      s.finding->failure = failure_from_json(f.at("failure"));
    }
  }
  return s;
}

}  // namespace

std::string schedule_to_json(const Schedule& s, const std::string& summary) {
  json constraints = json::array();
  for (const Constraint& c : s.constraints.constraints()) {
    constraints.push_back(
        {{"positive", c.positive}, {"write", to_json(c.write)}, {"read", to_json(c.read)}});
  }
  json j = {{"version", kScheduleVersion},
            {"scheduler", scheduler_name(s.scheduler)},
            {"parameters", parameters_json(s)},
            {"timeouts", s.timeouts == kAnyPreemption  ? json("any")
                         : s.timeouts == kNoPreemption ? json("fair")
                                                       : json(s.timeouts)},
            {"guided", s.guided},
            {"exit_is_finding", s.exit_is_finding},
            {"seed", hex(s.seed)},
            {"max_steps", hex(s.max_steps)},
            {"constraints", constraints},
            {"prefix", to_json(s.prefix)},
            {"points", to_json(s.points)},
            {"target", to_json(s.target)}};
  if (s.estimates != Estimates{}) {
    j["estimates"] = to_json(s.estimates);
  }
  if (s.exploration != Exploration{}) {
    j["exploration"] = to_json(s.exploration);
  }
  if (!s.stream.empty()) {
    j["stream"] = to_base64(s.stream);
  }
  if (!s.learned.empty()) {
    j["learned"] = to_json(s.learned);
  }
  if (s.input.given()) {
    j["input"] = to_json(s.input);
  }
  if (s.finding) {
    j["finding"] = {{"kind", finding_name(s.finding->kind)},
                    {"place", hex(s.finding->place.packed())},
                    {"trace_hash", hex(s.finding->trace_hash)},
                    {"decisions", to_json(s.finding->decisions)},
                    {"failure", failure_to_json(s.finding->failure)}};
    if (!summary.empty()) {
      j["finding"]["summary"] = summary;
    }
  }
  // Paths and arguments are arbitrary bytes; invalid UTF-8 is replaced.
  return j.dump(2, ' ', false, json::error_handler_t::replace);
}

DecodeResult schedule_from_json(const std::string& text) {
  try {
    return {parse(json::parse(text)), ""};
  } catch (const std::exception& e) {
    return {std::nullopt, std::string("is not a schedule in JSON: ") + e.what()};
  }
}

}  // namespace rff
