#include "instrument/report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "instrument/hex.h"

namespace rff::instrument {

namespace {

constexpr std::size_t kMostLines = 12;
constexpr const char* kNoRoom = "no room for a jump before the access";

nlohmann::ordered_json hex_list(const std::vector<std::uint64_t>& addresses) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::uint64_t address : addresses) {
    list.push_back(hex(address));
  }
  return list;
}

void count_function(const Program& program, const std::vector<bool>& hooked,
                    const Function& function, Report& report) {
  std::map<std::string, std::vector<std::uint64_t>> unreported;
  for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
    std::uint32_t number = program.instructions()[i].site;
    if (number == kNone32) {
      continue;
    }
    const Site& site = program.sites()[number];
    if (site.private_to_frame) {
      report.private_to_frame.push_back(site.address);
      continue;
    }
    ++report.sites_found;
    if (hooked[number]) {
      ++report.sites_instrumented;
      ++report.instrumented_by_kind[kind_name(site.kind)];
    } else if (!function.left_alone.empty()) {
      unreported[function.left_alone].push_back(site.address);
    } else if (site.unsupported != Unsupported::kNone) {
      unreported[explain(site.unsupported)].push_back(site.address);
    } else {
      unreported[kNoRoom].push_back(site.address);
    }
  }
  for (const auto& [reason, sites] : unreported) {
    report.left_alone.push_back({function.begin, function.name, reason, sites});
  }
}

}  // namespace

const char* kind_name(hook::SiteKind kind) {
  switch (kind) {
    case hook::SiteKind::kRead: return "read";
    case hook::SiteKind::kWrite: return "write";
    case hook::SiteKind::kReadModifyWrite: return "read-modify-write";
    case hook::SiteKind::kCompareExchange: return "compare-exchange";
    case hook::SiteKind::kString: return "string";
    case hook::SiteKind::kVector: return "vector";
    case hook::SiteKind::kSyscall: return "syscall";
    case hook::SiteKind::kTimestamp: return "timestamp";
    case hook::SiteKind::kRandom: return "random";
    case hook::SiteKind::kProcessor: return "processor";
    case hook::SiteKind::kEntry: return "entry";
  }
  return "?";
}

void count_sites(const Program& program, const std::vector<bool>& hooked, Report& report) {
  for (const Function& function : program.functions()) {
    count_function(program, hooked, function, report);
    if (function.is_unclaimed() && function.holds_data) {
      report.data.push_back({function.begin, function.end});
    }
  }
  report.linkage_tables = program.linkage_tables();
}

std::string summary(const Report& report) {
  std::string out;
  char line[256];
  for (std::size_t i = 0; i < report.left_alone.size() && i < kMostLines; ++i) {
    const LeftAlone& item = report.left_alone[i];
    out += "left alone: " + hex(item.address) + " " +
           (item.function.empty() ? "(no name)" : item.function) + ": " +
           std::to_string(item.sites.size()) + (item.sites.size() == 1 ? " site: " : " sites: ") +
           item.reason + "\n";
  }
  if (report.left_alone.size() > kMostLines) {
    out += "left alone: " + std::to_string(report.left_alone.size() - kMostLines) +
           " more; --json lists them all\n";
  }
  std::uint64_t data_bytes = 0;
  for (const Report::Range& range : report.data) {
    data_bytes += range.end - range.begin;
  }
  if (data_bytes != 0) {
    out += "taken for data: " + std::to_string(data_bytes) + " bytes between functions, " +
           std::to_string(report.data.size()) + (report.data.size() == 1 ? " place" : " places") +
           "; --json lists them\n";
  }
  std::snprintf(
      line, sizeof(line),
      "%llu sites found, %llu instrumented (%.2f %%), %zu functions with sites left alone; "
      "%zu more are private to their frame and not hooked\n",
      static_cast<unsigned long long>(report.sites_found),
      static_cast<unsigned long long>(report.sites_instrumented), report.percent(),
      report.left_alone.size(), report.private_to_frame.size());
  out += line;
  if (report.blocks + report.comparisons != 0) {
    out += std::to_string(report.blocks) + " blocks and " + std::to_string(report.comparisons) +
           " comparisons hooked\n";
  }
  std::snprintf(line, sizeof(line), " in %.2f s, %llu bytes (was %llu)\n", report.seconds,
                static_cast<unsigned long long>(report.output_bytes),
                static_cast<unsigned long long>(report.input_bytes));
  return out + report.output + line;
}

std::string json(const Report& report) {
  nlohmann::ordered_json json;
  json["input"] = report.input;
  json["output"] = report.output;
  json["backend"] = report.backend;
  json["sites_found"] = report.sites_found;
  json["sites_instrumented"] = report.sites_instrumented;
  json["percent"] = report.percent();
  json["private_to_frame"] = hex_list(report.private_to_frame);
  json["instrumented_by_kind"] = report.instrumented_by_kind;
  json["blocks"] = report.blocks;
  json["comparisons"] = report.comparisons;
  json["left_alone"] = nlohmann::ordered_json::array();
  for (const LeftAlone& item : report.left_alone) {
    json["left_alone"].push_back({{"address", hex(item.address)},
                                  {"function", item.function},
                                  {"reason", item.reason},
                                  {"sites", hex_list(item.sites)}});
  }
  json["linkage_tables"] = nlohmann::ordered_json::array();
  for (const LinkageTable& table : report.linkage_tables) {
    json["linkage_tables"].push_back(
        {{"section", table.section}, {"begin", hex(table.begin)}, {"end", hex(table.end)}});
  }
  json["data"] = nlohmann::ordered_json::array();
  for (const Report::Range& range : report.data) {
    json["data"].push_back({{"begin", hex(range.begin)}, {"end", hex(range.end)}});
  }
  json["seconds"] = report.seconds;
  json["input_bytes"] = report.input_bytes;
  json["output_bytes"] = report.output_bytes;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace rff::instrument
