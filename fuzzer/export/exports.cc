#include "fuzzer/export/exports.h"

#include <cstring>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, const std::string& bytes, std::vector<std::string>& problems) {
  fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) {
    fs::create_directories(folder, error);
  }
  if (path == "/dev/stdout" || path == "-") {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  } else if (int failed = write_file(path, bytes); failed != 0) {
    problems.push_back("cannot write " + path + ": " + std::strerror(failed));
  }
}

void write_sarif_file(const CampaignRecords& records, const ExportTargets& targets,
                      const ExportSettings& settings, std::vector<std::string>& problems) {
  ExportRemarks remarks;
  std::string text = write_sarif(records.campaigns, settings, remarks);
  write(targets.sarif, text, problems);
  for (const std::string& line : remarks.left_out) {
    problems.push_back(targets.sarif + ": " + line);
  }
  if (!targets.source_root.empty() && remarks.places_in_root == 0 && remarks.places_elsewhere > 0) {
    problems.push_back("--source-root " + targets.source_root +
                       ": no place of a finding lies below it, for example " +
                       remarks.example_elsewhere);
  }
}

}  // namespace

std::vector<std::string> write_exports(const CampaignRecords& records,
                                       const ExportTargets& targets) {
  std::vector<std::string> problems = records.problems;
  ExportSettings settings;
  std::error_code error;
  settings.source_root =
      fs::absolute(targets.source_root.empty() ? "." : targets.source_root, error)
          .lexically_normal();
  if (!settings.source_root.has_filename()) {
    settings.source_root = settings.source_root.parent_path();
  }
  if (!targets.sarif.empty()) {
    write_sarif_file(records, targets, settings, problems);
  }
  if (!targets.junit.empty()) {
    write(targets.junit, write_junit(records.campaigns), problems);
  }
  if (!targets.markdown.empty()) {
    write(targets.markdown, write_markdown(records.campaigns, settings), problems);
  }
  if (!targets.html.empty()) {
    try {
      write_html_index(records.campaigns, targets.html);
    } catch (const ToolError& failed) {
      problems.emplace_back(failed.what());
    }
  }
  return problems;
}

}  // namespace rff
