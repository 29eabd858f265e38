// A drive: a run that stands at a step, and how to get to other steps. A step is what a thread does
// from one scheduling point to its next. Going back is a new run of a shorter prefix.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/drive/live_run.h"
#include "fuzzer/drive/path.h"
#include "fuzzer/drive/preparation.h"

namespace rff {

class Session {
 public:
  // `stop` is asked while the program runs: true ends the command. The first run begins at once.
  Session(PreparedDrive prepared, std::string launcher, std::function<bool()> stop);

  // A step that was made.
  struct Made {
    std::uint64_t number = 0;
    driving::PointThread thread;         // with the operation that it executed
    std::optional<std::uint64_t> value;  // read or written
  };
  static constexpr std::size_t kHistory = 10;

  // Changes with every command that has moved the program.
  struct Position {
    std::uint64_t run = 0;
    std::uint64_t step = 0;
    bool ended = false;
    bool operator==(const Position&) const = default;
  };
  Position position() const { return {runs_, step_, ended_.has_value()}; }
  // Number of steps made.
  std::uint64_t step() const { return step_; }
  // The threads where they stand; empty if the run has ended.
  const std::vector<driving::PointThread>& threads() const;
  const driving::PointThread* find(std::uint32_t thread) const;
  std::uint32_t last_thread() const { return live_->point().last_thread; }
  const std::deque<Made>& history() const { return history_; }
  // Set when the run has ended.
  const std::optional<Run>& ended() const { return ended_; }
  // Whether the run ended without a word: killed, or replaced by another program.
  bool killed() const { return ended_ && ended_->outcome == RunOutcome::kUnknown; }
  LiveRun& live() { return *live_; }
  const PreparedDrive& prepared() const { return prepared_; }
  const std::map<std::uint32_t, std::string>& names() const { return names_; }

  // The thread that Enter lets go on; nothing if the run has ended.
  std::optional<std::uint32_t> next() const;
  // Whether there is a given run, and all decisions so far are its.
  bool on_given_path() const { return prepared_.follows && given_.followed(); }

  // Notices that the program has been killed while it stood. Call before a command.
  void look();

  // Each returns a remark in one line, empty if there is nothing to say.
  std::string step(std::uint32_t thread);
  std::string go(std::uint32_t thread);
  // Makes the steps that choose() names until reached() returns true.
  using Choose = std::function<std::optional<std::uint32_t>()>;
  std::string run_until(const Choose& choose, const std::function<bool()>& reached);
  std::string go_to(std::uint64_t step);
  // `scheduler` may be empty: then as Enter does.
  std::string finish(const std::string& scheduler);

  // Returns the program's output since the last call. If a new run has begun since then, `repeated`
  // is what it printed on the way to the step where it began to differ.
  struct Output {
    bool anew = false;
    std::string repeated;
    std::string fresh;
  };
  Output take_output();

  // The run so far as a schedule; with its finding if it has failed.
  Schedule saved() const;
  // Runs it once more to its end, with a trace.
  Run traced() const;
  // Kills the program; and brings it back to the same step.
  void suspend();
  void resume();

 private:
  void begin(const Schedule& schedule);
  // Sends the answer and waits for what follows. Returns false if the run has ended or was stopped.
  bool advance(const driving::Answer& answer);
  LiveRun::Stand wait();
  bool make_step(std::uint32_t thread);
  bool let_scheduler_step();
  void arrive(LiveRun::Stand stand);
  void remember(std::uint32_t thread, const std::vector<driving::PointThread>& before,
                std::size_t from);
  // Starts anew and goes to the step as the schedule says.
  void replay(const Schedule& schedule, std::uint64_t step);
  Schedule with_prefix(std::vector<Decision> prefix) const;
  std::optional<std::uint32_t> as_in(const Path& path) const;

  PreparedDrive prepared_;
  std::string launcher_;
  std::function<bool()> stop_;
  std::unique_ptr<LiveRun> live_;
  std::uint64_t runs_ = 0;
  std::uint64_t step_ = 0;
  std::deque<Made> history_;
  std::optional<Run> ended_;
  bool stopped_ = false;    // stop_() ended the command
  bool replaying_ = false;  // on the way to a known step
  Path given_;
  Path redo_;  // the run that `go_to` has left last
  std::map<std::uint32_t, std::string> names_;
  std::vector<Decision> suspended_;
  Output output_;
};

}  // namespace rff
