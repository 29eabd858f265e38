#include "fuzzer/campaign/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fuzzer/common/exploration_file.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/export/outcome.h"
#include "schedule/hash.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

constexpr char kLockName[] = ".rff-campaign";  // also marks the folder as ours
constexpr const char* kFolders[] = {"findings", "unstable", "unresponsive", "corpus",
                                    "inbox",    "afl",      "patched",      "plain"};

}  // namespace

std::string folder_for(const std::string& program, const std::vector<std::string>& arguments) {
  std::uint64_t hash = hash_bytes(program);
  for (const std::string& argument : arguments) {
    hash = hash_combine(hash, hash_bytes(argument));
  }
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, "-%08x", static_cast<unsigned>(hash ^ hash >> 32));
  return "rff-out/" + fs::path(program).filename().string() + suffix;
}

OutputFolder::OutputFolder(const std::string& path, Use use)
    : path_(fs::absolute(path).lexically_normal()) {
  std::error_code error;
  bool exists = fs::exists(path_, error);
  if (exists && !fs::is_directory(path_, error)) {
    throw bad_usage(path + " is not a folder: choose another one with -o");
  }
  bool ours = fs::exists(path_ / kLockName, error);
  if (exists && !ours && !fs::is_empty(path_, error)) {
    throw bad_usage(path +
                    " is not empty and not the output of rff-fuzz: choose another folder with -o");
  }
  if (use == Use::kResume && !ours) {
    throw bad_usage(path + " holds no campaign to resume: start one without -i -");
  }
  // A campaign that was refused or killed before it began has left no results.
  bool begun = fs::exists(path_ / "stats.json", error) ||
               fs::exists(path_ / kExplorationFile, error) ||
               (fs::exists(path_ / "findings", error) && !fs::is_empty(path_ / "findings", error));
  if (use == Use::kFresh && ours && begun) {
    throw bad_usage(path +
                    " holds another campaign: resume it with -i -, overwrite it with --force, or "
                    "choose another "
                    "folder with -o");
  }
  fs::create_directories(path_, error);
  if (error) {
    throw bad_usage("cannot create " + path + ": " + error.message());
  }
  claim();
  if (use != Use::kResume) {
    for (const char* name : kFolders) {
      fs::remove_all(path_ / name, error);
    }
    fs::remove(path_ / "stats.json", error);
    fs::remove(path_ / kExplorationFile, error);
  }
  fs::remove(path_ / kOutcomeFile, error);  // this campaign has not ended
  fs::remove_all(path_ / "inbox", error);
  for (const char* name : kFolders) {
    fs::create_directories(path_ / name, error);
    if (error) {
      throw tool_failed("cannot create " + (path_ / name).string() + ": " + error.message());
    }
  }
}

OutputFolder::~OutputFolder() {
  std::error_code error;
  fs::remove_all(path_ / "inbox", error);
  ::close(lock_);
}

void OutputFolder::claim() {
  lock_ = ::open((path_ / kLockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) {
    throw bad_usage("cannot write to " + path_.string() + ": " + std::strerror(errno));
  }
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw bad_usage(path_.string() + " is in use by another rff-fuzz");
  }
}

}  // namespace rff
