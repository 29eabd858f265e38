#include "fuzzer/campaign/options.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "command_line/command_line.h"
#include "fuzzer/common/campaign_memory.h"
#include "fuzzer/common/selection_file.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr std::uint64_t kAny = ~std::uint64_t{0};
constexpr std::uint64_t kAny32 = ~std::uint32_t{0};

constexpr char kExamples[] = R"(Examples:
  rff-fuzz ./prog input              fuzz the schedules of prog until Ctrl-C
  rff-fuzz --until-bug -t 1m ./prog  stop at the first bug, or after a minute
  rff-fuzz -n 1000 --seed 7 ./prog   1000 schedules, the same ones every time
  rff-fuzz -i - -o rff-out ./prog    go on with an earlier campaign
  rff-fuzz --inputs DIR ./prog @@    fuzz the file that prog reads, too
The first word that is no option (or what follows --) is the program; all after it are its arguments.
Standard input is read once and given to every run; without any it is empty. With --inputs every run has its own.
Exit status: 0 nothing found, 1 a bug was found, 2 bad usage or input, 3 the tool itself failed.)";

std::string read_preemption(const std::string& value, Preemption& result) {
  if (value == "any") {
    result = kAnyPreemption;
    return "";
  }
  if (value == "0" || value == "fair") {
    result = kNoPreemption;
    return "";
  }
  struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
  };
  for (const Unit& unit : {Unit{"us", 1000}, Unit{"ms", 1'000'000}, Unit{"s", 1'000'000'000}}) {
    std::uint64_t n = 0;
    if (value.ends_with(unit.name) &&
        read_whole(value.substr(0, value.size() - unit.name.size()), 0, 1'000'000, n).empty()) {
      result = n * unit.nanoseconds;
      return "";
    }
  }
  return "0, any, or a time such as 500us, 5ms or 1s";
}

void add_campaign_options(CommandLine& line, Options& o) {
  line.text("-i,--corpus", o.corpus,
            {"DIR", "corpus of schedules to start with; '-' resumes the campaign of -o"});
  line.text(
      "-o,--output", o.output,
      {"DIR", "output folder; auto: one for each program and arguments below rff-out", o.output});
  line.flag("--force", o.force, "overwrite the campaign in the output folder");
  line.whole("-n,--schedules", o.max_schedules, 0, kAny,
             {"N", "stop after N schedules; 0: no limit"});
  line.option("-t,--time",
              [&o](const std::string& value) { return read_seconds(value, 0, o.max_seconds); },
              {"TIME", "stop after this time (seconds, or 90s, 10m, 8h); 0: no limit"});
  line.flag("--until-bug", o.until_bug, "stop at the first finding");
}

void add_scheduling_options(CommandLine& line, Options& o) {
  line.option("--scheduler",
              [&o](const std::string& text) {
                ParsedChoice parsed = parse_search(text);
                if (parsed.choice) {
                  o.scheduler = text;
                  bool paper = o.search.paper;
                  o.search = *parsed.choice;
                  o.search.paper = paper;
                  make_selection_absolute(o.search);
                }
                return parsed.error;
              },
              {"NAME[:KEY=VALUE,...]", listed(search_names()) + "; see --help-schedulers", "rff"});
  line.flag(
      "--help-schedulers", [&o] { o.help_schedulers = true; },
      "print what each scheduler does, its parameters and who published it");
  line.flag("--paper", o.search.paper, "with rff: the search as it was published, nothing else");
  line.whole("--depth", o.depth, parameter_row(SchedulerParameter::kDepth).least, kAny32,
             {"D", "the same as depth=D after the scheduler's name", ""});
  line.whole("--seed", o.seed, 0, kAny,
             {"N", "the campaign repeats from it, schedule by schedule"});
  line.one_of("--carrier", {"auto", "fiber", "thread"},
              [&o](const std::string& name) { o.carrier = name; },
              {"NAME", "what threads run on: auto, fiber or thread", o.carrier});
  line.one_of("--points", {"racing", "shared"},
              [&o](const std::string& name) { o.racing_points = name == "racing"; },
              {"WHICH",
               "racing: threads stop at accesses that may race; shared: at every access to "
               "memory that two threads use",
               "racing"});
  line.option(
      "--timeouts", [&o](const std::string& value) { return read_preemption(value, o.timeouts); },
      {"TIME",
       "how long a thread may be preempted: a sleep or timed wait may end before another thread's "
       "next step if that is at most so long (500us, 5ms, 1s); 0: only when nothing else can run; "
       "any: at any point",
       "5ms"});
}

void add_stop_options(CommandLine& line, std::vector<std::string>& texts,
                      std::vector<std::string>& files, Options& o) {
  line.texts("--stop-at", texts,
             {"WHERE",
              "threads stop only there, and at thread primitives: function:PATTERN (its entry), "
              "file:GLOB[:LINE[-LINE]] and variable:NAME (accesses), calls (all functions' "
              "entries), accesses (those that may race), primitives (nowhere else); ' in:PATTERN' "
              "behind it: only while such a function is active; repeatable"});
  line.texts("--stop-at-file", files, {"FILE", "the same, one per line; # begins a comment"});
  line.flag("--list-stop-points", o.list_stop_points,
            "run the program once and print where its threads can stop, and how often they did");
}

// The parameters of the systematic search as options of their own.
void add_systematic_options(CommandLine& line, std::string& keys, Options& o) {
  auto parameter = [&](const char* name, const char* value, const char* help) {
    std::string key = std::string(name).substr(2);
    line.option(name,
                [&keys, key](const std::string& text) {
                  std::string one = key + "=" + text;
                  keys += (keys.empty() ? "" : ",") + one;
                  return parse_search("systematic:" + one).error;
                },
                {value, help, ""});
  };
  parameter("--classes", "WHICH",
            "with systematic: traces (the default), where runs with the same order of conflicting "
            "steps are one, reads-from, where those in which every read reads from the same write "
            "are, or interleavings");
  parameter("--pick", "WHICH", "with systematic: what comes next, random, first or last");
  parameter("--preemptions", "N|N..M",
            "with systematic: interleavings with at most so many preemptions; a range: step by "
            "step");
  parameter("--delays", "N|N..M", "with systematic: the same with delays");
  line.flag("--require-complete", o.require_complete,
            "with systematic: exit status 3 unless everything there is was explored");
}

void add_input_options(CommandLine& line, Options& o) {
  line.text(
      "--inputs", o.inputs,
      {"DIR|none",
       "fuzz the input too, beginning with the files of DIR or with an empty one: on standard "
       "input, or in a file if an argument is @@ (files: @@1 @@2 ...)"});
  line.texts("-x,--dictionary", o.dictionaries,
             {"FILE", "words for inputs, in AFL++'s format; repeatable"});
  line.whole("--max-input", o.max_input, 1, ProgramInput::kMost,
             {"BYTES", "the size of the largest input", std::to_string(o.max_input)});
  line.option("--input-as",
              [&o](const std::string& value) {
                bool variable = value.starts_with("env:") && value.size() > 4 &&
                                value.find('=') == std::string::npos;
                o.input_as_argument = value == "argument";
                o.input_variable = variable ? value.substr(4) : "";
                return variable || o.input_as_argument ? "" : "argument or env:NAME";
              },
              {"WAY", "argument: @@ stands for the input itself; env:NAME: a variable holds it"});
  line.flag("--input-only", o.input_only, "fuzz inputs under one schedule, for comparison");
  line.flag("--schedule-only", o.schedule_only,
            "fuzz schedules under the first input, for comparison");
  line.text("--property", o.property, {"NAME", "the property to fuzz; without it all are"});
  line.flag("--list-properties", o.list_properties, "print the program's properties");
}

void add_run_options(CommandLine& line, Options& o) {
  line.option_with_bare(
      "--exit-is-bug", "yes",
      [&o](const std::string& word) {
        o.exit_is_bug = word;
        return word == "auto" || word == "yes" || word == "no" ? "" : "auto, yes or no";
      },
      {"auto|yes|no",
       "whether a run that ends with a status other than 0 is a finding (auto, the default: if "
       "the program by itself ends with 0)"});
  line.flag(
      "--no-plain-run", [&o] { o.plain_run = false; },
      "do not run the program once by itself first");
  line.whole(
      "--processors", o.processors, 1, kMaxProcessors,
      {"N", "processors that the program sees, on every machine", std::to_string(o.processors)});
  line.whole("-j,--instances", o.instances, 1, kMaxInstances,
             {"N", "instances side by side", std::to_string(o.instances)});
  line.text("--libs", o.libraries,
            {"none|all|PATTERN,...",
             "shared libraries to patch too: none, all, or patterns; those that wait by system "
             "calls of their own, as OpenMP's does, and the C++ library's code for lists and maps "
             "are patched unless it is none"});
  line.whole(
      "--schedule-timeout", o.schedule_timeout_ms, 1, 1'000'000'000,
      {"MS", "a run longer than this is unresponsive", "20 times the plain run, at least 10000"});
  line.whole(
      "--skip-status", o.skip_status, 0, 255,
      {"N", "exit status for a program that creates no thread", std::to_string(o.skip_status)});
  line.one_of("--tests", {"gtest", "catch2", "libtest", "auto"},
              [&o](const std::string& name) { o.tests = name; },
              {"NAME",
               "each test of a program of this framework (gtest, catch2, libtest, or auto) on its "
               "own; -t is for all of them together, -n for each"});
  line.text("--filter", o.filter, {"GLOB", "with --tests: only tests with such names"});
  line.flag("--list-tests", o.list_tests, "with --tests: only print the names of the tests");
  line.flag("--unresponsive-is-bug", o.unresponsive_is_bug,
            "end with status 1 if a run was unresponsive");
}

void add_check_options(CommandLine& line, Options& o, std::optional<std::uint32_t>& quarantine) {
  line.option("--check",
              [&o](const std::string& words) {
                std::optional<std::uint32_t> bits = parse_check_words(words);
                o.checks.bits = bits.value_or(0);
                return bits ? "" : "none, or words of memory,stack,strict";
              },
              {"LIST",
               "errors to look for at every access: memory (use after free, overflow, double and "
               "invalid free), stack (frames of other threads that have returned), strict (also "
               "aligned loads that run over the end of a block); or none",
               "none"});
  line.whole("--quarantine", quarantine, 1, kMaxQuarantine,
             {"MIB", "with --check memory: freed blocks that are kept, in each run",
              std::to_string(kDefaultQuarantine)});
  line.texts("--check-ignore", o.checks.ignored,
             {"FUNCTION",
              "with --check: this function, or those that the pattern matches, may use memory that "
              "is not theirs; repeatable"});
}

void set_quarantine(const std::optional<std::uint32_t>& quarantine, Options& o) {
  if (!quarantine) {
    return;
  }
  if (!o.checks.has(kCheckMemory)) {
    throw bad_usage("--quarantine goes with --check memory only");
  }
  auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  std::uint64_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) >> 20;
  if (*quarantine > most) {
    throw bad_usage("--quarantine " + std::to_string(*quarantine) + ": this machine has only " +
                    std::to_string(most) + " MiB of memory");
  }
  o.checks.quarantine = *quarantine;
}

