// The result of a replay in plain values, which every report format writes. report_builder.h builds
// it from a run; tests of formats fill it in by hand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/explain/explanation.h"
#include "fuzzer/explain/verdict.h"

namespace rff {

// The operation that a thread waited to finish when the run ended.
struct ReportedWait {
  bool blocked = false;     // the thread could not run
  std::string what;         // "a mutex"
  std::string object;       // "`m`"; empty if the object has no name
  Place place;              // where the thread waits
  std::uint64_t since = 0;  // the step at which another thread took the object; 0 if none did
  std::string held_by;      // name of a thread; empty if none or unknown
  std::optional<Place> held_since;
};

struct ReportedThread {
  std::string name;  // "main.2.1"
  std::optional<ReportedWait> wait;
};

// Describes events of the trace and source lines on demand: all of them would be too long.
class ReportDetails {
 public:
  virtual ~ReportDetails() = default;
  virtual std::size_t events() const = 0;
  virtual std::uint64_t step(std::size_t event) const = 0;
  virtual StoryEvent tell(std::size_t event) = 0;
  // Returns the step at which another thread took the object that this event takes; 0 if none did
  // since this thread used it.
  virtual std::uint64_t taken_before(std::size_t event) const = 0;
  // Returns the line without indentation; empty if the source is missing.
  virtual std::string source_line(const Place& place) = 0;
};

struct FindingReport {
  // The comparison of the run with the recorded one.
  Comparison comparison;
  std::optional<Finding> recorded;
  std::vector<std::string> notes;  // remarks for the user on program and input
  Target target;                   // the target that was run
  std::string program;             // the program's name
  std::string replay_command;      // the command that shows this again; empty if there is no file
  ProgramInput input;              // of the run, if its schedule carries one
  std::string values;              // what a property drew from it, one value per line
  bool rebuilt = false;            // the build differs from the recorded one
  bool input_changed = false;
  std::optional<std::uint64_t> first_schedule;  // the number of the first schedule that failed like
                                                // this, for a finding of a campaign

  // Facts about the run. Threads are listed by index.
  std::uint64_t events = 0;
  std::uint64_t scheduling_points = 0;
  std::uint64_t switches = 0;
  std::uint32_t thread_count = 0;
  std::vector<ReportedThread> threads;
  std::vector<std::string> unpatched_modules;
  std::vector<std::string> unmodelled_calls;
  std::uint32_t overflowed = 0;  // OverflowedList: lists that the run's record holds only in part
  EarlyTimeout early_timeout;    // a timed wait that ended although another thread could run
  std::string output;            // the last part of what the program printed
  std::uint64_t output_left_out = 0;  // bytes before `output`
  bool gave_up = false;  // left the recorded run and was stopped because it did not end

  // The failure; kind none if the program did not fail.
  FindingKind kind = FindingKind::kNone;
  std::string summary;
  std::string identity;   // the same for failures that are the same finding, in every build
  std::string sanitizer;  // a sanitizer's whole report; empty if there is none
  Place place;
  std::optional<std::uint32_t> ended_by;   // the thread that failed or ended the program
  std::vector<std::uint32_t> cycle;        // threads that wait for each other
  std::optional<Explanation> explanation;  // nothing if there is nothing to explain

  bool whole_trace = false;                // the user asked for every event
  std::shared_ptr<ReportDetails> details;  // never null

  bool failed() const { return kind != FindingKind::kNone; }
  // Returns true for deadlocks and hangs, where no thread fails alone.
  bool fails_together() const { return rff::fails_together(kind); }
  // Returns "?" if there is no such thread.
  const std::string& thread_name(std::uint32_t thread) const;
};

}  // namespace rff
