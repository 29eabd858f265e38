#include "fuzzer/debug/readable_finding.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "fuzzer/common/finding_words.h"

namespace rff {
namespace {

const std::vector<CodeName>& frames_of(const Finding& finding, std::uint32_t thread) {
  static const std::vector<CodeName> kNone;
  for (const FailureStack& s : finding.failure.stacks) {
    if (s.thread == thread) {
      return s.frames;
    }
  }
  return kNone;
}

// The place where the holder took a lock is only named if it is the program's own code: without a
// trace the caller of the library is unknown.
CodeWords readable_code(const Finding& finding, DebugInfo& debug) {
  return [&](const CodeUse& use) {
    if (debug.module(use.code.module) == nullptr) {
      return code_words(finding, use.code);
    }
    if (use.taken != nullptr) {
      Place since = debug.held_place(use.taken->holder, use.taken->address, use.code);
      return since.in_library() ? std::string() : since.text();
    }
    return debug.own_place(frames_of(finding, use.thread), debug.place(use.code)).text();
  };
}

}  // namespace

bool needs_callers(const Finding& finding, DebugInfo& debug) {
  const auto& waits = finding.failure.waits;
  return finding.kind == FindingKind::kDeadlock &&
         std::any_of(waits.begin(), waits.end(), [&](const FailureWait& w) {
           return w.held_since != CodeName{} &&
                  debug.place(w.held_since, DebugInfo::Code::kReturnAddress).in_library();
         });
}

// A memory error is that of an instruction or of a called function. The stack tells which: its
// frames are in the calls, and not behind them.
static bool is_return_address(CodeName code, const Failure& f) {
  return !f.stacks.empty() && std::any_of(f.stacks.front().frames.begin(),
                                          f.stacks.front().frames.end(), [&](CodeName frame) {
                                            return frame.module == code.module &&
                                                   frame.offset + 1 == code.offset;
                                          });
}

Place finding_place(const Finding& finding, DebugInfo& debug) {
  const Failure& f = finding.failure;
  bool returns = is_memory_error(finding.kind) && is_return_address(finding.place, f);
  Place place = returns ? debug.place(finding.place, DebugInfo::Code::kReturnAddress)
                        : debug.place(finding.kind, finding.place);
  if (!fails_together(finding.kind)) {
    return f.stacks.empty() ? place : debug.own_place(f.stacks.front().frames, place);
  }
  for (const FailureWait& w : f.waits) {
    if (w.site == finding.place) {
      return debug.own_place(frames_of(finding, w.thread), place);
    }
  }
  return place;
}

std::string readable_finding(const Finding& finding, DebugInfo& debug) {
  const std::string& old = finding.failure.version_2_text;
  return old.empty() ? finding_words(finding, readable_code(finding, debug))
                     : debug.with_places(old);
}

std::string readable_report(const Finding& finding, DebugInfo& debug) {
  constexpr std::string_view kOffset = "+0x";
  std::istringstream report(finding.failure.report);
  std::string text;
  for (std::string line; std::getline(report, line); text += line + "\n") {
    // Lines look like "    #1 0x555555555189  (/tmp/prog+0x1189) (BuildId: …)".
    if (line.find("/libsched.so+0x") != std::string::npos) {
      line = line.substr(0, line.find(" 0x")) + " (RFF)";
      continue;
    }
    std::size_t number = line.find_first_not_of(' ');
    std::size_t path = line.find("  (/");
    std::size_t offset = line.find(kOffset, std::min(path, line.size()));
    if (number == std::string::npos || line[number] != '#' || offset == std::string::npos) {
      continue;
    }
    std::uint32_t module = module_hash(line.substr(path + 3, offset - path - 3));
    auto code = static_cast<std::uint32_t>(
        std::strtoul(line.c_str() + offset + kOffset.size(), nullptr, 16));
    if (debug.module(module) != nullptr) {
      line = line.substr(0, path) + " in " +
             debug.place({module, code}, DebugInfo::Code::kReturnAddress).text();
    }
  }
  return text;
}

std::string readable_summary(const Finding& finding, DebugInfo& debug) {
  if (std::string old = finding.failure.version_2_text; !old.empty()) {
    std::string kind = std::string(finding_name(finding.kind)) + ": ";
    return fails_together(finding.kind)
               ? debug.with_places(old.starts_with(kind) ? old.substr(kind.size()) : old)
               : old;
  }
  std::string text = short_finding_words(finding, readable_code(finding, debug));
  return text.empty() ? std::string(finding_name(finding.kind)) : text;
}

}  // namespace rff
