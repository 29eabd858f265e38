// Stores the findings of a campaign: one folder per distinct bug (kind and place of the failure),
// with the number of runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/debug/debug_info.h"
#include "fuzzer/debug/finding_identity.h"
#include "fuzzer/debug/readable_finding.h"
#include "fuzzer/run/run.h"
#include "schedule/schedule_file.h"

namespace rff {

struct FindingGroup {
  FindingKind kind = FindingKind::kNone;
  CodeName place;
  std::string folder;  // relative to the output folder
  std::string summary;
  std::uint64_t first_schedule = 0;
  std::uint64_t count = 0;
  std::string where = {};  // the place in words; empty if restored from statistics only
};

class Findings {
 public:
  Findings(const OutputFolder& output, DebugInfo& sources, std::string replay_program)
      : output_(output), sources_(sources), replay_program_(std::move(replay_program)) {}

  // Counts another run of a known bug by the key of its failure. Returns false if it is unknown.
  bool count(std::uint64_t key);
  // Counts another run by the identity of its finding, and remembers the key.
  bool count(std::uint64_t key, const Finding& finding);
  // Whether the confirmation needs a trace with callers.
  bool needs_callers(const Finding& finding) { return rff::needs_callers(finding, sources_); }
  // Writes a finding that `confirmation` has confirmed. Throws ToolError (3) if writing fails.
  const FindingGroup& add(const Schedule& schedule, std::uint64_t number, std::uint64_t key,
                          const Run& confirmation);
  // Writes a finding that did not repeat, with the difference.
  void add_unstable(const Schedule& schedule, std::uint64_t number, const std::string& divergence);

  const std::vector<FindingGroup>& groups() const { return groups_; }
  std::string replay_command(const FindingGroup& group) const;
  std::string place_text(const FindingGroup& group);

  // Restores the findings of the resumed campaign from the folders on disk, with the counts in
  // `noted`.
  void restore(const std::vector<FindingGroup>& noted);

 private:
  std::string report_text(const Schedule& schedule, const FindingGroup& group);

  const OutputFolder& output_;
  DebugInfo& sources_;
  std::string replay_program_;
  // Computed on first use, because the modules of a resumed campaign are not known earlier.
  const FindingIdentity& identity(std::size_t group);

  std::vector<FindingGroup> groups_;
  std::map<std::size_t, FindingIdentity> identities_;  // by group
  std::map<std::uint64_t, std::size_t> keys_;          // failure key → group
};

}  // namespace rff
