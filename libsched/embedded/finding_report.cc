// The report that a failed run prints: what failed, who waits for what, where the threads are, and
// how to repeat it. rff-replay knows source lines, too.
#include <string>

#include "libsched/embedded/door.h"
#include "libsched/embedded/symbols.h"
#include "libsched/support/known_thread.h"
#include "libsched/support/real.h"
#include "schedule/wait_words.h"

namespace rff::embedded {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Returns the function and the place in its file.
std::string place_text(const Modules& modules, CodeName place) {
  PlaceNames& names = door().kept().names;
  std::string text(names.find(place));
  for (const Module& m : modules.all()) {
    if (m.hash != place.module || !text.empty()) {
      continue;
    }
    // Most places are return addresses: the call is before. A crash may be a function's first byte.
    std::string function = symbol_at(m.path, place.offset - 1);
    function = function.empty() ? symbol_at(m.path, place.offset) : function;
    text = function + (function.empty() ? "(" : " (") + file_name(m.path) + "+" +
           hex(place.offset) + ")";
    names.keep(place, text);
  }
  return text.empty() ? "?" : text;
}

std::string thread_name(const Execution& execution, std::uint32_t index) {
  return index < execution.threads().size() ? std::string(execution.threads()[index]->name)
                                            : std::string("?");
}

std::string waited_for(WaitObject object) {
  return object == WaitObject::kNone ? "nothing: it can run" : wait_words(object);
}

void add_waits(const Runtime& failed, const RunRecord& record, std::string& text) {
  const Modules& modules = failed.process.modules;
  for (const SharedWait& w : record.waits) {
    std::string holder(w.holder_name.view());
    bool held = w.holder != kNoThread && w.object != WaitObject::kThreadEnd;
    text += "  " + std::string(w.thread_name.view()) + " waits for ";
    text += w.object == WaitObject::kThreadEnd ? holder + " to end" : waited_for(w.object);
    text += ", in " + place_text(modules, w.site);
    if (held) {
      text += ", held by " + (w.holder == w.thread ? "itself" : holder);
      text += w.held_since.module != 0 ? " since " + place_text(modules, w.held_since) : "";
    }
    text += "\n";
  }
}

// True for the frame that has called rff_run, which is no part of the run. Frames lie within their
// calls; the caller's place is behind its call.
bool calls_run(CodeName frame) {
  ++frame.offset;
  return frame == door().caller();
}

void add_stacks(const Runtime& failed, const RunRecord& record, std::string& text) {
  for (const SharedStack& stack : record.stacks) {
    text += "  thread " + thread_name(failed.run.execution, stack.thread) + ":\n";
    for (std::uint32_t i = 0; i < stack.count && !calls_run(stack.frames[i]); ++i) {
      text += "    #" + std::to_string(i) + "  " +
              place_text(failed.process.modules, stack.frames[i]) + "\n";
    }
  }
}

}  // namespace

std::string finding_report(const Runtime& failed) {
  const RunRecord& record = failed.process.shared->run;
  std::string text = std::string("rff: ") + door().kept().facts.kind;
  if (!record.words.view().empty()) {
    text += ": " + std::string(record.words.view());
  } else {
    text += " at " + place_text(failed.process.modules, record.place);
  }
  auto counted = [](std::uint64_t n, const char* what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  text += "\n  " + counted(record.threads, "thread") + ", " + counted(record.events, "event") +
          ", " + counted(record.decisions.size(), "decision") + ", " +
          std::to_string(record.switches) + " switches" +
          "; seen of memory: " + rff_memory_events() + "\n";
  add_waits(failed, record, text);
  add_stacks(failed, record, text);
  return text + "  replay: RFF_REPLAY=" + rff_last_text() + "\n";
}

}  // namespace rff::embedded

using namespace rff;
using namespace rff::embedded;

RFF_EXPORT const char* rff_memory_events() {
  Kept& kept = door().kept();
  if (kept.has_callbacks) {
    return "compiler callbacks";
  }
  bool patched = door().is_made() && !door().made().process.modules.patched().empty();
  return patched ? "instrumented code" : kPrimitivesOnly;
}

RFF_EXPORT void rff_print_replay() {
  if (known_thread && door().running()) {
    put("rff: a sanitizer reports an error in this run\n  replay: RFF_REPLAY=" +
        std::string(rff_last_text()) + "\n");
  }
}
