#include "fuzzer/campaign/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "fuzzer/common/campaign_memory.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr char kExamples[] = R"(Examples:
  rff-fuzz -- ./prog input              fuzz the schedules of prog until Ctrl-C
  rff-fuzz --until-bug -t 60 -- ./prog  stop at the first bug, or after a minute
  rff-fuzz -n 1000 --seed 7 -- ./prog   1000 schedules, the same ones every time
  rff-fuzz -i - -o rff-out -- ./prog    go on with an earlier campaign
Standard input is read once and given to every run; without any it is empty.
Exit status: 0 nothing found, 1 a bug was found, 2 bad usage or input, 3 the tool itself failed.)";

// Everything after "--" belongs to the program and is never looked at.
std::vector<std::string> split_program(int argc, char** argv, std::vector<std::string>& program) {
  std::vector<std::string> own(argv + 1, argv + argc);
  auto dashes = std::find(own.begin(), own.end(), "--");
  if (dashes != own.end()) {
    program.assign(dashes + 1, own.end());
    own.erase(dashes, own.end());
  }
  std::reverse(own.begin(), own.end());  // as CLI11 wants it
  return own;
}

// "rff, pos, pct or random"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// Refuses every other value, in one line: CLI11 adds the name of the option.
CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](std::string& value) {
        bool known = std::find(words.begin(), words.end(), value) != words.end();
        return known ? std::string()
                     : "'" + value.substr(0, 40) + (value.size() > 40 ? "...'" : "'") +
                           " is not one of " + listed(words);
      },
      "");
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  for (const SchedulerRow& row : scheduler_table::kRows) {
    if (row.chosen_by == SchedulerRow::kUser) {
      names.emplace_back(row.name);
    }
  }
  return names;
}

std::string schedulers_help() {
  std::string text = "Schedulers:\n";
  for (const SchedulerRow& row : scheduler_table::kRows) {
    if (row.chosen_by == SchedulerRow::kUser) {
      text += "  " + std::string(row.name) + std::string(8 - row.name.size(), ' ') +
              std::string(row.help) + "\n";
    }
  }
  return text;
}

void add_campaign_options(CLI::App& app, Options& o) {
  app.add_option("-i,--input", o.input,
                 "corpus of schedules to start with; '-' resumes the campaign of -o")
      ->type_name("DIR");
  app.add_option("-o,--output", o.output, "output folder")->type_name("DIR")->capture_default_str();
  app.add_flag("--force", o.force, "overwrite the campaign in the output folder");
  app.add_option("-n,--schedules", o.max_schedules, "stop after N schedules; 0: no limit")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
  app.add_option("-t,--time", o.max_seconds, "stop after this time")->type_name("SECONDS");
  app.add_flag("--until-bug", o.until_bug, "stop at the first finding");
}

void add_scheduling_options(CLI::App& app, Options& o) {
  app.add_option_function<std::string>(
         "--scheduler", [&o](const std::string& name) { o.scheduler = *scheduler_from_name(name); },
         listed(scheduler_names()) + " (default rff)")
      ->type_name("NAME")
      ->check(one_of(scheduler_names()));
  app.add_flag("--paper", o.paper, "with rff: the search as it was published, nothing else");
  app.add_option("--depth", o.pct_depth, "bug depth for pct")
      ->type_name("D")
      ->capture_default_str();
  app.add_option("--seed", o.seed, "the campaign repeats from it, schedule by schedule")
      ->type_name("N");
  app.add_option("--carrier", o.carrier, "what threads run on: auto, fiber or thread")
      ->type_name("NAME")
      ->check(one_of({"auto", "fiber", "thread"}))
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--timeouts",
         [&o](const std::string& name) {
           o.timeouts = name == "any" ? TimeoutPolicy::kAny : TimeoutPolicy::kFair;
         },
         "fair: timed waits expire when nothing else can run; any: at any point "
         "(default fair)")
      ->type_name("POLICY")
      ->check(one_of({"fair", "any"}));
}

