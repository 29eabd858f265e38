// rff-report: writes what campaigns found in the formats of other tools. It reads output folders
// and runs nothing.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "command_line/command_line.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/export/exports.h"
#include "schedule/standard_descriptors.h"

namespace rff {
namespace {

constexpr char kExamples[] = R"(Examples:
  rff-report --junit rff.xml rff-out          for the test page of a CI server
  rff-report --sarif rff.sarif rff-out        for a code-scanning page
  rff-report --markdown "$GITHUB_STEP_SUMMARY" out1 out2
  rff-report --html pages rff-out             pages/index.html and the pages of all findings
OUT is the folder of rff-fuzz -o, or one that holds several of them. F may be - for standard output.
Exit status: 0 all was read and written, 2 something could not be (the rest was written).)";

struct ReportOptions {
  ExportTargets targets;
  std::vector<std::string> folders;
};

std::optional<ReportOptions> parse(int argc, char** argv) {
  ReportOptions o;
  CommandLine line({.program = "rff-report",
                    .usage = "rff-report [options] OUT...",
                    .description =
                        "Writes what campaigns of rff-fuzz found in the formats of other "
                        "tools. Runs nothing.",
                    .footer = kExamples});
  line.text("--sarif", o.targets.sarif, {"F", "write SARIF 2.1.0 with one flow for each thread"});
  line.text("--junit", o.targets.junit, {"F", "write JUnit XML: a campaign is a test case"});
  line.text("--markdown", o.targets.markdown, {"F", "write a table and the first finding's story"});
  line.text("--html", o.targets.html, {"DIR", "write an index and the pages of all findings"});
  line.text("--source-root", o.targets.source_root,
            {"DIR", "files below it are named relative to it", "."});
  if (!line.parse(argc, argv)) {
    return std::nullopt;
  }
  o.folders = line.command();
  if (o.folders.empty()) {
    throw UsageError("no output folder given: rff-report [options] OUT...");
  }
  if (!o.targets.any()) {
    throw UsageError("nothing to write: give --sarif, --junit, --markdown or --html");
  }
  return o;
}

int report(const ReportOptions& options) {
  CampaignRecords records = read_campaigns(options.folders);
  std::vector<std::string> problems = records.problems;
  if (!records.campaigns.empty()) {
    problems = write_exports(records, options.targets);
  }
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && errno != EPIPE) {
    throw tool_failed(std::string("cannot write to standard output: ") + std::strerror(errno));
  }
  if (!problems.empty()) {
    throw bad_usage(
        problems.front() +
        (problems.size() > 1 ? " (and " + count(problems.size() - 1, "more problem") + ")" : ""));
  }
  return kNothingFound;
}

}  // namespace
}  // namespace rff

int main(int argc, char** argv) {
  rff::open_standard_descriptors();
  try {
    std::optional<rff::ReportOptions> options = rff::parse(argc, argv);
    return options ? rff::report(*options) : rff::kNothingFound;
  } catch (const rff::UsageError& e) {
    rff::print_error("rff-report", e.what());
    return rff::kBadUsage;
  } catch (const rff::ToolError& e) {
    rff::print_error("rff-report", e.what());
    return e.status;
  } catch (const std::exception& e) {
    rff::print_error("rff-report", e.what());
    return rff::kToolFailed;
  }
}
