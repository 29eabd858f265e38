// The command line parser of all programs of the project. A program declares its options one by
// one; a wrong command line is refused with one line that names the option, its value and the
// allowed values. CLI11 lays out the help.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rff {

// A mistake of the user. Its message is one line, and the program exits with status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the word in a form that is safe in a message: printable and shortened.
std::string shown(std::string_view word);
// Joins the words: "rff, pos, pct or random".
std::string listed(const std::vector<std::string>& words);
// Prints "PROGRAM: text" to standard error. Line breaks in the text are replaced.
void print_error(std::string_view program, std::string_view text);

// Each returns a description of the allowed values, or an empty text if the value was accepted.
std::string read_whole(const std::string& value, std::uint64_t least, std::uint64_t most,
                       std::uint64_t& result);
// Accepts "90", "1.5", "90s", "10m", "8h".
std::string read_seconds(const std::string& value, double least, double& result);

class CommandLine {
 public:
  struct About {
    std::string program;
    std::string usage;  // the whole line: "rff-fuzz [options] [--] PROG [ARGS...]"
    std::string description;
    std::string footer;
    bool runs_a_program = true;  // the first unnamed word after our own words ends our options
  };
  explicit CommandLine(About about);

  // Accepts the value of an option such as "-n,--schedules". Returns a description of the allowed
  // values if it refuses, else an empty text.
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
  // Without a value the option means `bare`. A value must follow after '='.
  void option_with_bare(const std::string& names, const std::string& bare, Take take,
                        const Help& help);
  // The option may be repeated; each value is appended.
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
  // Declares a positional word. It is required.
  void word(const std::string& name, std::string& target, const std::string& help);

  // The same for a word that may be missing. A program to run must then follow "--".
  void optional_word(const std::string& name, std::string& target, const std::string& help);

  // Throws UsageError. Returns false if --help or --version was requested and has been printed.
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
    bool required;
  };
  void add(const std::string& names, Option option, const Help& help);
  Option& find(const std::string& name);
  // Reads the option at words[at] and returns the index of the next word.
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
  bool answered_ = false;  // --help or --version has been printed
};

}  // namespace rff
