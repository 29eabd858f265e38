#include "fuzzer/explain/lost_updates.h"

#include <map>

#include "fuzzer/explain/story.h"

namespace rff {

std::optional<LostUpdate> lost_update(const Trace& trace, const trace::EventInfo& e) {
  std::optional<LostUpdate> found;
  std::map<std::uint32_t, std::size_t> reads;  // for each thread: its last access, if it was a read
  std::map<std::uint32_t, std::size_t> writes;
  for (std::size_t i = 0; i < trace.events.size() && trace.events[i].step < e.step; ++i) {
    const trace::EventInfo& at = trace.events[i];
    if (at.address != e.address || !op_accesses(at.event.op)) {
      continue;
    }
    if (at.event.op == OpKind::kRead) {
      reads[at.thread] = i;
      continue;
    }
    if (auto read = reads.find(at.thread); read != reads.end()) {
      for (const auto& [thread, write] : writes) {
        if (at.event.op == OpKind::kWrite && thread != at.thread && write > read->second) {
          found = LostUpdate{read->second, write, i};
        }
      }
      reads.erase(read);
    }
    writes[at.thread] = i;
  }
  return found;
}

std::string lost_update_text(const Run& run, DebugInfo& debug, const LostUpdate& update) {
  Storyteller teller(run.trace, debug);
  StoryEvent read = teller.tell(run.trace.events[update.read]);
  StoryEvent lost = teller.tell(run.trace.events[update.lost]);
  StoryEvent overwrite = teller.tell(run.trace.events[update.overwrite]);
  auto value = [](const char* before, const std::string& text) {
    return text.empty() ? "" : before + text;
  };
  return "what " + teller.thread(lost.thread) + " wrote to " + lost.location +
         value(" = ", lost.value) + " at " + lost.place.where() +
         " was lost: " + teller.thread(overwrite.thread) + " overwrote it" +
         value(" with ", overwrite.value) + " at " + overwrite.place.where() + ", having read " +
         read.location + value(" = ", read.value) + " at " + read.place.where() + " before";
}

}  // namespace rff
