// The command line of a program: declared option by option, read in one way for all programs, and
// refused in one line that names the option, its value and what is allowed. CLI11 lays out the
// help.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rff {

// One line for the user; the exit status that goes with it is 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A user's word as it may stand in a message: printable and not long.
std::string shown(std::string_view word);
// "rff, pos, pct or random"
std::string listed(const std::vector<std::string>& words);
// "PROGRAM: text" on standard error, in one line whatever the text.
void print_error(std::string_view program, std::string_view text);

// Each returns what is allowed instead; empty if the value was taken.
std::string read_whole(const std::string& value, std::uint64_t least, std::uint64_t most,
                       std::uint64_t& result);
// "90", "1.5", "90s", "10m", "8h"
std::string read_seconds(const std::string& value, double least, double& result);

class CommandLine {
 public:
  struct About {
    std::string program;
    std::string usage;  // all of it: "rff-fuzz [options] [--] PROG [ARGS...]"
    std::string description;
    std::string footer;
    bool runs_a_program = true;  // the first word that is no option, after our own, ends ours
  };
  explicit CommandLine(About about);

  // `names`: "-n,--schedules". Takes the value; returns what is allowed instead, or nothing.
  using Take = std::function<std::string(const std::string& value)>;
  struct Help {
    std::string type;  // "N"
    std::string text;
    std::string initial = "";  // shown as the default
  };

  void flag(const std::string& names, std::function<void()> set, const std::string& help);
  void flag(const std::string& names, bool& target, const std::string& help) {
    flag(
        names, [&target] { target = true; }, help);
  }
  void option(const std::string& names, Take take, const Help& help);
  // Given without a value it is as if `bare` were given; with one, only after '='.
  void option_with_bare(const std::string& names, const std::string& bare, Take take,
                        const Help& help);
  // May be given again and again.
  void texts(const std::string& names, std::vector<std::string>& target, const Help& help);
  void text(const std::string& names, std::string& target, const Help& help);
  void one_of(const std::string& names, const std::vector<std::string>& words,
              std::function<void(const std::string&)> set, const Help& help);
  template <typename T>
  void whole(const std::string& names, T& target, std::uint64_t least, std::uint64_t most,
             const Help& help) {
    option(
        names,
        [&target, least, most](const std::string& value) {
          std::uint64_t n = 0;
          std::string allowed = read_whole(value, least, most, n);
          if (allowed.empty()) {
            target = n;
          }
          return allowed;
        },
        help);
  }
  // A word of our own without a name; it must be given.
  void word(const std::string& name, std::string& target, const std::string& help);

  // Throws UsageError. False if only --help or --version was asked for, and has been answered.
  bool parse(int argc, const char* const* argv);
  // The program to run and its arguments; empty if none was given.
  const std::vector<std::string>& command() const { return command_; }

 private:
  struct Option {
    std::vector<std::string> names;
    enum Value { kNone, kAfterEquals, kNeeded } value;
    bool repeats = false;
    Take take;
    std::string bare, type;
    bool given = false;
  };
  struct Word {
    std::string name;
    std::string* target;
  };
  void add(const std::string& names, Option option, const Help& help);
  Option& find(const std::string& name);
  // Reads the option at words[at]; returns the place of the next word.
  std::size_t read_option(const std::vector<std::string>& words, std::size_t at);
  void give(Option& option, const std::string& name, const std::string& value,
            const std::string& as_typed);
  void print_help() const;

  About about_;
  CLI::App app_;
  std::vector<Option> options_;
  std::vector<Word> words_;
  std::size_t words_given_ = 0;
  std::vector<std::string> command_;
  bool answered_ = false;  // --help or --version
};

}  // namespace rff
