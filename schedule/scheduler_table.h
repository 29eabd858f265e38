// The table of all schedulers. The schedule file, the command line and its help, the runtime's
// factories and the tests are generated from it.
//
// To add a scheduler: one row here and one file with make_<factory>() beside the other schedulers
// of the runtime. Rows may be inserted anywhere: files name schedulers and parameters by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// clang-format off
// Enumerator, field of Schedule, name, default, least, most, help line.
#define RFF_SCHEDULER_PARAMETERS(row)                                                            \
  row(kDepth, pct_depth, "depth", 3, 1, UINT32_MAX,                                              \
      "bug depth: the number of priority changes plus one")                                      \
  row(kLength, pct_length, "length", 0, 0, UINT32_MAX,                                           \
      "estimated number of scheduling points of a run; 0: unknown")                              \
  row(kPatience, patience, "patience", 1000, 0, UINT32_MAX,                                      \
      "decisions a constraint may hold a thread back")

// Enumerator, factory, name, who may choose it, parameters, help line.
#define RFF_SCHEDULERS(row)                                                                      \
  row(kRff, reads_from, "rff", kUser, parameter_set(kPatience),                                  \
      "reads-from constraints, and pos where they leave a choice")                               \
  row(kPos, pos, "pos", kUser, 0,                                                                \
      "partial order sampling: random priorities of racing events")                              \
  row(kPct, pct, "pct", kUser, parameter_set(kDepth, kLength),                                   \
      "random priorities of threads that change depth-1 times")                                  \
  row(kRandom, random_walk, "random", kUser, 0,                                                  \
      "every thread that can run is equally likely")                                             \
  row(kWindow, window, "window", kSearch, parameter_set(kPatience),                              \
      "as rff, but rather interrupts a thread between two accesses to one place")                \
  row(kSteady, steady, "steady", kSearch, 0,                                                     \
      "no preemption: a thread runs as long as it can")                                          \
  row(kRoundRobin, round_robin, "round-robin", kSearch, 0,                                       \
      "the first thread as far as it goes, then every point another thread")
// clang-format on

namespace rff {

enum class SchedulerParameter : std::uint8_t {
#define RFF_ENUMERATOR(enumerator, ...) enumerator,
  RFF_SCHEDULER_PARAMETERS(RFF_ENUMERATOR) kCount
};

enum class SchedulerKind : std::uint8_t { RFF_SCHEDULERS(RFF_ENUMERATOR) kCount };
#undef RFF_ENUMERATOR

struct ParameterRow {
  std::string_view name;
  std::uint32_t initial, least, most;
  std::string_view help;
};

struct SchedulerRow {
  enum ChosenBy : std::uint8_t {
    kUser,    // a value of --scheduler
    kSearch,  // made by the fuzzer's own strategies only
  };
  std::string_view name;
  ChosenBy chosen_by;
  std::uint32_t parameters;  // one bit for each of its SchedulerParameters
  std::string_view help;

  constexpr bool has(SchedulerParameter p) const {
    return (parameters >> static_cast<unsigned>(p) & 1) != 0;
  }
};

inline constexpr ParameterRow kSchedulerParameters[] = {
#define RFF_ROW(enumerator, field, name, initial, least, most, help) \
  {name, initial, least, most, help},
    RFF_SCHEDULER_PARAMETERS(RFF_ROW)
#undef RFF_ROW
};

namespace scheduler_table {

using enum SchedulerParameter;
using enum SchedulerRow::ChosenBy;

template <typename... Parameters>
constexpr std::uint32_t parameter_set(Parameters... p) {
  return ((1u << static_cast<unsigned>(p)) | ...);
}

inline constexpr SchedulerRow kRows[] = {
#define RFF_ROW(enumerator, factory, name, chosen_by, parameters, help) \
  {name, chosen_by, parameters, help},
    RFF_SCHEDULERS(RFF_ROW)
#undef RFF_ROW
};

}  // namespace scheduler_table

constexpr const SchedulerRow& scheduler_row(SchedulerKind kind) {
  return scheduler_table::kRows[kind < SchedulerKind::kCount ? static_cast<unsigned>(kind) : 0];
}
constexpr const ParameterRow& parameter_row(SchedulerParameter p) {
  return kSchedulerParameters[static_cast<unsigned>(p)];
}

constexpr std::string_view scheduler_name(SchedulerKind kind) { return scheduler_row(kind).name; }
constexpr std::optional<SchedulerKind> scheduler_from_name(std::string_view name) {
  for (unsigned i = 0; i < static_cast<unsigned>(SchedulerKind::kCount); ++i) {
    if (scheduler_table::kRows[i].name == name) {
      return static_cast<SchedulerKind>(i);
    }
  }
  return std::nullopt;
}

}  // namespace rff
