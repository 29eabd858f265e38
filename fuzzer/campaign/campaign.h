// A campaign from its first to its last schedule: starts afl-fuzz with our plug-in, confirms what
// it finds, keeps the books, and always ends with everything on disk.
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
#include "fuzzer/campaign/minimisation.h"
#include "fuzzer/campaign/options.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/campaign/preparation.h"
#include "fuzzer/campaign/progress.h"
#include "fuzzer/campaign/stats.h"
#include "fuzzer/campaign/unresponsive.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/installation.h"

namespace rff {

class Campaign {
 public:
  Campaign(const Options& options, const Installation& installation, OutputFolder& output,
           Prepared prepared);

  // Runs it. Throws ToolError where it could not go on; stats and findings so far are on disk then,
  // too.
  ExitStatus run();

 private:
  using Clock = std::chrono::steady_clock;

  void resume();
  void run_plainly();
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
  void take_minimised();
  void check_instances();
  void check_limits();
  void check_start();
  bool out_of_time(std::chrono::seconds grace) const;
  void require_runnable() const;
  bool nothing_to_schedule();  // the program creates no threads
  // Why nothing can be said about the program, and what to do; empty if something can.
  std::string why_inconclusive(const Stats& stats);
  std::string why_nothing_ran();
  void request_stop();
  void finish();
  void finish_minimising();
  void learn_modules();
  Stats stats();
  void write_stats();
  void print_summary(const Stats& stats);

  const Options& options_;
  const Installation& installation_;
  OutputFolder& output_;
  Prepared prepared_;
  DebugInfo sources_;
  Findings findings_;
  LostRuns lost_runs_;
  UnresponsiveRuns unresponsive_;
  Minimisation minimisation_;
  Progress progress_;
  Stats before_;  // of the campaign that is resumed; what is known of the program by itself
  std::uint64_t seed_ = 0;
  SharedMapping memory_;
  std::vector<std::unique_ptr<AflFuzz>> instances_;
  struct Lives {
    int processor = -1;
    bool dead = false;                     // ended, and not to be started again
    std::uint64_t schedules_at_start = 0;  // of this instance, before it was last started
    int early_deaths = 0;                  // in a row
    std::optional<Clock::time_point> program_started;
  };
  std::vector<Lives> lives_;  // of each instance
  std::unique_ptr<Runner> confirmer_;
  std::unique_ptr<Auditor> auditor_;
  Clock::time_point started_;
  Clock::time_point stats_written_;
  Clock::time_point stop_requested_at_;
  bool stop_requested_ = false;
  bool told_of_restart_ = false;
  std::string failure_;  // why it could not go on
  std::uint64_t unstable_ = 0;
  std::uint64_t unstable_failures_ = 0;  // those of them that had failed
  std::uint64_t audited_ = 0;

  CampaignMemory& memory() const { return *memory_.as<CampaignMemory>(); }
};

}  // namespace rff
