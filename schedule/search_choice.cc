#include "schedule/search_choice.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace rff {
namespace {

constexpr std::uint32_t kMostBound = 1'000'000;

constexpr std::string_view kParts[] = {"all",     "flips",  "values", "states",
                                       "mutants", "random", "turns"};
static_assert(std::size(kParts) == static_cast<std::size_t>(SearchChoice::Part::kCount));

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : &word == &words.back() ? " or " : ", ") + word;
  }
  return text;
}

constexpr std::string_view kClasses[] = {"interleavings", "traces", "reads-from"};
constexpr std::string_view kPicks[] = {"first", "last", "random"};
static_assert(std::size(kPicks) == static_cast<std::size_t>(Exploration::Rest::kReadsLast));

std::string listed_words(std::span<const std::string_view> words) {
  return listed({words.begin(), words.end()});
}

// Sets the field to the word's number. Returns an error, or an empty text.
template <typename Enum>
std::string set_word(std::string_view value, std::span<const std::string_view> words, Enum& field,
                     const char* key) {
  auto it = std::find(words.begin(), words.end(), value);
  if (it == words.end()) {
    return listed_words(words) + " for " + key;
  }
  field = static_cast<Enum>(it - words.begin());
  return "";
}

std::string parts() { return listed({std::begin(kParts), std::end(kParts)}); }

constexpr std::string_view kSelections[] = {"places", "site", "locks"};  // or a file
static_assert(std::size(kSelections) == static_cast<std::size_t>(EventSelection::By::kListed));

// Returns an error, or an empty text.
std::string set_selection(std::string_view value, SearchChoice& choice) {
  if (set_word(value, kSelections, choice.select_by, "set").empty()) {
    return "";
  }
  choice.select_by = EventSelection::By::kListed;
  if (value.empty() || value.size() >= choice.selected.size()) {
    return listed_words(kSelections) + " or the path of a file for set";
  }
  std::copy(value.begin(), value.end(), choice.selected.begin());
  return "";
}

// The field of a choice that a parameter sets; null if it has none.
std::uint32_t SearchChoice::*field_of(SchedulerParameter p) {
  return p == SchedulerParameter::kDepth   ? &SearchChoice::depth
         : p == SchedulerParameter::kBound ? &SearchChoice::bound
         : p == SchedulerParameter::kStay  ? &SearchChoice::stay
         : p == SchedulerParameter::kEnd   ? &SearchChoice::end
                                           : nullptr;
}

template <typename Visit>
void for_each_parameter(SchedulerKind scheduler, Visit visit) {
  for (std::size_t i = 0; i < std::size(kSchedulerParameters); ++i) {
    auto p = static_cast<SchedulerParameter>(i);
    if (scheduler_row(scheduler).has(p) && parameter_row(p).set_by == ChosenBy::kUser) {
      visit(p);
    }
  }
}

std::vector<std::string> keys_of(SchedulerKind scheduler) {
  std::vector<std::string> keys;
  if (scheduler == SchedulerKind::kRff) {
    keys = {"only", "feedback"};
  }
  if (scheduler == SchedulerKind::kSystematic) {
    keys = {"classes", "pick", "preemptions", "delays"};
  }
  if (scheduler == SchedulerKind::kSelective) {
    keys = {"set"};
  }
  for_each_parameter(scheduler,
                     [&](SchedulerParameter p) { keys.emplace_back(parameter_row(p).name); });
  return keys;
}

std::string set_number(std::string_view value, SchedulerParameter p, SearchChoice& choice) {
  const ParameterRow& row = parameter_row(p);
  std::uint32_t number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < row.least ||
      number > row.most) {
    return "a whole number from " + std::to_string(row.least) + " to " + std::to_string(row.most) +
           " for " + std::string(row.name);
  }
  choice.*field_of(p) = number;
  return "";
}

// N or N..M.
std::string set_bound(std::string_view value, ExplorationBound bound, SystematicChoice& choice) {
  auto number = [](std::string_view text, std::uint32_t& n) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc() && end == text.data() + text.size() && n <= kMostBound;
  };
  std::size_t dots = value.find("..");
  std::string_view last = dots == std::string_view::npos ? value : value.substr(dots + 2);
  choice.bound = bound;
  if (!number(value.substr(0, dots), choice.least) || !number(last, choice.most) ||
      choice.least > choice.most) {
    return "a number of at most " + std::to_string(kMostBound) + " or a range such as 0..3 for " +
           (bound == ExplorationBound::kDelays ? "delays" : "preemptions");
  }
  return "";
}

// Returns an error, or an empty text; nothing if there is no such key.
std::optional<std::string> set_systematic(std::string_view key, std::string_view value,
                                          SystematicChoice& choice) {
  if (key == "classes") {
    return set_word(value, kClasses, choice.classes, "classes");
  }
  if (key == "pick") {
    return set_word(value, kPicks, choice.pick, "pick");
  }
  if (key == "preemptions" || key == "delays") {
    return set_bound(value,
                     key == "delays" ? ExplorationBound::kDelays : ExplorationBound::kPreemptions,
                     choice);
  }
  return std::nullopt;
}

