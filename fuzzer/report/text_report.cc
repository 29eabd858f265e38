#include "fuzzer/report/text_report.h"

#include <algorithm>
#include <sstream>

#include "fuzzer/common/words.h"
#include "fuzzer/explain/story.h"

namespace rff {
namespace {

constexpr std::size_t kMostStory = 60;
constexpr std::size_t kMostThreads = 16;

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) {
    text.resize(width, ' ');
  }
  return text;
}

std::string first_upper(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

void print_threads(std::ostringstream& out, const Explanation& x, DebugInfo& debug) {
  std::size_t shown = 0;
  for (const ThreadReport& t : x.threads) {
    if (++shown > kMostThreads) {
      out << "\n  ... and " << count(x.threads.size() - kMostThreads, "more thread")
          << " (--json has them)\n";
      break;
    }
    out << "\n  thread " << t.name;
    if (t.created_at.offset != 0) {
      out << " (created in " << t.created_at.text() << ")";
    }
    out << ": " << t.state << "\n";
    std::vector<Repeat> repeats = repeated_frames(t.frames);
    auto repeat = repeats.begin();
    // How a library calls the program's function is of no interest.
    std::size_t end = t.frames.size();
    while (end > 1 && t.frames[end - 1].in_library()) {
      --end;
    }
    std::size_t shown_line = 0;  // the program's own, if there is one
    while (shown_line < end && t.frames[shown_line].in_library()) {
      ++shown_line;
    }
    for (std::size_t i = 0; i < t.frames.size(); ++i) {
      if (i == end && t.frames.size() - end > 1) {
        out << "    ...  " << t.frames.size() - end << " frames of libraries\n";
        break;
      }
      const Place& p = t.frames[i];
      out << "    #" << i << "  " << padded(p.function.empty() ? "??" : p.function, 20) << "  "
          << p.where() << "\n";
      std::string line = i == shown_line ? debug.source_line(p) : "";
      if (!line.empty()) {
        out << "          > " << line << "\n";
      }
      if (repeat != repeats.end() && i + 1 == repeat->begin + repeat->length) {
        out << "    ...  " << repeat_text(*repeat, t.frames.size()) << "\n";
        i = repeat++->end() - 1;
      }
    }
  }
  if (x.ended_threads > 0) {
    out << "\n  " << count(x.ended_threads, "other thread") << " had ended.\n";
  }
}

std::string left_out_text(const StoryEvent& e) {
  return e.left_out == 0 ? count(e.left_out_of_others, "event") + " of other threads"
                         : count(e.left_out, "event") + " of its own" +
                               (e.left_out_of_others > 0
                                    ? ", " + std::to_string(e.left_out_of_others) + " of others"
                                    : "");
}

std::string mark(Need need) {
  return need == Need::kNeeded ? "*" : need == Need::kNotNeeded ? "-" : " ";
}

// What the marks do not say: how much was not tried, and why.
std::string untested_text(const Experiments& x) {
  if (x.end == Experiments::End::kOrderIsNotEnough) {
    return "What the failure needs could not be tested: the order of the threads alone does not "
           "lead to it again.\n";
  }
  if (x.untested == 0 || x.end == Experiments::End::kDone) {
    return "";  // what has no mark could not be had in another order
  }
  std::string text = "Not tested, so neither needed nor not: " + std::to_string(x.untested) +
                     " of " + std::to_string(x.tested + x.untested) + " pairs and switches";
  switch (x.end) {
    case Experiments::End::kRuns:
      return text + " (" + count(x.runs, "run") + " used up; more: --max-runs)\n";
    case Experiments::End::kTime:
      return text + " (" + std::to_string(kTimeForNeeds.count()) + " seconds used up in " +
             count(x.runs, "run") + "; more: --max-runs)\n";
    default: return text + " (interrupted)\n";
  }
}

void print_story(std::ostringstream& out, const Report& r, DebugInfo& debug) {
  const std::vector<StoryEvent>& story = r.explanation->story;
  if (story.empty()) {
    return;
  }
  Storyteller teller(r.run.trace, debug);
  std::size_t thread_width = 4;
  std::size_t what_width = 10;
  for (const StoryEvent& e : story) {
    thread_width = std::max(thread_width, r.run.trace.thread_name(e.thread).size());
    what_width = std::clamp(e.what.size(), what_width, std::size_t{48});
  }
  const std::optional<Experiments>& experiments = r.explanation->experiments;
  std::size_t left_out = r.explanation->story_left_out;
  out << "\nHow it came about (" << left_out + story.size() << " of "
      << count(r.run.events, "event") << ", " << r.run.switches
      << (r.run.switches == 1 ? " switch" : " switches") << " in all";
  if (experiments && experiments->tested > 0) {
    out << "; * the failure needs it: turned round, the failure was gone; - it fails without it "
           "too";
  }
  out << "):\n\n";
  std::uint32_t current = ~0u;
  std::size_t skip = story.size() > kMostStory ? story.size() - kMostStory : 0;
  if (skip > 0) {
    out << "    ... " << count(left_out + skip, "earlier line")
        << " left out (--trace has everything)\n";
  }
  for (std::size_t i = skip; i < story.size(); ++i) {
    const StoryEvent& e = story[i];
    if (e.thread != current && current != ~0u) {
      out << "  " << mark(e.switch_need) << " ---- switch to " << r.run.trace.thread_name(e.thread);
      if (e.preempted && e.switched) {
        out << " (" << r.run.trace.thread_name(e.previous) << " could have gone on)";
      }
      out << "\n";
    }
    if (e.thread == current && i > skip && e.left_out + e.left_out_of_others > 0) {
      out << "    " << padded(r.run.trace.thread_name(e.thread), thread_width) << "  ... "
          << left_out_text(e) << "\n";
    }
    current = e.thread;
    std::string source = teller.source_text(e);
    out << "  " << mark(e.pair_need) << " "
        << padded(r.run.trace.thread_name(e.thread), thread_width) << "  "
        << padded(e.what, what_width) << "  " << e.place.where()
        << (source.empty() ? "" : "   <- " + source) << "\n";
    if (e.repeated_times > 0) {
      out << "    ... "
          << (e.repeated_lines == 1 ? std::string("this")
                                    : "these " + std::to_string(e.repeated_lines) + " lines")
          << " " << e.repeated_times << " more times\n";
    }
  }
  if (r.run.failed() && r.run.trace.outcome) {
    bool together =
        r.run.finding.kind == FindingKind::kDeadlock || r.run.finding.kind == FindingKind::kHang;
    out << "  ! "
        << (together
                ? std::string()
                : padded(r.run.trace.thread_name(r.run.trace.outcome->thread), thread_width) + "  ")
        << finding_name(r.run.finding.kind) << "\n";
  }
  if (std::string untested = experiments ? untested_text(*experiments) : ""; !untested.empty()) {
    out << "\n" << untested;
  }
}

std::string verdict_line(const Report& r) {
  const Comparison& c = r.comparison;
  const auto& recorded = r.schedule.finding;
  std::string ran = count(r.run.events, "event") + ", " + count(r.run.threads, "thread");
  switch (c.verdict) {
    case Verdict::kReproduced:
      if (!recorded || recorded->kind == FindingKind::kNone) {
        return "FOUND";
      }
      if (r.target.rebuilt) {
        return "REPRODUCED in this build (" + ran + ")";
      }
      return c.identical ? "REPRODUCED, the same run event by event (" + ran + ")"
                         : "REPRODUCED, but not the same run";
    case Verdict::kNothingFound: return "NOTHING FOUND: the program ended by itself (" + ran + ")";
    case Verdict::kOtherFailure:
      return "ANOTHER FAILURE than the recorded one (" +
             (recorded ? recorded->summary : std::string()) + ")";
    case Verdict::kDiverged:
      return std::string("DIVERGED: the decisions could not be followed, and the program ") +
             (r.run.gave_up() ? "did not end" : "ended by itself");
    case Verdict::kDidNotEnd: return "DID NOT END in time, so it was cut off (--timeout)";
  }
  return "";
}

std::string likely_cause(const Report& r) {
  if (r.target.rebuilt) {
    return "the program is another build";
  }
  if (r.target.input_changed) {
    return "the input has changed";
  }
  return "something outside the program (time, files, other processes) is different, or the "
         "program is not deterministic";
}

}  // namespace

