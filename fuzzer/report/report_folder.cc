#include "fuzzer/report/report_folder.h"

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/report/formats.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& bytes) {
  if (int error = write_file(path, bytes); error != 0) {
    throw tool_failed("cannot write " + path.string() + ": " + std::strerror(error));
  }
}

}  // namespace

void write_report_folder(const std::string& folder, const FindingReport& report) {
  for (const ReportFormat& format : report_formats()) {
    write(fs::path(folder) / ("report" + std::string(format.extension)), format.write(report));
  }
  std::string cut = report.output_left_out > 0 ? "[rff: " + std::to_string(report.output_left_out) +
                                                     " bytes before this are left out]\n"
                                               : "";
  write(fs::path(folder) / "output.txt", cut + report.output);
}

std::optional<std::uint64_t> noted_first_schedule(const std::string& folder) {
  auto j = nlohmann::json::parse(read_file(fs::path(folder) / "report.json").value_or(""), nullptr,
                                 false);
  auto campaign = j.is_object() ? j.find("campaign") : j.end();
  if (campaign == j.end() || !campaign->is_object() ||
      !(*campaign)["first_schedule"].is_number_unsigned()) {
    return std::nullopt;
  }
  return (*campaign)["first_schedule"].get<std::uint64_t>();
}

}  // namespace rff
