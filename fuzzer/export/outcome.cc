#include "fuzzer/export/outcome.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

namespace rff {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::array<std::string_view, 5> kNames = {"nothing found", "finding", "inconclusive",
                                                    "no threads", "refused"};

}  // namespace

std::string_view result_name(CampaignResult result) {
  return kNames[static_cast<std::size_t>(result)];
}

std::string time_text() { return time_text(std::time(nullptr)); }

std::string time_text(std::time_t when) {
  std::tm utc{};
  ::gmtime_r(&when, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string outcome_to_json(const CampaignOutcome& o) {
  Json j = {
      {"version", kVersion},          {"rff", RFF_VERSION},       {"result", result_name(o.result)},
      {"exit_status", o.exit_status}, {"reason", o.reason},       {"command", o.command},
      {"program", o.program},         {"arguments", o.arguments}, {"test", o.test},
      {"started", o.started},         {"ended", o.ended}};
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<CampaignOutcome> outcome_from_json(const std::string& text) {
  try {
    Json j = Json::parse(text);
    CampaignOutcome o;
    auto name = std::find(kNames.begin(), kNames.end(), j.at("result").get<std::string>());
    if (name == kNames.end() || j.at("version").get<int>() > kVersion) {
      return std::nullopt;
    }
    o.result = static_cast<CampaignResult>(name - kNames.begin());
    o.exit_status = j.at("exit_status");
    o.reason = j.at("reason");
    o.command = j.at("command").get<std::vector<std::string>>();
    o.program = j.at("program");
    o.arguments = j.at("arguments").get<std::vector<std::string>>();
    o.test = j.at("test");
    o.started = j.at("started");
    o.ended = j.at("ended");
    return o;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace rff
