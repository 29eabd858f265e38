// Describes events of a run in words: operation, object, place in the source, and the write that a
// read saw.
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
  std::string location;    // "`b`"; empty if the event touches nothing
  std::string value;       // "0"; empty if unknown
  std::string read_value;  // for an update: the value it read
  std::string points_to;   // the object at this address; empty if the value is not an address
  Place place;
  bool scheduling_point = false;
  bool switched = false;          // another thread ran before this event
  bool preempted = false;         // … although that thread could have continued
  std::uint32_t previous = 0;     // that thread
  std::uint64_t switch_step = 0;  // the first event after the switch
  std::size_t left_out = 0;       // omitted events of this thread since its last one in the story
  std::size_t left_out_of_others = 0;
  std::size_t repeated_lines = 0;  // this event ends a repeated block of that many events
  std::size_t repeated_times = 0;  // … repeated that many times with the same values
  From from = From::kNothing;
  std::uint64_t from_step = 0;
  std::uint32_t from_thread = 0;
  OpKind from_op = OpKind::kNone;
  Place from_place;
  std::string source;  // "from main.1, reorder.c:15"; empty if the event does not read
  Need pair_need = Need::kUntested;    // of the reads-from pair
  Need switch_need = Need::kUntested;  // of the switch before it
};

class Storyteller {
 public:
  Storyteller(const Trace& trace, DebugInfo& debug) : trace_(trace), debug_(debug) {}

  StoryEvent tell(const trace::EventInfo& e);
  // Like tell(), without the texts, which take time.
  StoryEvent outline(const trace::EventInfo& e) const;
  // Returns the text for StoryEvent::source.
  std::string source_text(const StoryEvent& e);
  // Returns the same for the other events that sent what this one received; empty if there are
  // none.
  std::string further_sources_text(const StoryEvent& e);
  std::string thread(std::uint32_t index) const { return "thread " + trace_.thread_name(index); }

 private:
  const Trace& trace_;
  DebugInfo& debug_;
};

std::string value_text(std::uint64_t value, std::uint64_t size);
// Returns "writes", "locks", …
std::string verb(OpKind op);
// Whether it is thread creation, start, end or join, whose order no schedule can change.
bool is_lifecycle(OpKind op);

}  // namespace rff
