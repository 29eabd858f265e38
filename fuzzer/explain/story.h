// Events of a run in words: what a thread did to what, where, and whose value it saw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/debug_info.h"

namespace rff {

enum class From { kNothing, kInitial, kUnseen, kSameThread, kOtherThread };

// Whether the failure needs it. "Needed" means tested: reversed, the failure disappears.
enum class Need { kUntested, kNeeded, kNotNeeded };

struct StoryEvent {
  std::uint64_t step = 0;
  std::uint32_t thread = 0;
  AbstractEvent event;
  std::uint64_t address = 0;
  std::string what;        // "reads `b` = 0"
  std::string location;    // "`b`"; empty if it touches nothing
  std::string value;       // "0"; empty if unknown
  std::string read_value;  // of an update: what it saw
  std::string points_to;   // what lies at the value, if it is an address; else empty
  Place place;
  bool scheduling_point = false;
  bool switched = false;          // another thread ran before it
  bool preempted = false;         // … although it could have gone on
  std::uint32_t previous = 0;     // that thread
  std::uint64_t switch_step = 0;  // the first event after the switch
  std::size_t left_out = 0;       // events of its thread between the one told before and this one
  std::size_t left_out_of_others = 0;
  std::size_t repeated_lines = 0;  // it ends a block of so many events
  std::size_t repeated_times = 0;  // … that came again, with the same values, so often
  From from = From::kNothing;
  std::uint64_t from_step = 0;
  std::uint32_t from_thread = 0;
  OpKind from_op = OpKind::kNone;
  Place from_place;
  std::string source;                  // "from main.1, reorder.c:15"; empty for what reads nothing
  Need pair_need = Need::kUntested;    // of the reads-from pair
  Need switch_need = Need::kUntested;  // of the switch before it
};

class Storyteller {
 public:
  Storyteller(const Trace& trace, DebugInfo& debug) : trace_(trace), debug_(debug) {}

  StoryEvent tell(const trace::EventInfo& e);
  // The same without words, which are what takes time.
  StoryEvent outline(const trace::EventInfo& e) const;
  // The text for StoryEvent::source.
  std::string source_text(const StoryEvent& e);
  std::string thread(std::uint32_t index) const { return "thread " + trace_.thread_name(index); }

 private:
  const Trace& trace_;
  DebugInfo& debug_;
};

std::string value_text(std::uint64_t value, std::uint64_t size);
// "writes", "locks", …
std::string verb(OpKind op);
// Thread creation, start, end and join: order that no schedule can change.
bool is_lifecycle(OpKind op);

}  // namespace rff
