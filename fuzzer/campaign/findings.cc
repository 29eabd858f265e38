#include "fuzzer/campaign/findings.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/explain/program_message.h"
#include "fuzzer/report/report_builder.h"
#include "fuzzer/report/report_folder.h"
#include "fuzzer/report/schedule_text.h"
#include "schedule/shared_memory.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

void write_or_throw(const fs::path& path, std::string_view bytes) {
  if (int error = write_file(path, bytes); error != 0) {
    throw tool_failed("cannot write " + path.string() + ": " + std::strerror(error));
  }
}

std::string one_thread_a_line(std::string text) {
  constexpr std::string_view kNext = "; thread ";
  for (std::size_t at = 0; (at = text.find(kNext, at)) != std::string::npos; at += kNext.size()) {
    text[at + 1] = '\n';
  }
  return text;
}

}  // namespace

bool Findings::count(std::uint64_t key) {
  auto it = keys_.find(key);
  if (it == keys_.end()) {
    return false;
  }
  ++groups_[it->second].count;
  return true;
}

const FindingIdentity& Findings::identity(std::size_t group) {
  auto [it, fresh] = identities_.try_emplace(group);
  if (fresh) {
    std::string bytes = read_file(output_ / groups_[group].folder / "schedule.bin").value_or("");
    DecodeResult decoded = decode_schedule(bytes);
    if (decoded.schedule && decoded.schedule->finding) {
      it->second = identify(*decoded.schedule->finding, sources_);
    }
  }
  return it->second;
}

bool Findings::count(std::uint64_t key, const Finding& finding) {
  FindingIdentity wanted = identify(finding, sources_);
  for (std::size_t i = 0; i < groups_.size() && !keys_.contains(key); ++i) {
    if (identity(i) == wanted) {
      keys_[key] = i;
    }
  }
  return count(key);
}

void Findings::restore(const std::vector<FindingGroup>& noted) {
  groups_ = noted;
  std::error_code error;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(output_ / "findings", error)) {
    folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    // A finding from just before the campaign was killed may be missing in the statistics.
    std::string name = "findings/" + folder.filename().string();
    bool known = std::any_of(noted.begin(), noted.end(),
                             [&](const FindingGroup& g) { return g.folder == name; });
    DecodeResult decoded = decode_schedule(read_file(folder / "schedule.bin").value_or(""));
    if (!known && decoded.schedule && decoded.schedule->finding) {
      const Finding& f = *decoded.schedule->finding;
      std::uint64_t first = noted_first_schedule(folder).value_or(0);
      groups_.push_back({f.kind, f.place, name, readable_summary(f, sources_), first, 1,
                         finding_place(f, sources_).text()});
    }
  }
}

const FindingGroup& Findings::add(const Schedule& schedule, std::uint64_t number, std::uint64_t key,
                                  const Run& confirmation) {
  const Finding& finding = *schedule.finding;
  FindingGroup group;
  group.kind = finding.kind;
  group.place = finding.place;
  char name[64];
  std::snprintf(name, sizeof name, "findings/%03zu-%s", groups_.size() + 1,
                std::string(finding_name(finding.kind)).c_str());
  group.folder = name;
  sources_.add_trace(confirmation.trace, finding);
  group.where = finding_place(finding, sources_).text();
  group.summary = summary_with_message(finding, readable_summary(finding, sources_),
                                       program_message(confirmation.output));
  group.first_schedule = number;
  group.count = 1;

  fs::path folder = output_ / group.folder;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw tool_failed("cannot create " + folder.string() + ": " + error.message());
  }
  write_or_throw(folder / "schedule.bin", encode_schedule(schedule));
  if (schedule.input.given()) {
    write_or_throw(folder / "input", schedule.input.bytes);
    if (!confirmation.values.empty()) {
      write_or_throw(folder / "input.txt", confirmation.values);
    }
  }
  // A preliminary report; the full one takes longer.
  Comparison repeated{.verdict = Verdict::kReproduced, .identical = true, .divergence = ""};
  FindingReport report = build_report({.schedule = schedule,
                                       .run = confirmation,
                                       .debug = sources_,
                                       .comparison = repeated,
                                       .explanation = std::nullopt,
                                       .notes = {},
                                       .first_schedule = number});
  report.summary = group.summary;
  write_report_folder(folder, report);
  sources_.forget_trace();
  fs::remove(folder / "report.html", error);  // it would be empty
  write_or_throw(folder / "report.txt", report_text(schedule, group));
  keys_[key] = groups_.size();
  groups_.push_back(std::move(group));
  return groups_.back();
}

void Findings::add_unstable(const Schedule& schedule, std::uint64_t number,
                            const std::string& divergence) {
  char name[32];
  std::snprintf(name, sizeof name, "%08llu", static_cast<unsigned long long>(number));
  fs::path folder = output_ / "unstable" / name;
  std::error_code error;
  fs::create_directories(folder, error);
  std::string what = schedule.finding->kind == FindingKind::kNone
                         ? "a run without a failure"
                         : std::string(finding_name(schedule.finding->kind)) + " in " +
                               finding_place(*schedule.finding, sources_).text();
  write_or_throw(folder / "schedule.bin", encode_schedule(schedule));
  write_or_throw(folder / "report.txt",
                 "Schedule " + std::to_string(number) + ", " + what +
                     ", did not repeat in a fresh process.\nFirst difference: " + divergence +
                     "\n");
}

std::string Findings::place_text(const FindingGroup& group) {
  return group.where.empty() ? sources_.place(group.kind, group.place).text() : group.where;
}

std::string Findings::replay_command(const FindingGroup& group) const {
  return shell_word(replay_program_) + " " +
         shell_word((output_ / group.folder / "schedule.bin").string());
}

std::string Findings::report_text(const Schedule& schedule, const FindingGroup& group) {
  const Finding& finding = *schedule.finding;
  std::string text;
  text += one_thread_a_line(group.summary) + "\n\n";
  text += "kind:        " + std::string(finding_name(finding.kind)) + "\n";
  text += "place:       " + finding_place(finding, sources_).text() + "\n";
  text += "program:     " + schedule.target.path;
  for (const std::string& argument : schedule.target.arguments) {
    text += " " + shell_word(argument);
  }
  if (schedule.input.given()) {
    text += "\ninput:       " + input_text(schedule.input);
  }
  text += "\nschedule:    number " + std::to_string(group.first_schedule) + ", seed " +
          std::to_string(schedule.seed) + ", " + std::to_string(finding.decisions.size()) +
          " decisions\n";
  text += "constraints: " + std::to_string(schedule.constraints.size()) + "\n";
  for (const Constraint& c : schedule.constraints.constraints()) {
    auto name = [&](const AbstractEvent& e) {
      std::string place = e.op == OpKind::kInit ? "" : " at " + sources_.place(e).text();
      return std::string(op_name(e.op)) + place;
    };
    text += "  " + name(c.read) + (c.positive ? " reads from " : " does not read from ") +
            name(c.write) + "\n";
  }
  if (std::string sanitizer = readable_report(finding, sources_); !sanitizer.empty()) {
    text += "\nWhat the sanitizer reported:\n" + sanitizer;
  }
  text += "\nReplay it:\n  " + replay_command(group) + "\n";
  return text;
}

}  // namespace rff
