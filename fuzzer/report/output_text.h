// What a program printed, as a file: output.txt in a finding's folder.
#pragma once

#include <string>

#include "fuzzer/run/run.h"

namespace rff {

// Where the beginning is missing a first line says so.
inline std::string output_text(const Run& run) {
  return (run.output_left_out > 0 ? "[rff: " + std::to_string(run.output_left_out) +
                                        " bytes before this are left out]\n"
                                  : "") +
         run.output;
}

}  // namespace rff
