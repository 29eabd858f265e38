#include "command_line/command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

extern const char rff_commit[];  // of the build; empty if unknown

namespace rff {
namespace {

constexpr std::size_t kLongestWord = 40;

// Edit distance: the number of letters to insert, remove or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::vector<std::string> split_names(const std::string& names) {
  std::size_t comma = names.find(',');
  return comma == std::string::npos
             ? std::vector<std::string>{names}
             : std::vector<std::string>{names.substr(0, comma), names.substr(comma + 1)};
}

// Writes "-o, --output" for "-o,--output", as manuals do, without moving what comes after it.
std::string spaced_names(std::string help) {
  for (std::size_t at = 0; (at = help.find("\n  -", at)) != std::string::npos; ++at) {
    std::size_t comma = at + 5;  // behind the letter
    if (help.compare(comma, 3, ",--") == 0) {
      help.insert(comma + 1, " ");
      std::size_t gap = help.find("  ", comma);
      if (gap < help.find('\n', comma) && help.compare(gap, 3, "   ") == 0) {
        help.erase(gap, 1);
      }
    }
  }
  return help;
}

}  // namespace

std::string shown(std::string_view word) {
  std::string text(word.substr(0, kLongestWord));
  for (char& c : text) {
    c = static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  }
  text += word.size() > kLongestWord ? "..." : "";
  return text.empty() ? "''" : text;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

void print_error(std::string_view program, std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(program.size()), program.data(),
               line.c_str());
}

