// A folder of schedule files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff {

// More than any schedule has: all decisions that a run can report (16 MiB), twice, and the rest.
inline constexpr std::size_t kMostScheduleBytes = std::size_t{64} << 20;
// "larger than any schedule (64 MiB)"
std::string too_large_words();

struct CorpusFolder {
  std::vector<std::filesystem::path> files;  // in order of their names
  std::vector<Schedule> schedules;           // of each of them
  std::vector<std::string> left_out;         // the others: "NAME (why)". Folders are not mentioned
};

CorpusFolder load_corpus(const std::string& folder);

}  // namespace rff
