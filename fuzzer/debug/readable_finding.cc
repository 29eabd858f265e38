#include "fuzzer/debug/readable_finding.h"

#include "fuzzer/common/finding_words.h"

namespace rff {
namespace {

CodeWords readable_code(const Finding& finding, DebugInfo& debug) {
  return [&](CodeName code) {
    return debug.module(code.module) != nullptr ? debug.place(code).text()
                                                : code_words(finding, code);
  };
}

}  // namespace

std::string readable_finding(const Finding& finding, DebugInfo& debug) {
  const std::string& old = finding.failure.version_2_text;
  return old.empty() ? finding_words(finding, readable_code(finding, debug))
                     : debug.with_places(old);
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