std::string read_whole(const std::string& value, std::uint64_t least, std::uint64_t most,
                       std::uint64_t& result) {
  const char* end = value.data() + value.size();
  std::uint64_t n = 0;
  auto [rest, error] = std::from_chars(value.data(), end, n);
  if (error == std::errc() && rest == end && n >= least && n <= most) {
    result = n;
    return {};
  }
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

std::string read_seconds(const std::string& value, double least, double& result) {
  constexpr double kMost = 1000.0 * 24 * 3600;
  struct Unit {
    std::string_view suffix;
    double seconds;
  };
  constexpr Unit kUnits[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
  const char* end = value.data() + value.size();
  double n = 0;
  auto [rest, error] = std::from_chars(value.data(), end, n, std::chars_format::general);
  for (const Unit& unit : kUnits) {
    if (error == std::errc() && std::string_view(rest, end) == unit.suffix && std::isfinite(n) &&
        n * unit.seconds >= least && n * unit.seconds <= kMost) {
      result = n * unit.seconds;
      return {};
    }
  }
  return least > 0 ? "a time above 0 such as 90, 90s, 10m or 8h, at most 24000h"
                   : "a time such as 90, 90s, 10m or 8h, at most 24000h";
}

CommandLine::CommandLine(About about)
    : about_(std::move(about)), app_(about_.description, about_.program) {
  app_.footer(about_.footer);
  app_.set_help_flag();
  flag(
      "-h,--help",
      [this] {
        print_help();
        answered_ = true;
      },
      "print this help");
  flag(
      "--version",
      [this] {
        std::string commit = rff_commit;
        std::printf("%s %s%s\n", about_.program.c_str(), RFF_VERSION,
                    commit.empty() ? "" : (" (" + commit + ")").c_str());
        answered_ = true;
      },
      "print the version");
}

void CommandLine::add(const std::string& names, Option option, const Help& help) {
  option.names = split_names(names);
  option.type = help.type;
  CLI::Option* listing = option.value == Option::kNeeded
                             ? app_.add_option(names, help.text)->type_name(help.type)
                             : app_.add_flag(names, help.text);
  if (option.value == Option::kAfterEquals) {
    listing->type_name("[=" + help.type + "]");
  }
  if (!help.initial.empty()) {
    listing->default_str(help.initial);
  }
  options_.push_back(std::move(option));
}

void CommandLine::flag(const std::string& names, std::function<void()> set,
                       const std::string& help) {
  auto take = [set = std::move(set)](const std::string&) {
    set();
    return std::string();
  };
  add(names, {.value = Option::kNone, .repeats = true, .take = take}, {"", help});
}

void CommandLine::option(const std::string& names, Take take, const Help& help) {
  add(names, {.value = Option::kNeeded, .take = std::move(take)}, help);
}

void CommandLine::option_with_bare(const std::string& names, const std::string& bare, Take take,
                                   const Help& help) {
  add(names, {.value = Option::kAfterEquals, .take = std::move(take), .bare = bare}, help);
}

void CommandLine::texts(const std::string& names, std::vector<std::string>& target,
                        const Help& help) {
  auto take = [&target](const std::string& value) {
    target.push_back(value);
    return std::string();
  };
  add(names, {.value = Option::kNeeded, .repeats = true, .take = take}, help);
}

void CommandLine::text(const std::string& names, std::string& target, const Help& help) {
  auto take = [&target](const std::string& value) {
    target = value;
    return std::string(value.empty() ? "a name" : "");
  };
  option(names, take, help);
}

void CommandLine::one_of(const std::string& names, const std::vector<std::string>& words,
                         std::function<void(const std::string&)> set, const Help& help) {
  auto take = [words, set = std::move(set)](const std::string& value) {
    if (std::find(words.begin(), words.end(), value) == words.end()) {
      return listed(words);
    }
    set(value);
    return std::string();
  };
  option(names, take, help);
}

void CommandLine::word(const std::string& name, std::string& target, const std::string& help) {
  app_.add_option(name, help)->required()->type_name("");
  words_.push_back({name, &target, true});
}

void CommandLine::optional_word(const std::string& name, std::string& target,
                                const std::string& help) {
  app_.add_option(name, help)->type_name("");
  words_.push_back({name, &target, false});
}

CommandLine::Option& CommandLine::find(const std::string& name) {
  std::string nearest;
  std::size_t least = 3;  // a word that differs in more letters is not a typing error
  for (Option& o : options_) {
    for (const std::string& known : o.names) {
      if (known == name) {
        return o;
      }
      if (std::size_t d = distance(known, name); d < least && known.size() > 2 + d) {
        nearest = known;
        least = d;
      }
    }
  }
  throw UsageError(shown(name) + ": no such option" +
                   (nearest.empty() ? "" : "; did you mean " + nearest + "?") + " (see " +
                   about_.program + " --help)");
}

void CommandLine::give(Option& option, const std::string& name, const std::string& value,
                       const std::string& as_typed) {
  if (option.given && !option.repeats) {
    throw UsageError(name + ": given twice; once is enough");
  }
  option.given = true;
  if (std::string allowed = option.take(value); !allowed.empty()) {
    throw UsageError(as_typed + ": must be " + allowed);
  }
}

std::size_t CommandLine::read_option(const std::vector<std::string>& words, std::size_t at) {
  const std::string& typed = words[at];
  bool is_long = typed.starts_with("--");
  std::size_t end = is_long ? std::min(typed.find('='), typed.size()) : 2;
  std::string name = typed.substr(0, end);
  Option& o = find(name);
  bool attached = end < typed.size();
  std::string value = attached ? typed.substr(end + (is_long ? 1 : 0)) : "";
  std::string equals = name + (is_long ? "=" : " ") + shown(value);
  if (o.value == Option::kNone && attached) {
    throw UsageError(equals + ": " + name + " takes no value");
  }
  if (o.value == Option::kAfterEquals) {
    give(o, name, attached ? value : o.bare, equals);
    return at + 1;
  }
  if (o.value == Option::kNone || attached) {
    give(o, name, value, equals);
    return at + 1;
  }
  if (at + 1 == words.size() || words[at + 1] == "--") {
    throw UsageError(name + ": its value is missing (" + name + " " + o.type + ")");
  }
  give(o, name, words[at + 1], name + " " + shown(words[at + 1]));
  return at + 2;
}

bool CommandLine::parse(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  bool options_end = false;
  for (std::size_t at = 0; at < words.size() && !answered_;) {
    const std::string& w = words[at];
    bool dashes = !options_end && w == "--";
    if (!options_end && !dashes && w.size() > 1 && w[0] == '-') {
      at = read_option(words, at);
    } else if (dashes && !about_.runs_a_program) {
      options_end = true;
      ++at;
    } else if (!dashes && words_given_ < words_.size()) {
      *words_[words_given_++].target = w;
      ++at;
    } else if (about_.runs_a_program) {
      command_.assign(words.begin() + static_cast<std::ptrdiff_t>(at + (dashes ? 1 : 0)),
                      words.end());
      break;
    } else {
      throw UsageError(shown(w) + ": one word too many: " + about_.usage);
    }
  }
  if (!answered_ && words_given_ < words_.size() && words_[words_given_].required) {
    throw UsageError("no " + words_[words_given_].name + " given: " + about_.usage);
  }
  return !answered_;
}

void CommandLine::print_help() const {
  std::string help = app_.help();
  std::size_t at = help.find("Usage: ");
  if (at != std::string::npos) {
    help.replace(at, help.find('\n', at) - at, "Usage: " + about_.usage);
  }
  std::fputs(spaced_names(help).c_str(), stdout);
}

}  // namespace rff
