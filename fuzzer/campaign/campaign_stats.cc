// The statistics of a campaign: collects them, writes them to disk and prints the summary.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "fuzzer/campaign/campaign.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/overflow.h"
#include "fuzzer/common/unseen_modules.h"
#include "fuzzer/common/words.h"
#include "fuzzer/run/interrupts.h"

namespace rff {

namespace fs = std::filesystem;

namespace {

std::string duration(double seconds) {
  char text[32];
  if (seconds < 0.01) {
    std::snprintf(text, sizeof text, "%.2g ms", seconds * 1000);
  } else {
    std::snprintf(text, sizeof text, seconds < 1 ? "%.0f ms" : "%.3g s",
                  seconds < 1 ? seconds * 1000 : seconds);
  }
  return text;
}

void print_inputs(const Stats& s) {
  if (!s.inputs.way.empty()) {
    std::printf("%s that showed new control flow, %llu edges\n",
                count(s.inputs.members, "input").c_str(),
                static_cast<unsigned long long>(s.inputs.edges));
  }
  if (s.inputs.discarded > 0) {
    std::printf("%s discarded: the input did not meet the assumptions%s\n",
                count(s.inputs.discarded, "run").c_str(),
                s.inputs.discarded * 100 > s.schedules * 99
                    ? "; that is more than 99 %: draw values that meet them"
                    : "");
  }
}

void print_lost(const Stats& s) {
  if (s.lost > 0) {
    std::printf("%s ended without a report of the runtime:\n", count(s.lost, "run").c_str());
  }
  for (const std::string& cause : s.lost_causes) {
    std::printf("  %s\n", cause.c_str());
  }
}

// Adds the counters of one instance.
void add_counters(const InstanceStatus& status, Stats& s) {
  s.schedules += status.schedules.load();
  s.corpus += status.corpus.load();
  s.unresponsive += status.unresponsive.load();
  s.lost += status.lost.load();
  s.bad_exits += status.bad_exits.load();
  s.overflowed |= status.overflowed.load();
  s.events += status.events.load();
  s.scheduling_points += status.scheduling_points.load();
  for (const SharedTally& t : status.search) {
    if (t.proposals.load() > 0) {
      add_tally(s.search,
                {std::string(t.strategy.view()), t.proposals.load(), t.new_pairs.load(),
                 t.new_paths.load(), t.failures.load(), t.profiles.load(), t.blocked.load()});
    }
  }
  s.inputs.members = std::max(s.inputs.members, status.inputs.load());
  s.inputs.edges = std::max(s.inputs.edges, status.edges.load());
  s.inputs.comparisons = std::max(s.inputs.comparisons, status.comparisons.load());
  s.inputs.discarded += status.discarded.load();
  s.seconds_running += static_cast<double>(status.running_us.load()) / 1e6;
  s.seconds_analyzing += static_cast<double>(status.analyzing_us.load()) / 1e6;
}

void add_in_place(const SharedMemory& memory, Stats::InPlace& in_place) {
  in_place.way = memory.snapshot.view();
  in_place.runs += memory.in_place;
  in_place.retired += memory.retired;
  for (const Retirements& r : memory.retirements) {
    in_place.retired_by[r.call] += r.count;
  }
}

}  // namespace

Stats Campaign::stats() {
  Stats s = before_;
  s.seconds += std::chrono::duration<double>(Clock::now() - started_).count();
  CampaignMemory& m = memory();
  for (std::uint32_t i = 0; i < options_.instances; ++i) {
    add_counters(m.instance[i], s);
  }
  s.rf_pairs = m.rf_pairs.size();
  s.rf_combinations = m.rf_combinations.size();
  s.lost_causes = lost_runs_.texts(sources_);
  s.unstable = unstable_;
  s.audited = audited_;
  s.seed = seed_;
  s.processors = options_.processors;
  s.checks = checks_text(options_.checks);
  s.scheduler = options_.search.paper ? "paper" : search_text(options_.search);
  s.carrier = options_.carrier;
  s.schedule_timeout_ms = timeout_ms_;
  s.target = prepared_.original;
  s.arguments = options_.arguments;
  s.stop_at = texts_of(options_.stops);
  s.findings = findings_.groups();
  if (prepared_.inputs.given()) {
    s.inputs.way = input_way_name(prepared_.inputs.input.way);
    s.inputs.smallest = smallest_input_;
  }
  if (!instances_.empty()) {
    s.carrier = instances_[0]->memory().carrier == 1 ? "fiber" : "thread";
  }
  auto add = [](std::vector<std::string>& list, std::string_view text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) {
      list.emplace_back(text);
    }
  };
  for (const auto& afl : instances_) {
    for (const ModuleRecord& module : afl->memory().modules) {
      if (is_unseen(module)) {
        add(s.unpatched_modules, module.path.view());
      }
    }
    for (const auto& call : afl->memory().unmodelled_calls) {
      add(s.unmodelled_calls, call.view());
    }
    add_in_place(afl->memory(), s.in_place);
  }
  s.in_place.disagreements = disagreements_;
  s.systematic = exploration(s);
  return s;
}

