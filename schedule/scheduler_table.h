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
// Enumerator, field of Schedule, name, who may set it, default, least, most, help line.
#define RFF_SCHEDULER_PARAMETERS(row)                                                            \
  row(kDepth, pct_depth, "depth", kUser, 3, 1, UINT32_MAX,                                       \
      "bug depth: the number of priority changes, or of extra periods, plus one")                \
  row(kLength, pct_length, "length", kSearch, 0, 0, UINT32_MAX,                                  \
      "estimated number of scheduling points of a run; 0: unknown")                              \
  row(kPatience, patience, "patience", kSearch, 1000, 0, UINT32_MAX,                             \
      "decisions a constraint may hold a thread back")                                           \
  row(kBound, delay_bound, "bound", kUser, 2, 0, 1'000'000,                                      \
      "number of delays in a run")                                                               \
  row(kStay, bytes_stay, "stay", kUser, 1, 0, 1,                                                 \
      "1: byte 0 lets the running thread go on, b takes the b-th other; 0: the b-th thread")     \
  row(kEnd, bytes_end, "end", kUser, 2, 0, 3,                                                    \
      "after the last byte: 0 the first thread, 1 no preemption, 2 pos, 3 ends the run")

// Enumerator, factory, name, who may choose it, parameters, help line, source.
#define RFF_SCHEDULERS(row)                                                                      \
  row(kRff, reads_from, "rff", kUser, parameter_set(kPatience),                                  \
      "the default: a portfolio of searches that learn from every run",                          \
      "Wolff, Shi, Duck, Mathur, Roychoudhury: Greybox Fuzzing for Concurrency Testing, 2024")   \
  row(kPos, pos, "pos", kUser, 0,                                                                \
      "partial order sampling: random priorities, drawn anew where events race",                 \
      "Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, 2018")                          \
  row(kBpos, basic_pos, "bpos", kUser, 0,                                                        \
      "basic partial order sampling: one random priority for each event, never drawn anew",      \
      "Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, 2018")                          \
  row(kPct, pct, "pct", kUser, parameter_set(kDepth, kLength),                                   \
      "random priorities of threads that change depth-1 times",                                  \
      "Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler, 2010")               \
  row(kRandom, random_walk, "random", kUser, 0,                                                  \
      "every thread that can run is equally likely",                                             \
      "Thomson, Donaldson, Betts: Concurrency Testing Using Controlled Schedulers, 2016")        \
  row(kUniform, uniform_walk, "urw", kUser, 0,                                                   \
      "a thread is as likely as it has events left, so that all orders are equally likely",      \
      "Zhao et al.: Selectively Uniform Concurrency Testing, 2025")                              \
  row(kSelective, selective_walk, "surw", kUser, 0,                                              \
      "as urw, for the accesses to one place that each schedule draws",                          \
      "Zhao et al.: Selectively Uniform Concurrency Testing, 2025")                              \
  row(kQLearning, q_learning, "ql", kUser, 0,                                                    \
      "learns to avoid what was done often in a state: pending events and last writers",         \
      "Mukherjee et al.: Learning-Based Controlled Concurrency Testing, 2020")                   \
  row(kQLearningRf, q_learning_rf, "ql-rf", kUser, 0,                                            \
      "as ql, where the state is the set of reads-from pairs so far",                            \
      "Wolff, Shi, Duck, Mathur, Roychoudhury: Greybox Fuzzing for Concurrency Testing, 2024")   \
  row(kDelay, delay, "delay", kUser, parameter_set(kBound, kLength),                             \
      "threads in order of creation without preemption, but for some delays",                    \
      "Emmi, Qadeer, Rakamaric: Delay-Bounded Scheduling, 2011")                                 \
  row(kPeriod, steady, "period", kUser, parameter_set(kDepth),                                   \
      "all schedules of few periods, each of one thread; made one after the other",              \
      "Wen et al.: Controlled Concurrency Testing via Periodical Scheduling, 2022")              \
  row(kSystematic, systematic, "systematic", kUser, 0,                                           \
      "everything there is, each class of schedules once, with a verdict",                       \
      "Abdulla et al.: Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction")   \
  row(kBytes, bytes, "bytes", kUser, parameter_set(kStay, kEnd),                                 \
      "every decision is a byte of a string, which is mutated as fuzzers mutate inputs",         \
      "Wachholz: Taming pthreads: Deterministic and Explorable Concurrency Fuzzing, 2023")       \
  row(kWindow, window, "window", kSearch, parameter_set(kPatience),                              \
      "as rff, but rather interrupts a thread between two accesses to one place", "")            \
  row(kSteady, steady, "steady", kSearch, 0,                                                     \
      "no preemption: a thread runs as long as it can", "")                                      \
  row(kRoundRobin, round_robin, "round-robin", kSearch, 0,                                       \
      "the first thread as far as it goes, then every point another thread", "")
// clang-format on

namespace rff {

enum class SchedulerParameter : std::uint8_t {
#define RFF_ENUMERATOR(enumerator, ...) enumerator,
  RFF_SCHEDULER_PARAMETERS(RFF_ENUMERATOR) kCount
};

enum class SchedulerKind : std::uint8_t { RFF_SCHEDULERS(RFF_ENUMERATOR) kCount };
#undef RFF_ENUMERATOR

enum class ChosenBy : std::uint8_t {
  kUser,    // --scheduler
  kSearch,  // the fuzzer's own strategies only
};

struct ParameterRow {
  std::string_view name;
  ChosenBy set_by;
  std::uint32_t initial, least, most;
  std::string_view help;
};

struct SchedulerRow {
  std::string_view name;
  ChosenBy chosen_by;
  std::uint32_t parameters;  // one bit for each of its SchedulerParameters
  std::string_view help;
  std::string_view source;  // who published it

  constexpr bool has(SchedulerParameter p) const {
    return (parameters >> static_cast<unsigned>(p) & 1) != 0;
  }
};

namespace scheduler_table {

using enum SchedulerParameter;
using enum ChosenBy;

inline constexpr ParameterRow kParameters[] = {
#define RFF_ROW(enumerator, field, name, set_by, initial, least, most, help) \
  {name, set_by, initial, least, most, help},
    RFF_SCHEDULER_PARAMETERS(RFF_ROW)
#undef RFF_ROW
};

template <typename... Parameters>
constexpr std::uint32_t parameter_set(Parameters... p) {
  return ((1u << static_cast<unsigned>(p)) | ...);
}

inline constexpr SchedulerRow kRows[] = {
#define RFF_ROW(enumerator, factory, name, chosen_by, parameters, help, source) \
  {name, chosen_by, parameters, help, source},
    RFF_SCHEDULERS(RFF_ROW)
#undef RFF_ROW
};

}  // namespace scheduler_table

inline constexpr auto& kSchedulerParameters = scheduler_table::kParameters;

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
