#include "fuzzer/afl/exploration_store.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "fuzzer/common/files.h"
#include "fuzzer/common/unseen_modules.h"

namespace rff {
namespace {

// Writing takes at most a twentieth of the time.
constexpr std::chrono::seconds kBetween{1};
constexpr int kTimesLonger = 20;

}  // namespace

std::string why_not_resumable(const SearchChoice& search, const ExplorationFile& file) {
  FuzzPlan plan;
  plan.seed = file.seed;
  plan.search = search;
  return FuzzCore(plan).restore(file.search);
}

ExplorationStore::ExplorationStore(const CampaignMemory& campaign, SharedMemory& shared)
    : campaign_(campaign),
      shared_(shared),
      path_(std::string(campaign.folder.view()) + "/" + kExplorationFile),
      next_(Clock::now() + kBetween) {}

void ExplorationStore::note(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

std::string ExplorationStore::restore(FuzzCore& core) {
  std::optional<std::string> bytes = read_file(path_);
  if (!bytes) {
    return "";
  }
  ExplorationFile file;
  if (std::string wrong = decode_exploration(*bytes, file); !wrong.empty()) {
    return path_ + ": " + wrong;
  }
  unmodelled_calls_ = file.unmodelled_calls;
  unpatched_modules_ = file.unpatched_modules;
  std::set<std::uint64_t> missing(file.points.begin(), file.points.end());
  for (std::uint64_t point : shared_.points) {
    if (std::find(file.points.begin(), file.points.end(), point) == file.points.end()) {
      return "";
    }
    missing.erase(point);
  }
  for (std::uint64_t point : missing) {
    shared_.points.append(point);
  }
  std::string wrong = core.restore(file.search);
  return wrong.empty() ? "" : path_ + ": " + wrong;
}

std::string ExplorationStore::save_sometimes(const FuzzCore& core) {
  if (Clock::now() < next_) {
    return "";
  }
  Clock::time_point began = Clock::now();
  std::string wrong = save(core);
  next_ = Clock::now() + std::max<Clock::duration>(kBetween, kTimesLonger * (Clock::now() - began));
  return wrong;
}

std::string ExplorationStore::save(const FuzzCore& core) {
  const ExplorationState& state = *core.exploration();
  // A search that ended for a passing reason, such as a run that was killed, goes on
  // from before.
  bool gave_up = state.finished && !state.reason.empty();
  if (state.explored == 0 || gave_up ||
      (state.explored == saved_explored_ && state.finished == saved_finished_)) {
    return "";
  }
  ExplorationFile file;
  file.search = core.save();
  if (file.search.empty()) {
    return "";  // the search cannot be continued
  }
  for (const auto& call : shared_.unmodelled_calls) {
    note_unmodelled_call(std::string(call.view()));
  }
  for (const ModuleRecord& module : shared_.modules) {
    if (is_unseen(module)) {
      note_unpatched_module(std::string(module.path.view()));
    }
  }
  file.identity = campaign_.identity;
  file.seed = campaign_.seed;
  file.explored = state.explored;
  file.points.assign(shared_.points.begin(), shared_.points.end());
  file.unmodelled_calls = unmodelled_calls_;
  file.unpatched_modules = unpatched_modules_;
  if (int error = write_file(path_, encode_exploration(file)); error != 0) {
    return "cannot write " + path_ + ": " + std::strerror(error);
  }
  saved_explored_ = state.explored;
  saved_finished_ = state.finished;
  return "";
}

}  // namespace rff
