#include "fuzzer/campaign/preparation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "fuzzer/campaign/inputs.h"
#include "fuzzer/campaign/libraries.h"
#include "fuzzer/campaign/plain_run.h"
#include "fuzzer/campaign/stats.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/debug_link.h"
#include "fuzzer/debug/stop_resolver.h"
#include "fuzzer/run/patching.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

void require_same_command(const Options& options, const TargetFile& file,
                          const OutputFolder& output) {
  std::optional<Stats> stats = read_stats(output);
  if (stats && stats->stop_at != texts_of(options.stops)) {
    throw bad_usage("the campaign in " + output.path().string() +
                    " has other stop points: resume it with the same --stop-at (stop_at in its "
                    "stats.json), or choose another folder with -o");
  }
  if (stats && stats->processors != options.processors) {
    throw bad_usage("the campaign in " + output.path().string() + " was begun with --processors " +
                    std::to_string(stats->processors) +
                    ": give the same number, or choose another folder with -o");
  }
  if (stats && stats->checks != checks_text(options.checks)) {
    throw bad_usage("the campaign in " + output.path().string() + " was begun with --check " +
                    stats->checks + ": give the same, or choose another folder with -o");
  }
  if (!stats || (stats->target == file.path && stats->arguments == options.arguments)) {
    return;
  }
  std::string command = stats->target;
  for (const std::string& argument : stats->arguments) {
    command += " " + argument;
  }
  throw bad_usage("the campaign in " + output.path().string() + " is of another command (" +
                  command + "): resume it with that one, or choose another folder with -o");
}

void patch(const Options& options, const InputPlan& inputs, const Installation& installation,
           const std::string& from, const std::string& to, const std::string& functions = "") {
  bool calls = options.list_stop_points ||
               std::any_of(options.stops.begin(), options.stops.end(),
                           [](const StopSpec& spec) { return spec.needs_calls(); });
  patch_file(installation.instrument, from, to,
             {.calls = calls, .branches = wants_branches(inputs), .functions = functions});
  keep_debug_link(from, to);
}

// Patches the libraries that --libs names or that must be patched. The loader must find the patched
// copies, and the other libraries although moving the program has changed $ORIGIN.
void prepare_libraries(const Options& options, const Installation& installation,
                       const OutputFolder& output, Prepared& p) {
  bool moved = p.target.path != p.original;
  if (options.libraries == "none" && !moved) {
    return;
  }
  fs::path copies = output / "patched" / "libs";
  std::vector<std::string> originals;
  for (const Library& library : libraries_of(p.original)) {
    if (library.path.empty()) {
      throw bad_usage(p.original + " cannot start: the loader does not find " + library.name +
                      "; install it, or name its folder in LD_LIBRARY_PATH");
    }
    std::string folder = fs::path(library.path).parent_path().string();
    bool standard = folder.starts_with("/lib") || folder.starts_with("/usr/lib");
    if (!standard) {
      originals.push_back(library.path);
    }
    bool wanted = wants_library(options.libraries, library.name);
    bool needed = !wanted && options.libraries != "none" && wants_library("all", library.name) &&
                  waits_by_itself(library.path);
    std::string functions;
    if (!needed && !wanted && options.libraries != "none") {
      functions = container_functions(p.original, library.name);
    }
    if (!needed && !wanted && functions.empty()) {
      continue;
    }
    if (needed && !options.quiet) {
      std::printf("%s waits by system calls of its own: patched too\n", library.name.c_str());
    }
    if (!functions.empty() && !options.quiet) {
      std::printf("%s: only its code for lists and maps is patched (all of it: --libs %s)\n",
                  library.name.c_str(), library.name.c_str());
    }
    fs::create_directories(copies);
    std::string copy = (copies / library.name).string();
    try {
      patch(options, p.inputs, installation, library.path, copy, functions);
      p.target.libraries.push_back(copy);
    } catch (const ToolError& error) {
      // The library stays unpatched; the summary lists it.
      std::printf("%s\n", error.what());
    }
  }
  if (moved || !p.target.libraries.empty()) {
    p.target.libraries.insert(p.target.libraries.end(), originals.begin(), originals.end());
  }
}

