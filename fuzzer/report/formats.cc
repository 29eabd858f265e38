#include "fuzzer/report/formats.h"

#include <algorithm>
#include <iterator>

#include "fuzzer/common/tool_error.h"

namespace rff {

std::string write_text(const FindingReport& report);  // text_format.cc
std::string write_json(const FindingReport& report);  // json_format.cc
std::string write_html(const FindingReport& report);  // html_format.cc

namespace {

constexpr ReportFormat kFormats[] = {
    {"text", ".txt", write_text},
    {"json", ".json", write_json},
    {"html", ".html", write_html},
};

}  // namespace

std::span<const ReportFormat> report_formats() { return kFormats; }

const ReportFormat& report_format(std::string_view name) {
  const ReportFormat* found =
      std::ranges::find_if(kFormats, [&](const ReportFormat& f) { return f.name == name; });
  if (found == std::end(kFormats)) {
    throw tool_failed("there is no report format " + std::string(name));
  }
  return *found;
}

}  // namespace rff