void add_run_options(CLI::App& app, Options& o) {
  app.add_flag("--exit-is-bug", o.exit_is_bug,
               "whether a run that ends with a status other than 0 is a finding: auto, yes or no, "
               "after '=' (without: yes; default auto: if the program by itself ends with 0)")
      ->transform([](const std::string& word) { return word == "true" ? "yes" : word; }, "")
      ->check(one_of({"auto", "yes", "no"}));
  app.add_flag_callback(
      "--no-plain-run", [&o] { o.plain_run = false; },
      "do not run the program once by itself first");
  app.add_option("-j,--instances", o.instances, "instances side by side")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--libs", o.libraries,
         "shared libraries to patch too: none, all, or patterns (default none, except those "
         "that wait by system calls of their own, as OpenMP's does)")
      ->type_name("none|all|PATTERN,...");
  app.add_option("--schedule-timeout", o.schedule_timeout_ms,
                 "a run longer than this is unresponsive")
      ->type_name("MS")
      ->capture_default_str();
  app.add_flag("--unresponsive-is-bug", o.unresponsive_is_bug,
               "end with status 1 if a run was unresponsive");
}

void add_display_options(CLI::App& app, Options& o) {
  app.add_flag("--quiet", o.quiet, "no progress, findings and summary only");
  app.add_flag("--afl-ui", o.afl_ui,
               "show AFL++'s own screen; afl-whatsup and afl-plot work on OUTPUT/afl");
}

void add_repetition_options(CLI::App& app, Options& o) {
  app.add_flag_callback(
      "--no-audit", [&o] { o.audit = false; },
      "do not repeat the first 20 schedules and one in 1000 to check determinism");
  app.add_option("--minimize", o.minimise_runs,
                 "runs spent on a shorter schedule for each finding (minimized.bin); 0: none")
      ->type_name("RUNS")
      ->capture_default_str();
}

void print_help(const CLI::App& app) {
  std::string help = app.help();
  constexpr std::string_view kUsage = "Usage: rff-fuzz [OPTIONS]";
  if (std::size_t at = help.find(kUsage); at != std::string::npos) {
    help.replace(at, kUsage.size(), "Usage: rff-fuzz [options] -- PROG [ARGS...]");
  }
  std::fputs(help.c_str(), stdout);
}

// Returns whether there is a campaign to run: --help and --version are answered here.
bool parse(CLI::App& app, std::vector<std::string> own) {
  try {
    app.parse(own);
    return true;
  } catch (const CLI::CallForHelp&) {
    print_help(app);
  } catch (const CLI::CallForVersion&) {
    std::printf("rff-fuzz %s\n", RFF_VERSION);
  } catch (const CLI::ParseError& e) {
    throw bad_usage(std::string(e.what()) + " (see rff-fuzz --help)");
  }
  return false;
}

// Refuses values that CLI11 lets through.
void check(const Options& o) {
  if (o.resume && o.force) {
    throw bad_usage("-i - keeps the campaign and --force throws it away: give one of them");
  }
  if (o.instances < 1 || o.instances > kMaxInstances) {
    throw bad_usage("-j must be between 1 and " + std::to_string(kMaxInstances));
  }
  if (o.max_seconds < 0) {
    throw bad_usage("-t must not be negative");
  }
  if (std::uint32_t least = parameter_row(SchedulerParameter::kDepth).least; o.pct_depth < least) {
    throw bad_usage("--depth must be at least " + std::to_string(least));
  }
  if (o.schedule_timeout_ms < 1) {
    throw bad_usage("--schedule-timeout must be at least 1 ms");
  }
  for (const std::string& argument : o.arguments) {
    if (argument.find("@@") != std::string::npos) {
      throw bad_usage("argument '" + argument +
                      "' contains @@, which AFL++ would replace; the input is fixed here, "
                      "so name the file itself");
    }
  }
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Fuzzes the thread schedules of a program: runs it again and again under schedules of our "
      "choosing, "
      "learns from each run, and keeps those that crash, fail an assertion, deadlock or hang.",
      "rff-fuzz");
  app.footer(schedulers_help() + kExamples);
  app.set_version_flag("--version", std::string("rff-fuzz ") + RFF_VERSION);
  add_campaign_options(app, o);
  add_scheduling_options(app, o);
  add_run_options(app, o);
  add_display_options(app, o);
  add_repetition_options(app, o);

  std::vector<std::string> program;
  if (!parse(app, split_program(argc, argv, program))) {
    return std::nullopt;
  }
  if (program.empty()) {
    throw bad_usage("no program given: rff-fuzz [options] -- PROG [ARGS...]");
  }
  o.program = program[0];
  o.arguments.assign(program.begin() + 1, program.end());
  o.resume = o.input == "-";
  if (o.resume) {
    o.input.clear();
  }
  check(o);
  return o;
}

}  // namespace rff
