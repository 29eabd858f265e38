// Reads a folder of schedule files, such as an initial corpus.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff {

// An upper bound of the size of a schedule file. All decisions that a run can report take 16 MiB,
// and a file may hold them twice.
inline constexpr std::size_t kMostScheduleBytes = std::size_t{64} << 20;
// "larger than any schedule (64 MiB)"
std::string too_large_words();

struct CorpusFolder {
  std::vector<std::filesystem::path> files;  // in order of their names
  std::vector<Schedule> schedules;           // one for each file
  std::vector<std::string> left_out;         // other files, as "NAME (why)"; folders are ignored
};

CorpusFolder load_corpus(const std::string& folder);

}  // namespace rff