// Also looks at what instances do not know and what keeps an exploration from being complete.
std::optional<ExplorationState> Campaign::exploration(const Stats& s) {
  std::optional<ExplorationState> e = memory().instance[0].exploration.get();
  if (e) {
    e->chosen_points = !prepared_.stops.empty();
  }
  if (!e || !e->reason.empty()) {
    return e;
  }
  auto unseen = std::find_if_not(s.unpatched_modules.begin(), s.unpatched_modules.end(),
                                 [](const std::string& path) { return shares_nothing(path); });
  if (s.unstable > 0) {
    e->reason = count(s.unstable, "schedule") + " did not repeat";
  } else if (!s.unmodelled_calls.empty()) {
    e->reason = "the call " + s.unmodelled_calls[0] + " is not modelled";
  } else if (unseen != s.unpatched_modules.end()) {
    e->reason = fs::path(*unseen).filename().string() + " is not patched, so not seen (--libs)";
  } else if (memory().instance[0].restarts.load() > 0) {
    e->reason = "afl-fuzz had to be started again";
  }
  return e;
}

bool Campaign::nothing_to_schedule() {
  return findings_.groups().empty() && !prepared_.inputs.given() &&
         memory().instance[0].without_threads.load() > 0;
}

void Campaign::tell_cost() {
  if (cost_told_ || options_.quiet) {
    return;
  }
  Stats now = stats();
  std::uint64_t ran = now.schedules - before_.schedules;
  if (ran == 0 || nothing_to_schedule()) {
    return;
  }
  cost_told_ = true;
  bool alone = before_.plain_seconds && before_.plain_status;
  double one = (now.seconds_running - before_.seconds_running) / static_cast<double>(ran);
  progress_.say("one schedule takes " + duration(one) +
                (alone ? " (the program by itself " + duration(*before_.plain_seconds) + ")" : "") +
                " and may take " + duration(timeout_ms_ / 1000.0));
}

void Campaign::write_stats() {
  stats_written_ = Clock::now();
  if (options_.explain_search) {
    if (std::string line = search_line(stats().search); !line.empty()) {
      progress_.say(line);
    }
  }
  fs::path path = output_ / "stats.json";
  if (int error = write_file(path, stats_to_json(stats())); error != 0) {
    throw tool_failed("cannot write " + path.string() + ": " + std::strerror(error));
  }
}

std::string Campaign::why_nothing_ran() {
  if (interrupted()) {
    return "interrupted before the first schedule had ended: nothing was tried";
  }
  if (out_of_time({})) {
    char text[200];
    std::string alone;
    if (before_.plain_seconds) {
      std::snprintf(text, sizeof text, " (by itself the program %s %.3g s)",
                    before_.plain_status ? "took" : "did not end within", *before_.plain_seconds);
      alone = text;
    }
    std::snprintf(text, sizeof text, "no schedule had ended after %.3g s%s: give it more time (-t)",
                  options_.max_seconds, alone.c_str());
    return text;
  }
  std::string complaint = instances_.empty() ? "" : instances_[0]->complaint();
  return "afl-fuzz ended before the first schedule" +
         (complaint.empty() ? "" : ": " + complaint.substr(0, 200)) +
         " (--afl-ui shows all it says)";
}