void add_display_options(CommandLine& line, Options& o) {
  line.flag("--quiet", o.quiet, "no progress, findings and summary only");
  line.flag("--explain-search", o.explain_search,
            "print every few seconds which part of the search proposed what and what it brought");
  line.text("--junit", o.exports.junit, {"F", "write JUnit XML at the end; see rff-report"});
  line.text("--sarif", o.exports.sarif, {"F", "write SARIF at the end; see rff-report"});
  line.flag("--json", o.json, "print stats.json at the end, and all else on standard error");
  line.flag("--afl-ui", o.afl_ui,
            "show AFL++'s own screen; afl-whatsup and afl-plot work on OUTPUT/afl");
}

void add_repetition_options(CommandLine& line, Options& o) {
  line.flag(
      "--no-audit", [&o] { o.audit = false; },
      "do not repeat the first 20 schedules and one in 1000 to check determinism");
  line.flag("--check-determinism", o.check_determinism,
            "only run 20 schedules (or -n) twice each, compare the runs, and name the first value "
            "that differs and where it comes from; status 3 if there is one");
  line.whole("--minimize", o.minimize_runs, 0, kAny,
             {"RUNS", "runs spent on a shorter schedule for each finding (minimized.bin); 0: none",
              std::to_string(o.minimize_runs)});
}

