#include "fuzzer/explain/explanation.h"

#include <algorithm>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/debug/locals.h"
#include "fuzzer/debug/readable_finding.h"
#include "fuzzer/debug/unwinder.h"
#include "fuzzer/explain/causes.h"
#include "fuzzer/explain/memory_errors.h"
#include "fuzzer/explain/program_message.h"
#include "fuzzer/explain/repeats.h"
#include "fuzzer/explain/selection.h"
#include "fuzzer/explain/waits.h"

namespace rff {
namespace {

// Describes a crash in a sentence.
std::string crash_text(const std::string& who, const Failure& f, const std::string& where) {
  switch (f.facts.cause) {
    case CrashCause::kAbort: return who + " calls abort in " + where + ".";
    case CrashCause::kSanitizer: return who + " is stopped by " + f.words + " in " + where + ".";
    case CrashCause::kException:
      return who + " does not catch " + exception_words(f) + " in " + where + ".";
    default: break;
  }
  std::string text = who + " gets " + signal_words(f) + " in " + where;
  if (f.facts.has(kCalledAddress)) {
    return text + ": it called address " + hex_words(f.facts.address) + ", which is no code.";
  }
  return text +
         (f.facts.has(kAccessedAddress) ? ", accessing address " + hex_words(f.facts.address)
                                        : "") +
         ".";
}

std::string headline(const Run& run, DebugInfo& debug, bool in_program) {
  const Finding& f = run.finding;
  std::string where = finding_place(f, debug).text();
  std::string who =
      run.trace.outcome ? "thread " + run.trace.thread_name(run.trace.outcome->thread) : "a thread";
  switch (f.kind) {
    case FindingKind::kAssert: {
      const std::string& words = f.failure.words;
      auto begin = words.find('`');
      auto end = words.rfind('\'');
      std::string condition = begin != std::string::npos && end > begin
                                  ? " `" + words.substr(begin + 1, end - begin - 1) + "`"
                                  : std::string();
      return who + " fails the assertion" + condition + " in " + where + ".";
    }
    case FindingKind::kCrash:
      return crash_text(who, f.failure,
                        in_program ? where
                                   : "the C library, with no function of the program on the stack "
                                     "(as where a thread ends)");
    case FindingKind::kDeadlock: {
      std::size_t waiting = run.trace.waits.size();
      std::vector<std::uint32_t> cycle = waiting_cycle(run.trace);
      std::string others =
          cycle.size() < waiting ? "; all other live threads wait, too." : std::string(".");
      if (!cycle.empty()) {
        return "deadlock: " + threads_text(run.trace, cycle) +
               (cycle.size() == 1   ? " waits for itself"
                : cycle.size() == 2 ? " wait for each other"
                                    : " wait for each other in a circle") +
               others;
      }
      return "deadlock: " +
             (waiting == 1
                  ? std::string("the only live thread waits")
                  : (waiting == 2 ? std::string("both") : "all " + std::to_string(waiting)) +
                        " live threads wait") +
             " for something that will not happen.";
    }
    case FindingKind::kHang:
      return "hang: the threads go on without getting anywhere, first in " + where + ".";
    case FindingKind::kExit:
      return who + " ends the program with " + finding_words(f) + " in " + where + ".";
    case FindingKind::kUseAfterFree:
    case FindingKind::kHeapOverflow:
    case FindingKind::kHeapUnderflow:
    case FindingKind::kDoubleFree:
    case FindingKind::kInvalidFree:
    case FindingKind::kMismatchedFree:
    case FindingKind::kStackUseAfterReturn: return memory_headline(run, debug, where);
    default:
      return run.gave_up() ? "the program went on without an end and was stopped after " +
                                 std::to_string(run.events) + " events."
                           : finding_words(f);
  }
}

std::string state_text(const Run& run, DebugInfo& debug, const Trace::Wait* wait,
                       bool failed_here) {
  if (failed_here && !fails_together(run.finding.kind)) {
    return "failed here";
  }
  if (wait == nullptr) {
    return "was running";
  }
  auto op = static_cast<OpKind>(wait->info.op);
  std::string what = waited_object(run.trace, debug, *wait);
  if (wait->info.blocked == 0) {
    if (op == OpKind::kThreadStart) {
      return "has not started yet";
    }
    std::string where = debug.wait_place(wait->info.thread, op, wait->info.waits_at).where();
    std::string pending = verb(op) + (what.empty() ? "" : " " + what);
    return "could go on: next it " + pending + " at " + where;
  }
  return wait_text(run.trace, debug, *wait);
}

}  // namespace

std::vector<Repeat> repeated_frames(const std::vector<Place>& frames) {
  return find_repeats(frames.size(), [&](std::size_t i, std::size_t j) {
    return frames[i].module == frames[j].module && frames[i].offset == frames[j].offset &&
           frames[i].function == frames[j].function && frames[i].line == frames[j].line;
  });
}

std::string repeat_text(const Repeat& repeat, std::size_t frames) {
  return (repeat.length == 1 ? std::string("this frame")
                             : "these " + std::to_string(repeat.length) + " frames") +
         " again, " + std::to_string(repeat.times) +
         (repeat.end() == frames ? " times and further (no more was recorded)" : " times");
}

void add_modules(const Run& run, DebugInfo& debug) {
  for (const Trace::Module& m : run.trace.modules) {
    debug.add_module(m.info.hash, m.path);
  }
}

Explanation explain(const Run& run, DebugInfo& debug) {
  Explanation x;
  Storyteller teller(run.trace, debug);
  Unwinder unwinder(run.trace, debug);
  debug.add_trace(run.trace, run.finding);
  add_locals(run.trace, debug);
  x.causes = find_causes(run, debug);
  bool together = fails_together(run.finding.kind);
  std::vector<std::uint32_t> cycle = together ? waiting_cycle(run.trace) : decltype(cycle){};
  for (const Trace::Stack& stack : run.trace.stacks) {
    ThreadReport t;
    t.index = stack.registers.thread;
    if (together && run.trace.wait_of(t.index) == nullptr) {
      continue;  // the thread has ended with the last step of the run
    }
    t.name = run.trace.thread_name(t.index);
    t.failed_here =
        !together && run.failed() && run.trace.outcome && run.trace.outcome->thread == t.index;
    if (t.index < run.trace.threads.size() && t.index != 0) {
      t.created_at = debug.created_place(t.index, run.trace.threads[t.index].info.created_at);
    }
    t.state = state_text(run, debug, run.trace.wait_of(t.index), t.failed_here);
    for (const Frame& f : unwinder.unwind(stack)) {
      auto kind = f.exact ? DebugInfo::Code::kInstruction : DebugInfo::Code::kReturnAddress;
      for (const Place& p : debug.inlined(f.code, kind)) {
        t.frames.push_back(p);
      }
      if (t.index == 0 && t.frames.back().function == "main") {
        break;  // outer frames belong to the C library
      }
      if (t.index == 0 && t.frames.back().function.starts_with("__libc_start_")) {
        t.frames.pop_back();  // called by it: main, without a name
        break;
      }
    }
    x.threads.push_back(std::move(t));
  }
  bool in_program = std::none_of(x.threads.begin(), x.threads.end(), [](const ThreadReport& t) {
    return t.failed_here && t.frames.empty();
  });
  if (ProgramMessage said = program_message(run.output); said.known && run.failed()) {
    x.message = said.text;
  }
  x.headline = headline(run, debug, in_program);
  // Threads that are part of the failure come first: the failing one, those in the cycle, those
  // that loop.
  std::stable_partition(x.threads.begin(), x.threads.end(), [&](const ThreadReport& t) {
    const Trace::Wait* wait = run.trace.wait_of(t.index);
    return t.failed_here || std::find(cycle.begin(), cycle.end(), t.index) != cycle.end() ||
           (run.finding.kind == FindingKind::kHang && wait->info.blocked == 0);
  });
  auto of_program =
      static_cast<std::size_t>(std::count_if(run.trace.threads.begin(), run.trace.threads.end(),
                                             [](const auto& t) { return t.info.attendant == 0; }));
  x.ended_threads = of_program - std::min(of_program, x.threads.size());
  x.memory = explain_memory(run, debug);
  x.story = tell_story(run, teller, &x.story_left_out);
  return x;
}

}  // namespace rff
