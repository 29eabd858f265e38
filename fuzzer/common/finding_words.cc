#include "fuzzer/common/finding_words.h"

#include <cxxabi.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <vector>

namespace rff {
namespace {

// Describes one thread of a deadlock.
std::string waiting_words(const FailureWait& w, const CodeWords& code) {
  std::string text = "thread " + w.thread_name + " waits for ";
  if (w.op == OpKind::kThreadJoin && w.holder != kNoThread) {
    return text + "thread " + w.holder_name + " to end, in " + code({w.site, w.thread});
  }
  text += wait_words(w.object) + " in " + code({w.site, w.thread});
  if (w.holder == kNoThread && w.held_since != CodeName{}) {
    text += ", over what was made in " + code({w.held_since, kNoThread, &w});
  }
  if (w.holder != kNoThread) {
    std::string since = w.held_since == CodeName{} ? "" : code({w.held_since, kNoThread, &w});
    text += (w.holder == w.thread ? std::string(", which it holds itself")
                                  : ", held by thread " + w.holder_name) +
            (since.empty() ? "" : " since " + since);
  }
  return text;
}

// Describes one thread of a hang, with the reads that it repeats elsewhere than at its position.
std::string going_on_words(const Failure& f, const FailureWait& w, const CodeWords& code) {
  std::set<CodeName> reads;
  for (const RepeatedRead& r : f.repeated_reads) {
    if (r.thread == w.thread) {
      reads.insert(r.site);
    }
  }
  std::string text = "thread " + w.thread_name + " in " + code({w.site, w.thread});
  if (reads.empty() || reads == std::set<CodeName>{w.site}) {
    return text;
  }
  const char* before = " (reads the same at ";
  for (CodeName site : reads) {
    text += before + code({site, w.thread});
    before = ", ";
  }
  return text + ")";
}

// Describes each thread of the finding. Threads that only wait for the end of others come last.
std::vector<std::string> thread_words(const Finding& finding, const CodeWords& code) {
  std::vector<std::string> threads;
  std::vector<std::string> joiners;
  for (const FailureWait& w : finding.failure.waits) {
    bool goes_on = finding.kind == FindingKind::kNone && w.object == WaitObject::kNone;
    if (finding.kind == FindingKind::kHang || goes_on) {
      threads.push_back(going_on_words(finding.failure, w, code));
    } else {
      bool joins = w.op == OpKind::kThreadJoin && w.holder != kNoThread;
      (joins ? joiners : threads).push_back(waiting_words(w, code));
    }
  }
  threads.insert(threads.end(), joiners.begin(), joiners.end());
  return threads;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : "; ") + part;
  }
  return text;
}

// A run without an end may have thousands of threads.
std::vector<std::string> first_threads(std::vector<std::string> threads) {
  constexpr std::size_t kMost = 8;
  if (threads.size() > kMost) {
    std::string more = "and " + std::to_string(threads.size() - kMost) + " more";
    threads.resize(kMost);
    threads.push_back(more);
  }
  return threads;
}

// Returns the words before the list of threads.
const char* threads_begin(FindingKind kind) {
  return kind == FindingKind::kDeadlock ? "deadlock: " : "hang: the same state for ever in ";
}

std::string signal_name(int signal) {
  if (const char* name = ::sigabbrev_np(signal)) {
    return std::string("SIG") + name;
  }
  int above = signal - SIGRTMIN;
  return above == 0  ? "SIGRTMIN"
         : above > 0 ? "SIGRTMIN+" + std::to_string(above)
                     : "signal " + std::to_string(signal);
}

std::string hint_words(const Failure& f) {
  return f.facts.has(kWithoutEvents)
             ? " (loops without reading memory: has the compiler moved a load out of the loop?)"
             : "";
}

std::string crash_words(const Failure& f, const CodeWords& code) {
  std::string inside = f.facts.has(kInsideLibrary) ? " in " + code({f.facts.inside}) : "";
  switch (f.facts.cause) {
    case CrashCause::kAbort: return "abort called" + inside;
    case CrashCause::kSanitizer: return f.words;
    case CrashCause::kException: return "uncaught exception " + exception_words(f);
    default: break;
  }
  return signal_words(f) +
         (f.facts.has(kCalledAddress) ? " by a call of " + hex_words(f.facts.address) : "") +
         inside + (f.facts.has(kAccessedAddress) ? ", address " + hex_words(f.facts.address) : "");
}

}  // namespace

