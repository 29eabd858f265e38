#include "fuzzer/replay/html_report.h"

#include "fuzzer/replay/json_report.h"
#include "fuzzer/replay/page.h"

namespace rff {

std::string html_report(const Report& report, DebugInfo& debug) {
  std::string data = page_data(report, debug);
  // Inside a script element only "</" could end it.
  for (std::size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3) {
    data.replace(at, 2, "<\\/");
  }
  constexpr std::string_view kMark = "@DATA@";
  std::string page(kPage);
  return page.replace(page.find(kMark), kMark.size(), data);
}

}  // namespace rff
