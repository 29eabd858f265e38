// The program as it is, run once by itself before the first schedule: how it ends when nobody
// schedules it, how long that takes, and what it prints.
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
  bool cut_off = false;  // it did not end in time, or the user did not want to wait
  int error = 0;         // errno of a start that failed
  int wait_status = 0;   // as from waitpid
  double seconds = 0;
  std::string output_tail;  // standard output and error, the last kOutputKept bytes

  static constexpr std::size_t kOutputKept = 64 << 10;

  // As a shell has it: 128 and the number for a signal. Nothing if it did not end by itself.
  std::optional<int> status() const;
  // "exit status 3", "signal 11 (Segmentation fault)", "no end after 10 s"
  std::string how_it_ended() const;
};

// The program to run: the original of a patched one if that lies beside it (same build id), else
// the patched one, which behaves as the original where there is no runtime.
std::string plain_program(const TargetFile& file);

// Runs `program` with the arguments and the standard input of `target`, and without a terminal.
// Whatever it started has ended when this returns. Calls `slow` once if it takes its time. Requires
// that this process has no children and no other threads.
PlainRun run_plainly(
    const std::string& program, const Target& target, double seconds,
    const std::function<void()>& slow = [] {});

}  // namespace rff
