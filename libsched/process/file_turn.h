// Runs of one program take turns at its files. Runs of a campaign, its audits and replays happen at
// the same time; without turns, one would see what another has half written, or find a temporary
// name taken, and would not repeat.
//
// A run that only reads shares its turn with others that only read. The turn lasts until the run
// has ended and everything that it had open is closed, so whoever waits for its end holds the turn
// too: the fork server or the process that started the run.
#pragma once

#include <cstdint>

namespace rff {

class FileTurn {
 public:
  enum class Got : std::uint8_t { kTurn, kNothing };  // kNothing: another run did not end in time

  // Call before runs begin. `given`: a descriptor from the process that waits for the end; -1:
  // none.
  void share(int given);

  // Before the program opens `path` for reading. The machine's own files change in no run.
  Got before_reading(const char* path);
  // Before the program creates, changes, renames or removes something that has a name.
  Got before_changing();

  // Call before the program makes a temporary name. These are the same in all runs of programs with
  // the same name, also in runs of other campaigns. Returns false if another run did not end in
  // time; what has such a name then may be in use.
  bool hold_temporary_names(std::uint32_t program);
  // Ends the turn, of this process and of all that share it.
  void end();

 private:
  enum class Turn : std::uint8_t { kNone, kShared, kAlone };
  Got take(Turn wanted);

  Turn turn_ = Turn::kNone;
};

}  // namespace rff
