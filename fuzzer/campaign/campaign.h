// Runs a campaign from the first to the last schedule: starts afl-fuzz with our plug-in, confirms
// findings and keeps statistics. Everything is on disk when it ends, also after an error.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/campaign/afl_fuzz.h"
#include "fuzzer/campaign/auditor.h"
#include "fuzzer/campaign/findings.h"
#include "fuzzer/campaign/lost_runs.h"
#include "fuzzer/campaign/minimization.h"
#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/campaign/preparation.h"
#include "fuzzer/campaign/progress.h"
#include "fuzzer/campaign/resumed_exploration.h"
#include "fuzzer/campaign/stats.h"
#include "fuzzer/campaign/unresponsive.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/installation.h"

namespace rff {

// The program ended without creating a thread.
class NothingToSchedule : public ToolError {
 public:
  using ToolError::ToolError;
};

class Campaign {
 public:
  Campaign(const Options& options, const Installation& installation, OutputFolder& output,
           Prepared prepared);

  // Runs the campaign. Throws ToolError if it cannot continue; the statistics and findings so far
  // are then on disk.
  ExitStatus run();

 private:
  using Clock = std::chrono::steady_clock;

  void resume();
  // Continues a systematic search, if there is one to continue. Returns what it belongs to.
  ExplorationIdentity resume_exploration();
  void run_plainly();
  void set_time_limit();
  void tell_cost();  // says once what a schedule costs
  void decide_on_exit_status(const std::string& how_it_ended);
  void set_up_memory();
  void take_corpus(const std::string& folder, const std::string& name);
  void start_instances();
  AflFuzz::Settings instance_settings(std::uint32_t index);
  bool may_start_again(std::uint32_t index) const;
  void start_again(std::uint32_t index);
  void loop();
  bool all_done();
  void wait_for_events();
  void take_reports(AflFuzz& afl);
  void handle(AflFuzz& afl, const Report& report);
  Reply confirm(const Report& report);
  void keep_unresponsive(const Schedule& schedule, std::uint64_t number);
  void take_audits();
  void doubt_runs_in_place();
  void take_minimized();
  void check_instances();
  void check_limits();
  void check_start();
  bool out_of_time(std::chrono::seconds grace) const;
  std::string why_not_runnable() const;  // what the runtime said; empty if it said nothing
  bool nothing_to_schedule();            // whether the program creates no threads
  // Returns why the campaign is inconclusive and what to do about it; empty if it is conclusive.
  std::string why_inconclusive(const Stats& stats);
  std::string why_nothing_ran();
  ExitStatus conclusion();  // of a conclusive campaign
  void request_stop();
  void finish();
  void finish_minimizing();
  void learn_modules();
  Stats stats();
  std::optional<ExplorationState> exploration(const Stats& s);
  void write_stats();
  void print_summary(const Stats& stats);
  void print_unstable(std::uint64_t schedules);

  const Options& options_;
  const Installation& installation_;
  OutputFolder& output_;
  Prepared prepared_;
  DebugInfo sources_;
  Findings findings_;
  LostRuns lost_runs_;
  UnresponsiveRuns unresponsive_;
  Minimization minimization_;
  static constexpr std::uint32_t kShortestTimeout = 10'000;
  std::uint32_t timeout_ms_;  // time limit of a run
  Progress progress_;
  bool cost_told_ = false;
  Stats before_;  // statistics of the resumed campaign and of the plain run
  std::uint64_t seed_ = 0;
  SharedMapping memory_;
  SharedMapping exchange_;  // between the instances of a systematic search
  std::vector<std::unique_ptr<AflFuzz>> instances_;
  struct Lives {
    int processor = -1;
    bool dead = false;                     // ended and will not be restarted
    std::uint64_t schedules_at_start = 0;  // schedules of this instance before its last start
    int early_deaths = 0;                  // consecutive
    std::optional<Clock::time_point> program_started;
  };
  std::vector<Lives> lives_;  // one for each instance
  std::unique_ptr<Runner> confirmer_;
  std::unique_ptr<Auditor> auditor_;
  Clock::time_point started_;
  Clock::time_point stats_written_;
  Clock::time_point stop_requested_at_;
  bool stop_requested_ = false;
  bool told_of_restart_ = false;
  std::string failure_;  // why the campaign cannot continue; empty if it can
  std::uint64_t unstable_ = 0;
  std::uint64_t unstable_failures_ = 0;  // the failing ones among them
  std::uint64_t disagreements_ = 0;      // those that came while runs were made in place
  std::string named_difference_;         // of the first of them that an audit found
  std::uint64_t audited_ = 0;
  std::optional<std::uint64_t> smallest_input_;  // bytes, of those that failed

  CampaignMemory& memory() const { return *memory_.as<CampaignMemory>(); }
};

}  // namespace rff
