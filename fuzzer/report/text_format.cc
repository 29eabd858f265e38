// Writes the report for people, as rff-replay prints it.
#include <algorithm>
#include <sstream>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/common/overflow.h"
#include "fuzzer/common/words.h"
#include "fuzzer/report/finding_report.h"
#include "fuzzer/report/schedule_text.h"

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

// Replaces characters that would affect a terminal by a question mark.
std::vector<std::string> printable_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    for (char& c : line) {
      c = (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 127 ? '?' : c;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void print_stack(std::ostringstream& out, const std::vector<Place>& frames,
                 ReportDetails& details) {
  std::vector<Repeat> repeats = repeated_frames(frames);
  auto repeat = repeats.begin();
  // Library frames that call the program's function are of no interest.
  std::size_t end = frames.size();
  while (end > 1 && frames[end - 1].in_library()) {
    --end;
  }
  std::size_t shown_line = 0;  // the program's innermost frame, if there is one
  while (shown_line < end && frames[shown_line].in_library()) {
    ++shown_line;
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i == end && frames.size() - end > 1) {
      out << "    ...  " << frames.size() - end << " frames of libraries\n";
      break;
    }
    const Place& p = frames[i];
    out << "    #" << i << "  " << padded(p.function.empty() ? "??" : p.function, 20) << "  "
        << p.where() << "\n";
    std::string line = i == shown_line ? details.source_line(p) : "";
    if (!line.empty()) {
      out << "          > " << line << "\n";
    }
    if (repeat != repeats.end() && i + 1 == repeat->begin + repeat->length) {
      out << "    ...  " << repeat_text(*repeat, frames.size()) << "\n";
      i = repeat++->end() - 1;
    }
  }
}

void print_threads(std::ostringstream& out, const FindingReport& r) {
  const Explanation& x = *r.explanation;
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
    print_stack(out, t.frames, *r.details);
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

// Says how much was not tested, and why: the marks do not show this.
std::string untested_text(const Experiments& x) {
  if (x.end == Experiments::End::kOrderIsNotEnough) {
    return "What the failure needs could not be tested: the order of the threads alone does not "
           "lead to it again.\n";
  }
  if (x.untested == 0 || x.end == Experiments::End::kDone) {
    return "";  // events without a mark could not be reordered
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

std::string story_heading(const FindingReport& r) {
  const Explanation& x = *r.explanation;
  std::string text = "\nHow it came about (" + std::to_string(x.story_left_out + x.story.size()) +
                     " of " + count(r.events, "event") + ", " + std::to_string(r.switches) +
                     (r.switches == 1 ? " switch" : " switches") + " in all";
  if (x.experiments && x.experiments->tested > 0) {
    text += "; * the failure needs it: reversed, the failure disappears; - it fails without it too";
  }
  return text + "):\n\n";
}

// Prints one event of the story. `thread_width`, `what_width`: the widths of the columns.
void print_event(std::ostringstream& out, const FindingReport& r, const StoryEvent& e,
                 std::size_t thread_width, std::size_t what_width) {
  out << "  " << mark(e.pair_need) << " " << padded(r.thread_name(e.thread), thread_width) << "  "
      << padded(e.what, what_width) << "  " << e.place.where()
      << (e.source.empty() ? "" : "   <- " + e.source) << "\n";
  if (e.repeated_times > 0) {
    out << "    ... "
        << (e.repeated_lines == 1 ? std::string("this")
                                  : "these " + std::to_string(e.repeated_lines) + " lines")
        << " " << e.repeated_times << " more times\n";
  }
}

void print_events(std::ostringstream& out, const FindingReport& r, std::size_t thread_width) {
  const std::vector<StoryEvent>& story = r.explanation->story;
  std::size_t what_width = 10;
  for (const StoryEvent& e : story) {
    what_width = std::clamp(e.what.size(), what_width, std::size_t{48});
  }
  std::uint32_t current = ~0u;
  std::size_t skip = story.size() > kMostStory ? story.size() - kMostStory : 0;
  if (skip > 0) {
    out << "    ... " << count(r.explanation->story_left_out + skip, "earlier line")
        << " left out (--trace has everything)\n";
  }
  for (std::size_t i = skip; i < story.size(); ++i) {
    const StoryEvent& e = story[i];
    if (e.thread != current && current != ~0u) {
      out << "  " << mark(e.switch_need) << " ---- switch to " << r.thread_name(e.thread);
      if (e.preempted && e.switched) {
        out << " (" << r.thread_name(e.previous) << " could have gone on)";
      }
      out << "\n";
    }
    if (e.thread == current && i > skip && e.left_out + e.left_out_of_others > 0) {
      out << "    " << padded(r.thread_name(e.thread), thread_width) << "  ... " << left_out_text(e)
          << "\n";
    }
    current = e.thread;
    print_event(out, r, e, thread_width, what_width);
  }
}

void print_story(std::ostringstream& out, const FindingReport& r) {
  const Explanation& x = *r.explanation;
  if (x.story.empty()) {
    return;
  }
  std::size_t thread_width = 4;
  for (const StoryEvent& e : x.story) {
    thread_width = std::max(thread_width, r.thread_name(e.thread).size());
  }
  out << story_heading(r);
  print_events(out, r, thread_width);
  if (r.failed() && r.ended_by) {
    out << "  ! "
        << (r.fails_together() ? std::string()
                               : padded(r.thread_name(*r.ended_by), thread_width) + "  ")
        << finding_name(r.kind) << "\n";
  }
  if (std::string untested = x.experiments ? untested_text(*x.experiments) : "";
      !untested.empty()) {
    out << "\n" << untested;
  }
}

std::string verdict_line(const FindingReport& r) {
  const Comparison& c = r.comparison;
  const auto& recorded = r.recorded;
  std::string ran = count(r.events, "event") + ", " + count(r.thread_count, "thread");
  switch (c.verdict) {
    case Verdict::kReproduced:
      if (!recorded || recorded->kind == FindingKind::kNone) {
        return "FOUND";
      }
      if (r.rebuilt) {
        return "REPRODUCED in this build (" + ran + ")";
      }
      return c.identical ? "REPRODUCED, the same run event by event (" + ran + ")"
                         : "REPRODUCED, but not the same run";
    case Verdict::kNothingFound: return "NOTHING FOUND: the program ended by itself (" + ran + ")";
    case Verdict::kOtherFailure:
      return "ANOTHER FAILURE than the recorded one (" +
             (recorded ? finding_words(*recorded) : std::string()) + ")";
    case Verdict::kDiverged:
      return std::string("DIVERGED: the decisions could not be followed, and the program ") +
             (r.gave_up ? "did not end" : "ended by itself");
    case Verdict::kNotReproduced: return "NOT REPRODUCED in this build (" + ran + ")";
    case Verdict::kCannotJudge: return "CANNOT BE JUDGED: the code has changed too much";
    case Verdict::kDidNotEnd: return "DID NOT END in time, so it was cut off (--timeout)";
  }
  return "";
}

std::string likely_cause(const FindingReport& r) {
  if (r.rebuilt) {
    return "the program is another build";
  }
  if (r.input_changed) {
    return "the input has changed";
  }
  return "something outside the program (time, files, other processes) is different, or the "
         "program is not deterministic";
}

void print_names(std::ostringstream& out, const std::string& title,
                 const std::vector<std::string>& names) {
  if (!names.empty()) {
    out << title;
    for (const std::string& name : names) {
      out << " " << name;
    }
    out << "\n";
  }
}

// Prints the whole interleaving, one event per line.
void print_trace(std::ostringstream& out, const FindingReport& r) {
  std::size_t width = 4;
  for (const ReportedThread& t : r.threads) {
    width = std::max(width, t.name.size());
  }
  for (std::size_t i = 0; i < r.details->events(); ++i) {
    StoryEvent e = r.details->tell(i);
    out << padded(std::to_string(e.step), 7) << (e.switched ? (e.preempted ? ">> " : " > ") : "   ")
        << padded(r.thread_name(e.thread), width) << "  " << padded(e.what, 32) << "  "
        << e.place.text() << (e.source.empty() ? "" : "   <- " + e.source) << "\n";
  }
  out << "\n";
}

// Prints the end of the program's output: the last lines are usually about the failure.
void print_output(std::ostringstream& out, const FindingReport& r) {
  constexpr std::size_t kMostLines = 20;
  constexpr std::size_t kLongestLine = 200;
  std::vector<std::string> lines = printable_lines(r.output);
  while (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  bool assertion_only = r.kind == FindingKind::kAssert && lines.size() == 1;
  if (lines.empty() || assertion_only) {
    return;
  }
  std::size_t skip = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
  out << "\nThe program printed"
      << (skip > 0 || r.output_left_out > 0
              ? " (the last " + count(lines.size() - skip, "line") + "; --json has more)"
              : "")
      << ":\n\n";
  for (std::size_t i = skip; i < lines.size(); ++i) {
    out << "  | "
        << (lines[i].size() > kLongestLine ? lines[i].substr(0, kLongestLine) + "..." : lines[i])
        << "\n";
  }
}

std::string duration_text(std::uint64_t nanoseconds) {
  struct Unit {
    std::uint64_t nanoseconds;
    const char* name;
  };
  for (Unit u : {Unit{1'000'000'000, "s"}, Unit{1'000'000, "ms"}, Unit{1000, "us"}}) {
    if (nanoseconds >= u.nanoseconds) {
      std::uint64_t tenths = nanoseconds / (u.nanoseconds / 10);
      return std::to_string(tenths / 10) +
             (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "") + " " + u.name;
    }
  }
  return std::to_string(nanoseconds) + " ns";
}

void print_early_timeout(std::ostringstream& out, const FindingReport& r) {
  const EarlyTimeout& e = r.early_timeout;
  if (e.nanoseconds > 0 && e.thread < r.threads.size() && e.preempted < r.threads.size()) {
    out << "  In this run a wait of " << duration_text(e.nanoseconds) << " in "
        << r.threads[e.thread].name << " ended while " << r.threads[e.preempted].name
        << " was preempted.\n";
  }
}

void print_input(std::ostringstream& out, const FindingReport& r) {
  if (!r.input.given()) {
    return;
  }
  out << "Input: " << input_text(r.input) << "\n";
  std::istringstream values(r.values);
  for (std::string line; std::getline(values, line);) {
    out << "  " << line << "\n";
  }
}

// Prints one line for each place in the life of the block: innermost frame first.
void print_memory(std::ostringstream& out, const Explanation& x) {
  constexpr std::size_t kMostFrames = 6;
  for (const BlockEvent& e : x.memory) {
    out << "  " << padded(e.what, 11) << " ";
    for (std::size_t i = 0; i < std::min(e.frames.size(), kMostFrames); ++i) {
      const Place& p = e.frames[i];
      out << (i > 0 ? " < " : "") << (p.function.empty() ? "" : p.function + " ") << p.where();
    }
    out << (e.frames.size() > kMostFrames ? " < ..." : "") << "   by " << e.by
        << (e.when.empty() ? "" : ", " + e.when) << "\n";
  }
}

void print_explanation(std::ostringstream& out, const FindingReport& r) {
  const Explanation& x = *r.explanation;
  // The headline already contains the assertion.
  bool said = !x.message.empty() && r.kind != FindingKind::kAssert;
  out << "\n" << (said ? x.message + "\n" : "") << first_upper(x.headline) << "\n";
  for (const std::string& cause : x.causes) {
    out << "  " << first_upper(cause) << ".\n";
  }
  print_memory(out, x);
  print_early_timeout(out, r);
  print_output(out, r);
  print_story(out, r);
  out << "\nWhere the threads are:\n";
  print_threads(out, r);
}

}  // namespace

std::string write_text(const FindingReport& r) {
  std::ostringstream out;
  if (r.whole_trace) {
    print_trace(out, r);
  }
  out << verdict_line(r) << "\n";
  print_input(out, r);
  for (const std::string& note : r.notes) {
    out << "Note: " << note << ".\n";
  }
  if (!r.comparison.divergence.empty() && r.comparison.verdict != Verdict::kNotReproduced) {
    out << "First divergence: " << r.comparison.divergence << ".\n";
    out << "Likely cause: " << likely_cause(r) << ".\n";
  }
  if (r.explanation) {
    print_explanation(out, r);
  }
  if (!r.sanitizer.empty()) {
    out << "\nWhat the sanitizer reported:\n" << r.sanitizer;
  }
  print_names(out, "\nRan unpatched (their accesses are not seen):", r.unpatched_modules);
  print_names(out, "Not modelled:", r.unmodelled_calls);
  for (const std::string& text : overflow_texts(r.overflowed)) {
    out << "The run had " << text << ".\n";
  }
  return out.str();
}

}  // namespace rff
