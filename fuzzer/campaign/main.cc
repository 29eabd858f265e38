// rff-fuzz.
#include <cstdio>

#include "fuzzer/campaign/afl_version.h"
#include "fuzzer/campaign/campaign.h"

int main(int argc, char** argv) {
  try {
    std::optional<rff::Options> options = rff::parse_options(argc, argv);
    if (!options) {
      return rff::kNothingFound;
    }
    rff::TargetFile file = rff::TargetFile::open(options->program);
    rff::Installation installation = rff::Installation::find();
    rff::require_afl_version(installation.afl_fuzz);
    if (!options->input.empty() && !std::filesystem::is_directory(options->input)) {
      throw rff::bad_usage("-i " + options->input + ": no such folder");
    }
    using Use = rff::OutputFolder::Use;
    rff::OutputFolder output(options->output, options->resume
                                                  ? Use::kResume
                                                  : (options->force ? Use::kForce : Use::kFresh));
    rff::Prepared prepared = rff::prepare_target(*options, installation, file, output);
    return rff::Campaign(*options, installation, output, std::move(prepared)).run();
  } catch (const rff::ToolError& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "rff-fuzz: %s\n", error.what());
    return error.status;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "rff-fuzz: %s\n", error.what());
    return rff::kToolFailed;
  }
}