std::vector<StopRule> resolve_stops(const Options& options, const Target& target) {
  if (options.stops.empty()) {
    return {};
  }
  DebugInfo debug;
  std::vector<std::string> files = {target.path};
  files.insert(files.end(), target.libraries.begin(), target.libraries.end());
  return StopResolver(debug, files).resolve(options.stops);
}

// Returns what to check, with the code of the functions to ignore.
Checks resolve_checks(const Options& options, const TargetFile& file, const Target& target) {
  Checks checks = options.checks;
  if (checks.any() && file.checks_addresses) {
    throw bad_usage(options.program +
                    " is built with AddressSanitizer, which has its own heap: leave --check out, "
                    "or build it without");
  }
  if (checks.ignored.empty()) {
    return checks;
  }
  DebugInfo debug;
  std::vector<std::string> files = {target.path};
  files.insert(files.end(), target.libraries.begin(), target.libraries.end());
  StopResolver resolver(debug, files);
  for (const std::string& function : checks.ignored) {
    StopSpec spec;
    spec.text = function;
    spec.kind = StopSpec::Kind::kAccesses;
    spec.within = function;
    std::vector<ModuleRange> code;
    try {
      code = resolver.resolve(spec).within;
    } catch (const ToolError& error) {
      std::string why = error.what();
      throw bad_usage("--check-ignore " + why.substr(std::string("--stop-at ").size()));
    }
    checks.ignored_code.insert(checks.ignored_code.end(), code.begin(), code.end());
  }
  std::sort(checks.ignored_code.begin(), checks.ignored_code.end());
  auto same = std::unique(checks.ignored_code.begin(), checks.ignored_code.end());
  checks.ignored_code.erase(same, checks.ignored_code.end());
  return checks;
}

// Returns the file that every run gets as standard input. A file is used in place; a pipe is read
// into a file once.
std::string standard_input_file(const OutputFolder& output, bool resume) {
  struct stat status;
  if (::fstat(0, &status) != 0 || ::isatty(0) == 1) {
    return {};
  }
  if (S_ISREG(status.st_mode)) {
    std::error_code error;
    fs::path path = fs::read_symlink("/proc/self/fd/0", error);
    if (!error && fs::exists(path, error)) {
      return path.string();
    }
  }
  std::string kept = (output / "stdin").string();
  if (S_ISCHR(status.st_mode)) {  // /dev/null and similar
    std::error_code error;
    return resume && fs::exists(kept, error) ? kept : std::string();
  }
  std::optional<std::string> bytes = read_file("/proc/self/fd/0");
  if (!bytes || bytes->empty()) {
    return {};
  }
  if (int error = write_file(kept, *bytes); error != 0) {
    throw tool_failed("cannot write " + kept + ": " + std::strerror(error));
  }
  return kept;
}

}  // namespace

// Schedules alone are searched without.
bool wants_branches(const InputPlan& inputs) { return inputs.given(); }

Prepared prepare_target(const Options& options, const Installation& installation,
                        const TargetFile& file, const OutputFolder& output) {
  if (options.resume) {
    require_same_command(options, file, output);
  }
  Prepared p;
  p.inputs = plan_inputs(options, file, output);
  p.original = file.path;
  p.plain = plain_program(file);
  p.target.path = file.path;
  p.target.arguments = options.arguments;
  p.target.build_id = file.build_id;
  p.target.processors = options.processors;
  if (!file.patched) {
    fs::path patched = output / "patched" / (fs::path(file.path).filename().string() + ".patched");
    patch(options, p.inputs, installation, file.path, patched.string());
    p.target.path = patched.string();
    if (!options.quiet) {
      std::printf("%s is not patched yet: using %s\n", options.program.c_str(), patched.c_str());
    }
  }
  prepare_libraries(options, installation, output, p);
  p.stops = resolve_stops(options, p.target);
  p.target.checks = resolve_checks(options, file, p.target);
  if (p.inputs.input.way != ProgramInput::Way::kStandardInput) {
    p.target.standard_input = standard_input_file(output, options.resume);
  }
  p.target.input_digest = input_digest(options.arguments, p.target.standard_input);
  return p;
}

}  // namespace rff
