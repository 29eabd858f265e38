// Lists the formats in which a report can be written. To add one, write a file with its writer, and
// a row in formats.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fuzzer/report/finding_report.h"

namespace rff {

struct ReportFormat {
  std::string_view name;
  std::string_view extension;  // file name extension, with the dot
  std::string (*write)(const FindingReport& report);
};

std::span<const ReportFormat> report_formats();
// Throws ToolError (3) if there is no such format.
const ReportFormat& report_format(std::string_view name);

}  // namespace rff
