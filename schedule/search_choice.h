// Which search a user asks for: NAME[:key=value,…], the value of --scheduler.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule_file.h"
#include "schedule/scheduler_table.h"

namespace rff {

// The quantity that a bound of the systematic search limits.
enum class ExplorationBound : std::uint8_t { kNone, kPreemptions, kDelays };

// The classes that the systematic search explores, and in which order.
struct SystematicChoice {
  enum class Classes : std::uint8_t { kInterleavings, kTraces, kReadsFrom };

  Classes classes = Classes::kTraces;
  Exploration::Rest pick = Exploration::Rest::kRandom;
  ExplorationBound bound = ExplorationBound::kNone;  // with kInterleavings
  std::uint32_t least = 0, most = 0;                 // the bound, raised step by step
  bool operator==(const SystematicChoice&) const = default;
};

// Plain data: a part of the memory that a campaign shares with its instances.
struct SearchChoice {
  // Which part of the default search proposes: all, or one alone.
  enum class Part : std::uint8_t {
    kAll,
    kFlips,
    kValues,
    kStates,
    kMutants,
    kRandom,
    kTurns,
    kCount
  };

  SchedulerKind scheduler = SchedulerKind::kRff;
  bool paper = false;      // with kRff: only the published loop
  bool feedback = true;    // with kRff: the published loop, which keeps nothing, if not
  Part only = Part::kAll;  // with kRff
  std::uint32_t depth = 3, bound = 2, stay = 1, end = 2;  // see RFF_SCHEDULER_PARAMETERS
  // With kSelective; `selected` is the file with kListed (read_selection).
  EventSelection::By select_by = EventSelection::By::kPlace;
  std::array<char, 1024> selected = {};
  SystematicChoice systematic = {};  // with kSystematic

  // The default search learns from the order of events as well as from reads-from.
  bool learns_from_order() const { return scheduler == SchedulerKind::kRff && !paper && feedback; }
  bool operator==(const SearchChoice&) const = default;
};

// Either a choice, or what the text must be.
struct ParsedChoice {
  std::optional<SearchChoice> choice;
  std::string error;
};
ParsedChoice parse_search(std::string_view text);
// The text that means this choice, with all parameters.
std::string search_text(const SearchChoice& choice);

// The names, for messages.
std::vector<std::string> search_names();
// For each of them what it does, its parameters and who published it.
std::string searches_help();

}  // namespace rff