std::string Campaign::why_inconclusive(const Stats& s) {
  if (!failure_.empty()) {
    return failure_;
  }
  if (s.schedules == 0) {
    return why_nothing_ran();
  }
  if (s.findings.empty() && unstable_failures_ > 0) {
    return count(unstable_failures_, "run") +
           " failed and did not fail again when repeated: see what differs in " +
           (output_ / "unstable").string();
  }
  if (s.findings.empty() && s.unresponsive == s.schedules && !options_.unresponsive_is_bug) {
    std::string busiest = unresponsive_.busiest();
    return "no schedule ended within " + std::to_string(timeout_ms_) + " ms" +
           (busiest.empty() ? "" : " (most were in " + busiest + ")") +
           ": try a smaller input, a longer --schedule-timeout, or --timeouts 1s if threads run "
           "until another has slept";
  }
  if (!s.findings.empty() || !LostRuns::too_many(s.lost, s.schedules)) {
    return {};
  }
  std::string cause = s.lost_causes.empty() ? "" : ", " + s.lost_causes[0];
  return std::to_string(s.lost) + " of " + count(s.schedules, "run") +
         " ended without a report of the runtime" + cause +
         ": if the kernel lacked memory (dmesg tells), give it more; else please report this";
}

ExitStatus Campaign::conclusion() {
  Stats s = stats();
  bool bug = !s.findings.empty() || (options_.unresponsive_is_bug && s.unresponsive > 0);
  bool complete = s.systematic && verdict_of(*s.systematic) == ExplorationVerdict::kComplete;
  if (!bug && options_.require_complete && !complete) {
    throw tool_failed(verdict_text(*s.systematic, options_.search.systematic));
  }
  return bug ? kBugFound : kNothingFound;
}

void Campaign::print_unstable(std::uint64_t schedules) {
  if (schedules > 0) {
    std::printf("%s did not repeat: see %s\n", count(schedules, "schedule").c_str(),
                (output_ / "unstable").c_str());
  }
  if (!named_difference_.empty()) {
    std::printf("  %s\n", named_difference_.c_str());
  }
  if (disagreements_ > 0) {
    std::printf("  %s ran differently in place than in a process of its own: please report this\n",
                count(disagreements_, "schedule").c_str());
  }
}

void Campaign::print_summary(const Stats& s) {
  std::printf(
      "%s in %.1f s (%.0f/s), %s in %s, corpus %llu\n", count(s.schedules, "schedule").c_str(),
      s.seconds, s.per_second(), count(s.rf_pairs, "reads-from pair").c_str(),
      count(s.rf_combinations, "combination").c_str(), static_cast<unsigned long long>(s.corpus));
  print_inputs(s);
  for (const FindingGroup& group : s.findings) {
    // The waits were printed when the finding was announced.
    bool long_story = fails_together(group.kind);
    std::printf("%s: %s at %s, first at schedule %llu, %s\n", (output_ / group.folder).c_str(),
                long_story ? std::string(finding_name(group.kind)).c_str() : group.summary.c_str(),
                findings_.place_text(group).c_str(),
                static_cast<unsigned long long>(group.first_schedule),
                count(group.count, "time").c_str());
    if (options_.afl_ui) {  // AFL++'s screen has overwritten earlier messages
      std::printf("  replay: %s\n", findings_.replay_command(group).c_str());
    }
  }
  if (s.findings.empty() && why_inconclusive(s).empty() && !s.systematic) {
    std::printf("no bug found\n");
  }
  if (s.bad_exits > 0) {
    std::printf("%s ended with a status other than 0 (--exit-is-bug: that is a bug)\n",
                count(s.bad_exits, "run").c_str());
  }
  print_lost(s);
  print_unstable(s.unstable);
  for (const std::string& text : overflow_texts(s.overflowed)) {
    std::printf("some runs had %s\n", text.c_str());
  }
  auto list = [](const char* title, const std::vector<std::string>& names) {
    if (!names.empty()) {
      std::printf("%s:", title);
      for (const std::string& name : names) {
        std::printf(" %s", fs::path(name).filename().c_str());
      }
      std::printf("\n");
    }
  };
  list("not patched, so not seen (--libs)", s.unpatched_modules);
  list("calls that are not modelled", s.unmodelled_calls);
  if (std::string_view why =
          instances_.empty() ? std::string_view() : instances_[0]->memory().unchecked.view();
      !why.empty()) {
    std::printf("--check sees only a part of the heap: %s\n", std::string(why).c_str());
  }
  if (s.systematic) {
    for (const ExplorationState::Step& step : s.systematic->steps) {
      std::printf("%s\n", verdict_text(*s.systematic, step, options_.search.systematic).c_str());
    }
    std::printf("%s\n", verdict_text(*s.systematic, options_.search.systematic).c_str());
  }
  std::fputs(
      unresponsive_.summary(s.unresponsive, timeout_ms_, !s.unpatched_modules.empty()).c_str(),
      stdout);
}

}  // namespace rff