// Returns an error, or an empty text.
std::string set(std::string_view name, std::string_view key, std::string_view value,
                SearchChoice& choice) {
  if (choice.scheduler == SchedulerKind::kRff && key == "only") {
    const auto* part = std::find(std::begin(kParts), std::end(kParts), value);
    choice.only = static_cast<SearchChoice::Part>(part - std::begin(kParts));
    return part != std::end(kParts) ? "" : parts() + " for only";
  }
  if (choice.scheduler == SchedulerKind::kRff && key == "feedback") {
    choice.feedback = value == "on";
    return value == "on" || value == "off" ? "" : "on or off for feedback";
  }
  if (choice.scheduler == SchedulerKind::kSelective && key == "set") {
    return set_selection(value, choice);
  }
  if (choice.scheduler == SchedulerKind::kSystematic) {
    if (auto error = set_systematic(key, value, choice.systematic)) {
      return *error;
    }
  }
  std::string error;
  bool known = false;
  for_each_parameter(choice.scheduler, [&](SchedulerParameter p) {
    if (parameter_row(p).name == key) {
      known = true;
      error = set_number(value, p, choice);
    }
  });
  if (known) {
    return error;
  }
  std::vector<std::string> keys = keys_of(choice.scheduler);
  std::string given = ", which has no parameter '" + std::string(key) + "'";
  return std::string(name) + (keys.empty() ? given : " with " + listed(keys) + given);
}

}  // namespace

std::vector<std::string> search_names() {
  std::vector<std::string> names;
  for (const SchedulerRow& row : scheduler_table::kRows) {
    if (row.chosen_by == ChosenBy::kUser) {
      names.emplace_back(row.name);
    }
  }
  return names;
}

ParsedChoice parse_search(std::string_view text) {
  std::size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  std::optional<SchedulerKind> kind = scheduler_from_name(name);
  if (!kind || scheduler_row(*kind).chosen_by != ChosenBy::kUser) {
    return {std::nullopt, listed(search_names())};
  }
  SearchChoice choice = {.scheduler = *kind};
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (colon != std::string_view::npos && rest.empty()) {
    return {std::nullopt, "NAME:KEY=VALUE,..."};
  }
  while (!rest.empty()) {
    std::size_t comma = rest.find(',');
    std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    std::size_t equals = item.find('=');
    std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
    std::string error = set(name, item.substr(0, equals), value, choice);
    if (!error.empty()) {
      return {std::nullopt, error};
    }
  }
  if (choice.systematic.bound != ExplorationBound::kNone) {
    if (text.find("classes=") != std::string_view::npos &&
        choice.systematic.classes != SystematicChoice::Classes::kInterleavings) {
      return {std::nullopt, "classes=interleavings with preemptions or delays"};
    }
    choice.systematic.classes = SystematicChoice::Classes::kInterleavings;
  }
  return {choice, ""};
}

std::string search_text(const SearchChoice& choice) {
  std::string text(scheduler_name(choice.scheduler));
  char separator = ':';
  auto add = [&](std::string_view key, std::string_view value) {
    text += separator + std::string(key) + "=" + std::string(value);
    separator = ',';
  };
  if (choice.only != SearchChoice::Part::kAll) {
    add("only", kParts[static_cast<unsigned>(choice.only)]);
  }
  if (!choice.feedback) {
    add("feedback", "off");
  }
  if (choice.select_by != EventSelection::By::kPlace) {
    add("set", choice.select_by == EventSelection::By::kListed
                   ? std::string_view(choice.selected.data())
                   : kSelections[static_cast<unsigned>(choice.select_by)]);
  }
  if (choice.scheduler == SchedulerKind::kSystematic) {
    const SystematicChoice& s = choice.systematic;
    add("classes", kClasses[static_cast<unsigned>(s.classes)]);
    add("pick", kPicks[static_cast<unsigned>(s.pick)]);
    if (s.bound != ExplorationBound::kNone) {
      add(s.bound == ExplorationBound::kDelays ? "delays" : "preemptions",
          s.least == s.most ? std::to_string(s.most)
                            : std::to_string(s.least) + ".." + std::to_string(s.most));
    }
  }
  for_each_parameter(choice.scheduler, [&](SchedulerParameter p) {
    add(parameter_row(p).name, std::to_string(choice.*field_of(p)));
  });
  return text;
}

std::string searches_help() {
  constexpr std::size_t kNameColumn = 12;
  const std::string indent(kNameColumn, ' ');
  std::string text;
  for (const SchedulerRow& row : scheduler_table::kRows) {
    if (row.chosen_by != ChosenBy::kUser) {
      continue;
    }
    text += std::string(row.name) + std::string(kNameColumn - row.name.size(), ' ') +
            std::string(row.help) + "\n" + indent + std::string(row.source) + "\n";
    SchedulerKind kind = *scheduler_from_name(row.name);
    if (kind == SchedulerKind::kRff) {
      text += indent + "only=" + parts() +
              ": one part of it alone; feedback=off: the published search, which keeps nothing\n";
    }
    if (kind == SchedulerKind::kSelective) {
      text += indent + "set=places: a schedule draws a place in memory; site: a place in code; " +
              "locks: all\n" + indent + "that take a lock; FILE: what is listed there, a " +
              "PROGRAM+0xOFFSET in each line\n";
    }
    if (kind == SchedulerKind::kSystematic) {
      text += indent + "classes=traces: runs with the same order of conflicting steps are one; " +
              "interleavings: none are;\n" + indent +
              "reads-from: those in which every read reads from the same write are\n" + indent +
              "pick=random: which of them comes next; first, last\n" + indent +
              "preemptions=N, delays=N: interleavings with at most so many; N..M: step by step\n";
    }
    for_each_parameter(kind, [&](SchedulerParameter p) {
      const ParameterRow& r = parameter_row(p);
      text += indent + std::string(r.name) + "=" + std::to_string(r.initial) + ": " +
              std::string(r.help) + "\n";
    });
  }
  return text;
}

}  // namespace rff
