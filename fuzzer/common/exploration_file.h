// systematic.bin in the output folder: how far a systematic search is, so that it can go on in
// another process. The file belongs to one program, one set of options and one build of rff.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rff {

inline constexpr char kExplorationFile[] = "systematic.bin";

// Hashes of everything that must be the same when a search goes on.
struct ExplorationIdentity {
  std::uint64_t build = 0;    // of rff
  std::uint64_t program = 0;  // the program, its arguments and its input
  std::uint64_t options = 0;  // what a run depends on otherwise
  bool operator==(const ExplorationIdentity&) const = default;
};

struct ExplorationFile {
  ExplorationIdentity identity;
  std::uint64_t seed = 0;
  std::uint64_t explored = 0;         // runs
  std::vector<std::uint64_t> points;  // scheduling points (PointName::packed)
  std::vector<std::string> unmodelled_calls, unpatched_modules;  // found so far
  std::string search;                                            // see FuzzCore::save
};

std::string encode_exploration(const ExplorationFile& file);

// Returns what is wrong with the bytes, empty if nothing is: not such a file, damaged, or of
// another version.
std::string decode_exploration(std::string_view bytes, ExplorationFile& file);

}  // namespace rff