std::string trace_text(const Run& run, DebugInfo& debug) {
  std::ostringstream out;
  Storyteller teller(run.trace, debug);
  std::size_t width = 4;
  for (const Trace::Thread& t : run.trace.threads) {
    width = std::max(width, t.name.size());
  }
  for (const trace::EventInfo& info : run.trace.events) {
    StoryEvent e = teller.tell(info);
    std::string source = teller.source_text(e);
    out << padded(std::to_string(e.step), 7) << (e.switched ? (e.preempted ? ">> " : " > ") : "   ")
        << padded(run.trace.thread_name(e.thread), width) << "  " << padded(e.what, 32) << "  "
        << e.place.text() << (source.empty() ? "" : "   <- " + source) << "\n";
  }
  return out.str();
}

std::string text_report(const Report& r, DebugInfo& debug) {
  std::ostringstream out;
  out << verdict_line(r) << "\n";
  for (const std::string& note : r.target.notes) {
    out << "Note: " << note << ".\n";
  }
  if (!r.comparison.divergence.empty()) {
    out << "First divergence: " << r.comparison.divergence << ".\n";
    out << "Likely cause: " << likely_cause(r) << ".\n";
  }
  if (r.explanation != nullptr) {
    const Explanation& x = *r.explanation;
    out << "\n" << first_upper(x.headline) << "\n";
    for (const std::string& cause : x.causes) {
      out << "  " << first_upper(cause) << ".\n";
    }
    if ((r.run.flags & kNeededTimeout) != 0) {
      out << "  A timed wait was made to expire although other threads could run.\n";
    }
    print_story(out, r, debug);
    out << "\nWhere the threads are:\n";
    print_threads(out, x, debug);
  }
  if (!r.run.unpatched_modules.empty()) {
    out << "\nRan unpatched (their accesses are not seen):";
    for (const std::string& m : r.run.unpatched_modules) {
      out << " " << m;
    }
    out << "\n";
  }
  if (!r.run.unmodelled_calls.empty()) {
    out << "Not modelled:";
    for (const std::string& c : r.run.unmodelled_calls) {
      out << " " << c;
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace rff
