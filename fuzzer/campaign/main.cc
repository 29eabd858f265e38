// The main function of rff-fuzz.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <utility>

#include "command_line/command_line.h"
#include "fuzzer/campaign/afl_version.h"
#include "fuzzer/campaign/campaign.h"
#include "fuzzer/campaign/conclusion.h"
#include "fuzzer/campaign/determinism.h"
#include "fuzzer/campaign/stop_list.h"
#include "fuzzer/campaign/test_campaigns.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/temporary_folder.h"
#include "schedule/standard_descriptors.h"

namespace rff {
namespace {

// With --json, standard output carries one JSON object and everything else goes to standard error.
class JsonOutput {
 public:
  explicit JsonOutput(bool wanted) : descriptor_(wanted ? ::dup(1) : -1) {
    if (wanted && (descriptor_ < 0 || ::dup2(2, 1) != 1)) {
      throw tool_failed(std::string("--json: no standard output: ") + std::strerror(errno));
    }
  }
  ~JsonOutput() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  JsonOutput(const JsonOutput&) = delete;
  JsonOutput& operator=(const JsonOutput&) = delete;

  // Prints nothing if there is no such file.
  void print(const std::filesystem::path& file) const {
    std::string text = descriptor_ >= 0 ? read_file(file).value_or("") : "";
    for (std::size_t done = 0; done < text.size();) {
      ssize_t n = ::write(descriptor_, text.data() + done, text.size() - done);
      if (n <= 0 && errno != EINTR) {
        throw tool_failed(std::string("cannot write to standard output: ") + std::strerror(errno));
      }
      done += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
  }

 private:
  int descriptor_;
};

// Leaves nothing behind: the patched program lies in a folder of its own.
int list(Options& options, const Installation& installation, const TargetFile& file) {
  TemporaryFolder folder;
  OutputFolder output(folder / "list", OutputFolder::Use::kFresh);
  options.quiet = true;
  Prepared prepared = prepare_target(options, installation, file, output);
  std::fputs(list_stop_points(options, installation, prepared).c_str(), stdout);
  return kNothingFound;
}

// The program knows them.
int list_properties(const Options& options, const TargetFile& file) {
  if (!file.has_properties) {
    throw bad_usage(options.program + " has no properties (rff/property.h)");
  }
  Printed listed = run_and_read({.arguments = {file.path, "--list-properties"}});
  std::fputs(listed.output.c_str(), stdout);
  return kNothingFound;
}

void require_property(const Options& options, const TargetFile& file) {
  Printed listed = run_and_read({.arguments = {file.path, "--list-properties"}});
  if (("\n" + listed.output).find("\n" + options.property + "\n") == std::string::npos) {
    throw bad_usage("--property " + options.property + ": " + options.program +
                    " has no such property (--list-properties prints them)");
  }
}

// Likewise.
int compare_runs(Options& options, const Installation& installation, const TargetFile& file) {
  TemporaryFolder folder;
  OutputFolder output(folder / "compare", OutputFolder::Use::kFresh);
  bool quiet = std::exchange(options.quiet, true);
  Prepared prepared = prepare_target(options, installation, file, output);
  options.quiet = quiet;
  return check_determinism(options, installation, prepared);
}

// Calls `work`, and says what went wrong. Returns the exit status.
int guarded(const std::function<int()>& work) {
  int status = kToolFailed;
  try {
    return work();
  } catch (const ToolError& error) {
    std::fflush(stdout);
    print_error("rff-fuzz", error.what());
    status = error.status;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    print_error("rff-fuzz", error.what());
  }
  return status;
}

int fuzz(Options& options, const JsonOutput& json) {
  if (!options.tests.empty()) {
    return run_tests(options, [&](Options& own) {
      return guarded([&] {
        try {
          return fuzz(own, json);
        } catch (const NothingToSchedule& skipped) {
          return static_cast<int>(skipped.status);  // the line of the test says so
        }
      });
    });
  }
  TargetFile file = TargetFile::open(options.program);
  require_temporary_files();
  Installation installation = Installation::find();
  if (options.list_properties) {
    return list_properties(options, file);
  }
  if (!options.property.empty() && file.has_properties) {
    require_property(options, file);
  }
  if (options.list_stop_points) {
    return list(options, installation, file);
  }
  if (options.check_determinism) {
    return compare_runs(options, installation, file);
  }
  require_afl_version(installation.afl_fuzz);
  if (!options.corpus.empty() && !std::filesystem::is_directory(options.corpus)) {
    throw bad_usage("-i " + shown(options.corpus) + ": no such folder");
  }
  if (options.output == "auto") {
    options.output = folder_for(file.path, options.arguments);
    if (!options.quiet) {
      std::printf("output folder: %s\n", options.output.c_str());
    }
  }
  using Use = OutputFolder::Use;
  OutputFolder output(options.output, options.resume  ? Use::kResume
                                      : options.force ? Use::kForce
                                                      : Use::kFresh);
  try {
    ExitStatus status = run_and_conclude(options, output, [&] {
      Prepared prepared = prepare_target(options, installation, file, output);
      return Campaign(options, installation, output, std::move(prepared)).run();
    });
    json.print(output / "stats.json");
    return status;
  } catch (const ToolError&) {
    json.print(output / "stats.json");
    throw;
  }
}

}  // namespace
}  // namespace rff

int main(int argc, char** argv) {
  rff::open_standard_descriptors();
  return rff::guarded([&]() -> int {
    std::optional<rff::Options> options = rff::parse_options(argc, argv);
    return options ? rff::fuzz(*options, rff::JsonOutput(options->json)) : rff::kNothingFound;
  });
}
