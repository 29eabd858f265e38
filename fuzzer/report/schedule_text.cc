#include "fuzzer/report/schedule_text.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "fuzzer/common/words.h"
#include "fuzzer/debug/readable_finding.h"
#include "fuzzer/explain/story.h"
#include "schedule/input_parts.h"

namespace rff {

std::string command_text(const Target& target) {
  std::string text = target.path;
  for (const std::string& argument : target.arguments) {
    text += " " + argument;
  }
  return text + (target.standard_input.empty() ? "" : " < " + target.standard_input);
}

namespace {
// As text if it is printable, else in hexadecimal; a long one is cut. Begins with the colon.
std::string bytes_text(std::string_view all) {
  constexpr std::size_t kMost = 64;
  std::string_view bytes = all.substr(0, kMost);
  bool printable = std::all_of(bytes.begin(), bytes.end(),
                               [](char c) { return (c >= ' ' && c < 0x7f) || c == '\n'; });
  if (bytes.empty()) {
    return "";
  }
  std::string text = printable ? ": \"" : ":";
  for (char c : bytes) {
    char hex[8];
    std::snprintf(hex, sizeof hex, " %02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += !printable ? std::string(hex) : c == '\n' ? "\\n" : std::string(1, c);
  }
  text += printable ? "\"" : "";
  return text + (bytes.size() < all.size() ? " ..." : "");
}
}  // namespace

std::string input_text(const ProgramInput& input) {
  std::string way(input_way_name(input.way));
  if (std::size_t parts = parts_of(input); parts > 0) {
    std::string text;
    std::vector<std::string> texts = program_texts(input);
    for (std::size_t part = 0; part < parts; ++part) {
      text += (part > 0 ? "; " : "") + count(texts[part].size(), "byte") + " (" + way + " " +
              part_mark(kInputMark, input, part) + ")" + bytes_text(texts[part]);
    }
    return text;
  }
  return count(input.bytes.size(), "byte") + " (" + way +
         (input.name.empty() ? "" : " " + input.name) + ")" + bytes_text(input.bytes);
}

std::string constraint_text(const Constraint& c, DebugInfo& debug) {
  std::string location = debug.location(c.read);
  std::string read =
      std::string(op_name(c.read.op)) + " of " + location + " at " + debug.place(c.read).where();
  std::string write = c.write.op == OpKind::kInit     ? "the initial value"
                      : c.write.op == OpKind::kUnseen ? "a value from unpatched code"
                                                      : "the " + std::string(op_name(c.write.op)) +
                                                            " at " + debug.place(c.write).where();
  return read + (c.positive ? " sees " : " must not see ") + write;
}

std::string schedule_text(const Schedule& s, DebugInfo& debug) {
  std::ostringstream out;
  out << "program:     " << command_text(s.target) << "\n";
  if (s.input.given()) {
    out << "input:       " << input_text(s.input) << "\n";
  }
  out << "build id:    " << (s.target.build_id.empty() ? "none" : s.target.build_id) << "\n";
  out << "scheduler:   " << scheduler_name(s.scheduler) << ", seed " << s.seed;
  if (s.scheduler == SchedulerKind::kPct) {
    out << ", depth " << s.pct_depth;
  }
  out << "\n";
  if (s.exit_is_finding) {
    out << "exit status: other than 0 is a finding\n";
  }
  if (s.timeouts == kAnyPreemption) {
    out << "timeouts:    any timed wait may expire at any point\n";
  } else if (s.timeouts != kNoPreemption) {
    out << "timeouts:    a thread may be preempted for " << s.timeouts / 1000 << " us\n";
  }
  if (s.target.processors != kDefaultProcessors) {
    out << "processors:  " << s.target.processors << "\n";
  }
  if (s.target.checks.any()) {
    out << "check:       " << checks_text(s.target.checks) << "\n";
  }
  out << "points:      "
      << (s.points.every_access ? "every access"
          : s.points.listed     ? count(s.points.sites.size(), "shared place")
                            : "the campaign's, version " + std::to_string(s.points.shared_version))
      << "\n";
  for (const StopRule& rule : s.points.stops) {
    out << "stops at:    " << rule.text << "\n";
  }
  if (!s.prefix.empty()) {
    out << "prefix:      " << count(s.prefix.size(), "decision") << "\n";
  }
  out << "constraints: " << s.constraints.size() << "\n";
  for (const Constraint& c : s.constraints.constraints()) {
    out << "  " << constraint_text(c, debug) << "\n";
  }
  if (s.finding) {
    out << "finding:     " << finding_name(s.finding->kind) << " in "
        << debug.place(s.finding->kind, s.finding->place).text() << "\n"
        << "             " << readable_finding(*s.finding, debug) << "\n"
        << "decisions:   " << s.finding->decisions.size() << ", by thread:";
    for (std::size_t i = 0; i < s.finding->decisions.size() && i < 64; ++i) {
      out << " " << s.finding->decisions[i].thread;
    }
    out << (s.finding->decisions.size() > 64 ? " ..." : "") << "\n";
  } else {
    out << "finding:     none\n";
  }
  return out.str();
}

}  // namespace rff
