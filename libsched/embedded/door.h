// Runs that the program makes itself, inside its process: the functions of rff/harness.h.
//
// The thread that calls rff_run becomes the main thread of a run. Its body executes on the same
// stack; threads it creates are carried as everywhere else. Between two runs the runtime controls
// no thread, and its memory is put back (image.h), so that every run is like the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/include/rff/harness.h"
#include "libsched/embedded/image.h"
#include "libsched/embedded/place_names.h"
#include "libsched/embedded/state_check.h"
#include "libsched/embedded/turns.h"
#include "libsched/process/runtime.h"

namespace rff::embedded {

// What outlives runs. It is outside of the memory that is put back.
struct Kept {
  void (*callback)(const rff_facts*, void*) = nullptr;
  void* callback_argument = nullptr;
  void (*after_run)(const rff_facts*) = nullptr;
  StateCheck check;
  PlaceNames names;
  Turns turns;
  bool abandons = false;  // the callback has asked for that
  rff_facts facts = {};
  bool has_callbacks = false;  // compiler callbacks have reported an access
  rff_schedule given = {};     // of the last run, or of the one that goes on
  static constexpr std::size_t kMostText = 1 << 20;
  static constexpr std::size_t kMostReport = 1 << 16;
  char text[kMostText];
  char report[kMostReport];
};

inline constexpr char kPrimitivesOnly[] = "primitives";  // of rff_memory_events

// Writes to standard error, without the program's functions.
void put(std::string_view text);

// Ends the process with one line: the program uses the harness in a wrong way.
[[noreturn]] void refuse(const char* what, const char* detail = "");

// Turns what the program gave into a schedule, or refuses it.
Schedule schedule_of(const rff_schedule& given);

// Returns the report of the run that has just failed.
std::string finding_report(const Runtime& failed);

// Handles faults of the body from the first run on; other faults go to whoever handled them before.
void handle_faults();

class Door final : public Host {
 public:
  int run(const rff_schedule& given, int (*body)(void*), void* argument, const void* caller);
  bool running() const { return running_; }
  bool is_made() const { return made_ != nullptr; }
  // Requires: a run was made.
  Runtime& made() { return *made_; }
  // The code that has called rff_run.
  CodeName caller() const { return caller_; }
  Kept& kept();
  // A fault of the body, in its signal handler. Returns if the process is to handle it as it would
  // without RFF.
  void crashed(int signal, std::uint64_t address, const void* context);

  [[noreturn]] void run_failed(int signal) override;
  [[noreturn]] void run_rejected() override { leave_run(); }
  void program_exits() override;

 private:
  void start();
  int run_once(const rff_schedule& given, int (*body)(void*), void* argument, const void* caller);
  int run_twice(const rff_schedule& given, int (*body)(void*), void* argument, const void* caller);
  int fail_ended_run(const char* kind, const std::string& words);
  void tell(const std::string& report);
  void begin(const rff_schedule& given, const void* frame);
  void end();
  void await_others(int left, const void* caller);
  void fill_facts(bool failed);
  void report_finding();
  void leave_threads();
  [[noreturn]] void leave_run();
  [[noreturn]] void die();

  Runtime* made_ = nullptr;
  Kept* kept_ = nullptr;
  RuntimeImage image_;
  std::size_t modules_ = 0;  // when the image was saved
  CodeName caller_;
  bool running_ = false;
  bool used_ = false;         // a run was made since the image was saved or restored
  void* way_out_[5] = {};     // where an abandoned run returns to
  void* to_handler_[5] = {};  // where the report of a crash returns to
  bool in_handler_ = false;
  int dies_by_ = 0;  // the signal that ends the process as soon as the run is left
};

Door& door();

}  // namespace rff::embedded
