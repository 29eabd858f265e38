// The report as one line of comma-separated values: kind, program, place, summary.
#include "fuzzer/report/finding_report.h"

namespace rff {
namespace {

std::string quoted(const std::string& text) {
  std::string value = "\"";
  for (char c : text) {
    value += c == '"' ? "\"\"" : std::string(1, c);
  }
  return value + "\"";
}

}  // namespace

std::string write_csv(const FindingReport& report) {
  return quoted(std::string(finding_name(report.kind))) + "," + quoted(report.program) + "," +
         quoted(report.place.where()) + "," + quoted(report.summary) + "\n";
}

}  // namespace rff
