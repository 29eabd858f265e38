#include "fuzzer/debug/readable_finding.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

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

std::string readable_report(const Finding& finding, DebugInfo& debug) {
  constexpr std::string_view kOffset = "+0x";
  std::istringstream report(finding.failure.report);
  std::string text;
  for (std::string line; std::getline(report, line); text += line + "\n") {
    // "    #1 0x555555555189  (/tmp/prog+0x1189) (BuildId: …)"
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
