// The plain run: the unmodified program, run once before the first schedule without scheduling. It
// shows how the program ends, how long it takes and what it prints.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "fuzzer/run/target_file.h"
#include "schedule/schedule_file.h"

namespace rff {

struct PlainRun {
  bool ran = false;
  bool cut_off = false;  // it did not end in time, or the user interrupted it
  int error = 0;         // errno of a failed start
  int wait_status = 0;   // as from waitpid
  double seconds = 0;
  std::string output_tail;  // standard output and error, the last kOutputKept bytes

  static constexpr std::size_t kOutputKept = 64 << 10;

  // Returns the status as a shell does: 128 plus the number of a signal. Nothing if it was cut off.
  std::optional<int> status() const;
  // Returns "exit status 3", "signal 11 (Segmentation fault)" or "no end after 10 s".
  std::string how_it_ended() const;
};

// Returns the program to run: for a patched program, the original beside it (same build id) if
// there is one, else the patched program, which behaves like the original without the runtime.
std::string plain_program(const TargetFile& file);

// Runs `program` with the arguments and the standard input of `target`, and with `variable`
// (NAME=VALUE; empty: none) in its environment, without a terminal. All
// processes that it started have ended when this returns. Calls `slow` once if it takes long.
// Requires that this process has no children and no other threads.
PlainRun run_plainly(
    const std::string& program, const Target& target, const std::string& variable, double seconds,
    const std::function<void()>& slow = [] {});

}  // namespace rff