void set_stops(const std::vector<std::string>& texts, const std::vector<std::string>& files,
               Options& o) {
  for (const std::string& text : texts) {
    ParsedStopSpec parsed = parse_stop_spec(text);
    if (!parsed.spec) {
      throw bad_usage("--stop-at " + shown(text) + ": must be " + parsed.error);
    }
    o.stops.push_back(std::move(*parsed.spec));
  }
  for (const std::string& file : files) {
    std::vector<StopSpec> more = read_stop_file(file);
    o.stops.insert(o.stops.end(), more.begin(), more.end());
  }
}

void set_systematic(const std::string& keys, Options& o) {
  if (o.search.scheduler != SchedulerKind::kSystematic) {
    throw bad_usage("--" + keys.substr(0, keys.find('=')) +
                    " goes with --scheduler systematic only");
  }
  bool has_more = o.scheduler.find(':') != std::string::npos;
  ParsedChoice parsed = parse_search(o.scheduler + (has_more ? "," : ":") + keys);
  if (!parsed.choice) {
    throw bad_usage("--scheduler systematic: must be " + parsed.error);
  }
  o.search = *parsed.choice;
}

// bazel tells a test where its files belong.
void use_bazel(Options& o) {
  const char* xml = std::getenv("XML_OUTPUT_FILE");
  const char* folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  if (xml == nullptr || folder == nullptr || o.output != "auto") {
    return;
  }
  o.output = std::string(folder) + "/rff";
  if (!o.exports.any()) {
    o.exports.junit = xml;
  }
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CommandLine line(
      {.program = "rff-fuzz",
       .usage = "rff-fuzz [options] [--] PROG [ARGS...]",
       .description =
           "Fuzzes the thread schedules of a program: runs it again and again under schedules of "
           "our choosing, learns from each run, and keeps those that crash, fail an assertion, "
           "deadlock or hang.",
       .footer = kExamples});
  add_campaign_options(line, o);
  add_scheduling_options(line, o);
  std::string systematic;
  add_systematic_options(line, systematic, o);
  std::vector<std::string> stops, stop_files;
  add_stop_options(line, stops, stop_files, o);
  add_input_options(line, o);
  add_run_options(line, o);
  std::optional<std::uint32_t> quarantine;
  add_check_options(line, o, quarantine);
  add_display_options(line, o);
  add_repetition_options(line, o);
  try {
    if (!line.parse(argc, argv)) {
      return std::nullopt;
    }
  } catch (const UsageError& error) {
    throw bad_usage(error.what());
  }
  if (o.help_schedulers) {
    std::fputs(searches_help().c_str(), stdout);
    return std::nullopt;
  }
  o.search.depth = o.depth.value_or(o.search.depth);
  if (!systematic.empty()) {
    set_systematic(systematic, o);
  }
  set_stops(stops, stop_files, o);
  set_quarantine(quarantine, o);
  if (line.command().empty()) {
    throw bad_usage("no program given: rff-fuzz [options] [--] PROG [ARGS...]");
  }
  o.command.assign(argv, argv + argc);
  o.program = line.command()[0];
  o.arguments.assign(line.command().begin() + 1, line.command().end());
  use_bazel(o);
  o.resume = o.corpus == "-";
  if (o.resume) {
    o.corpus.clear();
  }
  check_options(o);
  return o;
}

}  // namespace rff
