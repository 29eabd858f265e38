// The row that would put the example into kFormats of fuzzer/report/formats.cc.
#pragma once

#include "fuzzer/report/formats.h"

namespace rff {

std::string write_csv(const FindingReport& report);  // format_example.cc

inline constexpr ReportFormat kExampleFormats[] = {
    {"csv", ".csv", write_csv},
};

}  // namespace rff