std::string hex_words(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

std::string code_words(const Finding& finding, CodeName code) {
  const std::vector<ModuleName>& modules = finding.failure.modules;
  auto m = std::find_if(modules.begin(), modules.end(),
                        [&](const ModuleName& name) { return name.hash == code.module; });
  return (m == modules.end() ? "" : m->name + "+") + hex_words(code.offset);
}

std::string signal_words(const Failure& f) {
  return signal_name(f.facts.signal) + (f.facts.has(kStackOverflow) ? " (stack overflow)" : "") +
         (f.facts.has(kBadFreeList) ? " (the cache of freed blocks holds an address of nothing)"
                                    : "") +
         (f.words.empty() ? "" : " (" + f.words + ")");
}

std::string exception_words(const Failure& f) {
  char* readable = abi::__cxa_demangle(f.words.c_str(), nullptr, nullptr, nullptr);
  std::string text = readable != nullptr ? readable : f.words;
  std::free(readable);
  return text;
}

std::string divergence_words(const DivergenceFacts& d) {
  return "decision " + std::to_string(d.decision + 1) + " cannot be followed: thread " +
         std::to_string(d.thread) +
         (d.cause == DivergenceCause::kCannotRun ? " cannot run here"
                                                 : " is about to do something else");
}

std::string finding_words(const Finding& finding, const CodeWords& code) {
  const Failure& f = finding.failure;
  if (!f.version_2_text.empty()) {
    return f.version_2_text;
  }
  switch (finding.kind) {
    case FindingKind::kCrash: return crash_words(f, code);
    case FindingKind::kUseAfterFree:
    case FindingKind::kHeapOverflow:
    case FindingKind::kHeapUnderflow:
    case FindingKind::kDoubleFree:
    case FindingKind::kInvalidFree:
    case FindingKind::kMismatchedFree:
    case FindingKind::kStackUseAfterReturn:
      return f.memory ? "thread " + f.memory->thread_name + " " +
                            memory_error_words(finding.kind, *f.memory)
                      : "";
    case FindingKind::kExit: return "exit status " + std::to_string(f.facts.exit_status);
    case FindingKind::kHang:
    case FindingKind::kDeadlock: {
      std::string threads = joined(thread_words(finding, code));
      return threads.empty() ? (finding.kind == FindingKind::kDeadlock ? "deadlock" : "")
                             : threads_begin(finding.kind) + threads + hint_words(f);
    }
    case FindingKind::kNone:
      if (!f.waits.empty()) {
        return joined(first_threads(thread_words(finding, code))) + hint_words(f);
      }
      [[fallthrough]];
    default: return f.divergence ? divergence_words(*f.divergence) : f.words;
  }
}

std::string finding_words(const Finding& finding) {
  return finding_words(finding, [&](const CodeUse& use) { return code_words(finding, use.code); });
}

std::string short_finding_words(const Finding& finding, const CodeWords& code) {
  constexpr std::size_t kMost = 1023;
  if (!fails_together(finding.kind)) {
    return finding_words(finding);
  }
  std::string kind = std::string(finding_name(finding.kind)) + ": ";
  std::string begin = threads_begin(finding.kind);
  auto raw =
      thread_words(finding, [&](const CodeUse& use) { return code_words(finding, use.code); });
  std::vector<std::string> shown = thread_words(finding, code);
  std::size_t fits = 0;
  for (std::size_t length = begin.size(); fits < raw.size(); ++fits) {
    length += raw[fits].size();
    if (length + (fits + 1 < raw.size() ? 2 : 1) > kMost) {
      break;
    }
    length += 2;
  }
  if (fits < shown.size()) {
    shown.resize(std::max<std::size_t>(fits, 1));
    shown.push_back("...");
  }
  std::string text = joined(shown);
  return text.empty() ? finding_words(finding, code)
                      : begin.substr(kind.size()) + text + hint_words(finding.failure);
}

}  // namespace rff
