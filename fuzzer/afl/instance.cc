#include "fuzzer/afl/instance.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "fuzzer/common/corpus_folder.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/overflow.h"
#include "fuzzer/common/selection_file.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/core/input_traits.h"
#include "schedule/hash.h"
#include "schedule/run_finding.h"

namespace rff {
namespace {

// The number of times a failure that did not repeat is reported for confirmation.
constexpr int kUnstableAttempts = 3;

FuzzPlan plan_of(const CampaignMemory& campaign, std::uint32_t index) {
  FuzzPlan plan;
  // Parallel instances must not do the same work. The first one behaves as if it were alone.
  plan.seed = index == 0 ? campaign.seed : hash_combine(campaign.seed, index);
  if (std::uint32_t restarts = campaign.instance[index].restarts.load(); restarts > 0) {
    plan.seed = hash_combine(plan.seed,
                             restarts);  // a restarted instance must not repeat the same schedules
  }
  plan.search = campaign.search;
  plan.selection = selection_of(plan.search);
  plan.timeouts = campaign.timeouts;
  plan.racing_points = campaign.racing_points;
  plan.checks_memory = campaign.checks_memory;
  plan.exit_is_finding = campaign.exit_is_finding;
  if (std::string path(campaign.stop_points.view()); !path.empty()) {
    DecodeResult chosen = decode_schedule(read_file(path).value_or(""));
    if (!chosen.schedule) {
      throw tool_failed("cannot read back " + path + ": it " + chosen.error);
    }
    plan.stops = std::move(chosen.schedule->points.stops);
  }
  return plan;
}

template <typename T>
void add(std::atomic<T>& counter, T n) {
  counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

std::uint64_t microseconds_since(std::chrono::steady_clock::time_point began) {
  auto time = std::chrono::steady_clock::now() - began;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(time).count());
}

// Adds the time of its life to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<std::uint64_t>& counter) : counter_(counter) {}
  ~Stopwatch() { add(counter_, microseconds_since(began_)); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::atomic<std::uint64_t>& counter_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// Schedules that differ only in the number of known scheduling points have the same identity.
std::uint64_t identity(Schedule schedule) {
  schedule.points.shared_version = 0;
  return hash_bytes(encode_schedule(schedule));
}

}  // namespace

Instance::Instance(CampaignMemory& campaign, std::uint32_t index, SharedMemory& shared,
                   CampaignLink& link)
    : campaign_(campaign),
      index_(index),
      shared_(shared),
      link_(link),
      status_(campaign.instance[index]),
      core_(plan_of(campaign, index)) {
  if (std::string path(campaign.inputs.view()); !path.empty()) {
    pairs_.emplace(plan_of(campaign, index), decode_input_plan(read_file(path).value_or("")));
  }
  if (!campaign.initial_corpus.view().empty()) {
    std::set<std::uint64_t> initial;
    for (const Schedule& s : load_corpus(std::string(campaign.initial_corpus.view())).schedules) {
      if (initial.insert(identity(s)).second) {
        if (pairs_) {
          pairs_->add_initial(s);
        } else {
          core_.add_initial(s);
        }
      }
    }
  }
  for (const Schedule& s : load_corpus(corpus_folder()).schedules) {
    kept_.insert(identity(s));
  }
}

std::string Instance::corpus_folder() const {
  return std::string(campaign_.folder.view()) + "/corpus";
}

std::string_view Instance::next() {
  if (!began_) {
    begin();
  }
  collect();
  exchange_plans();
  if (core_.finished()) {
    campaign_.stop.store(1);
  }
  save_exploration(stopping());
  if (stopping() || (taker_ && !take_plan()) || !claim()) {
    return {};
  }
  own_ = others_.empty();
  if (own_) {
    launch(choose());
  } else {
    others_.front().points.shared_version = shared_.points.size();
    launch(std::move(others_.front()));
    others_.pop_front();
  }
  return current_bytes_;
}

std::string_view Instance::about_to_run(std::string_view bytes) {
  if (bytes == current_bytes_) {
    if (!launched_) {
      launched_at_ = std::chrono::steady_clock::now();
      answers_at_launch_ = answers();
    }
    launched_ = true;
    return bytes;
  }
  if (current_bytes_.empty()) {
    return bytes;  // afl-fuzz runs the program before it asks for a test case
  }
  // A systematic search makes each run itself.
  if (core_.exploration() != nullptr) {
    return current_bytes_;
  }
  if (DecodeResult decoded = decode_schedule(bytes); decoded.schedule) {
    others_.push_back(std::move(*decoded.schedule));
  }
  return current_bytes_;
}

void Instance::finish() {
  collect();
  save_exploration(true);
}

FuzzCore::Verdict Instance::report(const RunSummary& summary) {
  Stopwatch watch(status_.analyzing_us);
  if (pairs_) {
    InputTraits traits = {control_flow_of(shared_.run), agreements_of(shared_.run),
                          nearness_of(shared_.run),
                          [this] { return hints_of(shared_.run, current_->input.bytes); }};
    FuzzCore::Verdict verdict = pairs_->report(*current_, summary, traits);
    publish_inputs();
    return verdict;
  }
  FuzzCore::Verdict verdict = core_.report(*current_, summary);
  publish_tallies();
  publish_exploration();
  return verdict;
}

Schedule Instance::choose() {
  Stopwatch watch(status_.analyzing_us);
  if (chosen_) {
    return *std::exchange(chosen_, std::nullopt);
  }
  return pairs_ ? pairs_->next_schedule(shared_.points.size())
                : core_.next_schedule(shared_.points.size());
}

bool Instance::claim() {
  if (campaign_.claimed.fetch_add(1) < campaign_.max_schedules || campaign_.max_schedules == 0) {
    status_.in_flight.store(1);
    return true;
  }
  campaign_.stop.store(1);
  return false;
}

void Instance::launch(Schedule schedule) {
  current_bytes_ = encode_schedule(schedule);
  current_ = std::move(schedule);
  launched_ = false;
  new_coverage_ = false;
}

void Instance::collect() {
  if (!current_ || !launched_) {
    return;
  }
  if (core_.exploration() != nullptr && answers() == answers_at_launch_) {
    // The fork server has died, and the record is that of another run. The plan stays to be run.
    current_.reset();
    launched_ = false;
    return;
  }
  add(status_.running_us, microseconds_since(launched_at_));
  RunRecord& run = shared_.run;
  RunState state = run.state.load(std::memory_order_acquire);
  // When the campaign is stopped from outside, the last run may be incomplete and does not count.
  if (!(stopping() && state != RunState::kEnded)) {
    std::uint64_t number = campaign_.schedules_before + campaign_.completed.fetch_add(1) + 1;
    status_.in_flight.store(0);
    learn(run, number);
  }
  current_.reset();
  launched_ = false;
}

void Instance::add_points() {
  std::uint32_t points = shared_.points.size();
  std::span<const std::uint64_t> more = {shared_.points.begin() + points_known_,
                                         points - points_known_};
  if (pairs_) {
    pairs_->add_points(more);
  } else {
    core_.add_points(more);
  }
  points_known_ = points;
}

void Instance::learn(const RunRecord& run, std::uint64_t number) {
  add_points();
  RunSummary summary = summarize(run);
  summary.new_control_flow = new_coverage_;
  if (summary.outcome == RunOutcome::kUnresponsive && killed_by_others(run)) {
    summary.outcome = RunOutcome::kUnknown;
  }
  FuzzCore::Verdict verdict = report(summary);

  add(status_.schedules, std::uint64_t{1});
  add(status_.without_threads, std::uint32_t{(run.flags & kNoThreads) != 0});
  status_.overflowed.fetch_or(overflowed_lists(shared_), std::memory_order_relaxed);
  if (summary.usable()) {
    add(status_.events, run.events);
    add(status_.scheduling_points, run.scheduling_points);
    campaign_.rf_combinations.insert(summary.rf_combination);
  }
  if (verdict.new_pairs > 0) {
    for_each_pair(summary, [&](const AbstractEvent& write, const AbstractEvent& read) {
      campaign_.rf_pairs.insert(pair_id(write, read));
      return true;
    });
  }
  if ((run.flags & kNoThreads) != 0 && !pairs_) {
    // A program without threads runs the same under every schedule.
    campaign_.stop.store(1);
  }
  switch (summary.outcome) {
    case RunOutcome::kNormal: add(status_.bad_exits, std::uint64_t{run.wait_status != 0}); break;
    case RunOutcome::kFinding: handle_finding(run, number); break;
    case RunOutcome::kUnresponsive: handle_unresponsive(number); break;
    default: report_lost_run(run, number); break;
  }
  if (verdict.joined && own_) {
    add(status_.corpus, std::uint64_t{1});
    keep(*current_, number);
  }
  if (summary.usable() && audit_due(number)) {
    Report report = report_of(ReportKind::kAudit, number);
    if (std::string path = write_standalone("audit-" + std::to_string(number)); !path.empty()) {
      report.path.set(path);
      link_.send(report);
    }
  }
  if (taker_ && !stopping()) {
    taker_->answer(*current_, summary, shared_);
  }
}

// Returns whether a run was killed before its time limit, and therefore not by afl-fuzz.
bool Instance::killed_by_others(const RunRecord& run) const {
  auto limit = std::chrono::milliseconds(shared_.schedule_timeout_ms);
  return run.state.load() != RunState::kEnded &&
         std::chrono::steady_clock::now() - launched_at_ < limit;
}

void Instance::report_lost_run(const RunRecord& run, std::uint64_t number) {
  add(status_.lost, std::uint64_t{1});
  Report report = report_of(ReportKind::kLost, number);
  report.wait_status = run.wait_status;
  report.path.set(run.words.view());
  // If the list overflowed, it holds only the first steps of the run.
  if (std::uint32_t n = run.steps.size(); n > 0 && run.steps.overflowed.load() == 0) {
    std::uint32_t last = run.steps.items[n - 1].event;
    if (last < run.event_list.size()) {
      report.last_operation = run.event_list.items[last].op;
      report.place = run.event_list.items[last].site;
    }
  }
  link_.send(report);
}

bool Instance::audit_due(std::uint64_t number) const {
  // Also the first ones of a resumed campaign: what was audited when it was killed is not known.
  return campaign_.audit && (number - campaign_.schedules_before <= 20 || number % 1000 == 0);
}

void Instance::handle_finding(const RunRecord& run, std::uint64_t number) {
  std::uint64_t key = failure_key(run);
  Known& known = known_[key];
  Report report = report_of(ReportKind::kSameFinding, number);
  report.finding = run.finding;
  report.place = run.place;
  report.key = key;
  if (known.confirmed) {
    link_.send(report);
    return;
  }
  if (known.unstable >= kUnstableAttempts) {
    return;
  }
  std::string path = write_standalone("finding-" + std::to_string(number));
  if (path.empty()) {
    return;
  }
  report.kind = ReportKind::kFinding;
  report.path.set(path);
  Reply reply = link_.ask(report);
  if (reply == Reply::kUnstable) {
    ++known.unstable;
  } else {
    known.confirmed = true;
  }
  if (reply == Reply::kStop) {
    store_.reset();  // the finding may not be on disk, so its run must be made again
  }
  if (reply == Reply::kStop || (reply == Reply::kConfirmed && campaign_.until_bug)) {
    campaign_.stop.store(1);
  }
}

void Instance::handle_unresponsive(std::uint64_t number) {
  constexpr std::uint64_t kMostKept = 100;
  add(status_.unresponsive, std::uint64_t{1});
  if (status_.unresponsive.load() > kMostKept) {
    return;
  }
  Report report = report_of(ReportKind::kUnresponsive, number);
  if (std::string path = write_standalone("unresponsive-" + std::to_string(number));
      !path.empty()) {
    report.path.set(path);
    link_.send(report);
  }
}

void Instance::keep(const Schedule& schedule, std::uint64_t number) {
  if (!kept_.insert(identity(schedule)).second) {
    return;  // written by the campaign that this one resumes
  }
  char name[32];
  std::snprintf(name, sizeof name, "%08llu.bin", static_cast<unsigned long long>(number));
  std::string path = corpus_folder() + "/" + name;
  if (int error = write_file(path, encode_schedule(schedule)); error != 0) {
    trouble("cannot write " + path + ": " + std::strerror(error));
  }
}

void Instance::trouble(const std::string& text) {
  Report report = report_of(ReportKind::kTrouble, 0);
  report.path.set(text);
  link_.send(report);
  campaign_.stop.store(1);
}

Report Instance::report_of(ReportKind kind, std::uint64_t number) const {
  Report report{};
  report.kind = kind;
  report.instance = index_;
  report.schedule = number;
  return report;
}

}  // namespace rff
