#include "fuzzer/explain/memory_errors.h"

#include <algorithm>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/common/words.h"

namespace rff {
namespace {

// Returns the program's frames, with the functions that are inlined in them.
std::vector<Place> places(const std::vector<CodeName>& frames, DebugInfo& debug) {
  std::vector<Place> all;
  for (CodeName code : frames) {
    for (const Place& p : debug.inlined(code, DebugInfo::Code::kInstruction)) {
      all.push_back(p);
    }
    if (all.back().function == "main") {
      break;
    }
  }
  auto in_library = [](const Place& p) { return p.in_library(); };
  auto own = std::find_if_not(all.begin(), all.end(), in_library);
  if (own != all.end()) {
    all.erase(all.begin(), own);
    while (all.back().in_library()) {
      all.pop_back();
    }
  }
  return all;
}

// Without callers the place of the call is all that is known.
std::vector<Place> places(const Trace& trace, std::uint32_t callers, CodeName site,
                          DebugInfo& debug) {
  if (callers != 0 && callers < trace.callers.size() && !trace.callers[callers].empty()) {
    return places(trace.callers[callers], debug);
  }
  return site == CodeName{}
             ? std::vector<Place>{}
             : std::vector<Place>{debug.place(site, DebugInfo::Code::kReturnAddress)};
}

std::string used_word(OpKind op) {
  switch (op) {
    case OpKind::kRead: return "read";
    case OpKind::kWrite: return "written";
    case OpKind::kReadModifyWrite: return "updated";
    default: return "used";
  }
}

}  // namespace

std::string memory_headline(const Run& run, DebugInfo& debug, const std::string& where) {
  const std::optional<MemoryError>& error = run.finding.failure.memory;
  if (!error) {
    return finding_words(run.finding);
  }
  std::string part = debug.heap_part(error->step);
  return "thread " + error->thread_name + " " + memory_error_words(run.finding.kind, *error, part) +
         " in " + where + ".";
}

std::vector<BlockEvent> explain_memory(const Run& run, DebugInfo& debug) {
  std::vector<BlockEvent> events;
  const std::optional<MemoryError>& error = run.finding.failure.memory;
  if (!error) {
    return events;
  }
  std::optional<trace::MemoryErrorInfo> traced = run.trace.memory_error;
  bool again = error->op == OpKind::kFree;
  std::vector<CodeName> used;
  if (!run.finding.failure.stacks.empty()) {
    used = run.finding.failure.stacks.front().frames;
  }
  events.push_back({again ? "freed" : used_word(error->op), error->thread_name, "",
                    used.empty() ? std::vector<Place>{} : places(used, debug)});
  bool was_freed =
      error->freed_by != kNoThread && run.finding.kind != FindingKind::kStackUseAfterReturn;
  if (was_freed) {
    events.push_back(
        {again ? "freed first" : "freed", error->freed_by_name,
         count(error->step - error->freed_step, "step") + " earlier",
         places(run.trace, traced ? traced->freed_callers : 0, error->freed_at, debug)});
  }
  if (error->block != 0) {
    events.push_back(
        {"allocated", error->allocated_by_name, "",
         places(run.trace, traced ? traced->allocated_callers : 0, error->allocated_at, debug)});
  }
  return events;
}

}  // namespace rff
