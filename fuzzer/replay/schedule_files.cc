#include "fuzzer/replay/schedule_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "fuzzer/common/corpus_folder.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/finding_identity.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

bool is_finding(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "schedule.bin", error);
}

}  // namespace

std::size_t switches(const Finding& f) {
  std::size_t n = 0;
  for (std::size_t i = 1; i < f.decisions.size(); ++i) {
    n += f.decisions[i].thread != f.decisions[i - 1].thread ? 1 : 0;
  }
  return n;
}

std::vector<std::string> findings_of(const std::string& path) {
  std::vector<std::string> findings;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(path) / "findings", error)) {
    if (is_finding(entry.path())) {
      findings.push_back(entry.path().string());
    }
  }
  std::sort(findings.begin(), findings.end());
  return findings;
}

std::string schedule_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return path;
  }
  if (is_finding(path)) {
    return (fs::path(path) / "schedule.bin").string();
  }
  std::vector<std::string> findings = findings_of(path);
  if (findings.empty()) {
    throw bad_usage(path +
                    " has no schedule.bin and no findings: give the file, or a campaign that "
                    "has found something");
  }
  return (fs::path(findings[0]) / "schedule.bin").string();
}

Schedule load_schedule(const std::string& path) {
  std::optional<std::string> bytes = read_file(path, kMostScheduleBytes);
  if (!bytes) {
    throw bad_usage("cannot read " + path + ": " +
                    (errno == EFBIG ? "it is " + too_large_words() : std::strerror(errno)));
  }
  DecodeResult decoded = decode_schedule(*bytes);
  if (!decoded.schedule) {
    throw bad_usage(path + ": " + decoded.error);
  }
  return std::move(*decoded.schedule);
}

void write_or_throw(const std::string& path, const std::string& bytes) {
  if (int error = write_file(path, bytes); error != 0) {
    throw bad_usage("cannot write " + path + ": " + std::strerror(error));
  }
}

void check_writable(const std::string& path) {
  if (path.empty()) {
    return;
  }
  fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    errno = EISDIR;
  } else if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) {
    return;
  }
  throw bad_usage("cannot write " + path + ": " + std::strerror(errno));
}

std::optional<Schedule> simpler_schedule(const std::string& path, const Schedule& schedule,
                                         DebugInfo& debug) {
  fs::path beside = fs::path(path).parent_path() / "minimized.bin";
  if (beside == fs::path(path) || !schedule.finding) {
    return std::nullopt;
  }
  DecodeResult other = decode_schedule(read_file(beside).value_or(""));
  if (!other.schedule || !other.schedule->finding ||
      !same_finding(*schedule.finding, *other.schedule->finding, debug) ||
      switches(*other.schedule->finding) >= switches(*schedule.finding)) {
    return std::nullopt;
  }
  return std::move(other.schedule);
}

}  // namespace rff
