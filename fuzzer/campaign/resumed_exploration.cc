#include "fuzzer/campaign/resumed_exploration.h"

#include <cstring>
#include <filesystem>

#include "fuzzer/afl/exploration_store.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "schedule/hash.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

std::uint64_t hash_file(const fs::path& path) { return hash_bytes(read_file(path).value_or("")); }

std::uint64_t hash_of(const std::vector<std::string>& texts) {
  std::uint64_t hash = texts.size();
  for (const std::string& text : texts) {
    hash = hash_combine(hash, hash_bytes(text));
  }
  return hash;
}

}  // namespace

ExplorationIdentity exploration_identity(const Options& options, const Installation& installation,
                                         const Prepared& prepared, bool exit_is_finding) {
  ExplorationIdentity identity;
  fs::path libraries = fs::path(installation.mutator).parent_path();
  identity.build = hash_of({RFF_VERSION});
  for (const fs::path& part : {fs::path(installation.mutator), libraries / "libsched.so"}) {
    identity.build = hash_combine(identity.build, hash_file(part));
  }
  identity.program = hash_combine(hash_of({prepared.original}), hash_file(prepared.original));
  identity.program = hash_combine(identity.program, hash_of(prepared.target.arguments));
  identity.program = hash_combine(identity.program, prepared.target.input_digest);
  for (const std::string& library : prepared.target.libraries) {
    identity.program = hash_combine(identity.program, hash_file(library));
  }
  identity.options = hash_of({search_text(options.search), options.carrier, options.libraries,
                              checks_text(options.checks)});
  for (std::uint64_t option :
       {std::uint64_t{options.racing_points}, std::uint64_t{exit_is_finding},
        static_cast<std::uint64_t>(options.timeouts), std::uint64_t{options.processors}}) {
    identity.options = hash_combine(identity.options, option);
  }
  return identity;
}

std::optional<ExplorationFile> exploration_to_resume(const OutputFolder& output,
                                                     const Options& options,
                                                     const ExplorationIdentity& now) {
  fs::path path = output / kExplorationFile;
  std::error_code error;
  if (!fs::exists(path, error)) {
    return std::nullopt;
  }
  auto refused = [&](const std::string& why, const std::string& instead = "") {
    return bad_usage(path.string() + " cannot be resumed: " + why + "; " +
                     (instead.empty() ? "" : instead + ", or ") + "start anew with --force");
  };
  std::optional<std::string> bytes = read_file(path);
  if (!bytes) {
    throw refused(std::string("it cannot be read: ") + std::strerror(errno));
  }
  ExplorationFile file;
  if (std::string wrong = decode_exploration(*bytes, file); !wrong.empty()) {
    throw refused(wrong);
  }
  if (file.identity.build != now.build) {
    throw refused("another build of rff wrote it", "use that one");
  }
  if (file.identity.program != now.program) {
    throw refused("the program, its arguments or its input have changed");
  }
  if (file.identity.options != now.options) {
    throw refused("it was begun with other options", "give the same ones");
  }
  if (options.seed && *options.seed != file.seed) {
    throw refused("it was begun with --seed " + std::to_string(file.seed), "give that one");
  }
  if (std::string wrong = why_not_resumable(options.search, file); !wrong.empty()) {
    throw refused("it is damaged: " + wrong);
  }
  return file;
}

}  // namespace rff
