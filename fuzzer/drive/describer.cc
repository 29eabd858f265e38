#include "fuzzer/drive/describer.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/debug/readable_finding.h"
#include "fuzzer/drive/values.h"
#include "fuzzer/explain/explanation.h"
#include "fuzzer/explain/story.h"
#include "fuzzer/explain/waits.h"

namespace rff {

using driving::PointThread;

namespace {

bool overlap(const PointThread& a, const PointThread& b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

bool race(const PointThread& a, const PointThread& b) {
  return a.index != b.index && op_accesses(a.event.op) && op_accesses(b.event.op) &&
         overlap(a, b) && (a.writes || b.writes);
}

}  // namespace

void Describer::add_modules() {
  for (const ModuleRecord& m : session_.live().shared().modules) {
    debug_.add_module(m.hash, std::string(m.path.view()));
  }
}

std::string Describer::name(std::uint32_t thread) const {
  auto it = session_.names().find(thread);
  return it == session_.names().end() ? "thread " + std::to_string(thread) : it->second;
}

Place Describer::place(const PointThread& t) {
  // An access in a function of the library that is inlined belongs to the line that uses it.
  DebugInfo::Code kind =
      op_accesses(t.event.op) ? DebugInfo::Code::kInstruction : DebugInfo::Code::kReturnAddress;
  for (const Place& p : debug_.inlined(t.site, kind)) {
    if (!p.in_library() && !p.file.empty()) {
      return p;
    }
  }
  // A library without hooks may have made the call for the program, as std::thread does.
  std::uint32_t count = std::min(t.frame_count, PointThread::kMostFrames);
  return debug_.own_place({t.frames, t.frames + count}, debug_.place(t.event.op, t.site));
}

std::string Describer::operation(const PointThread& t) {
  OpKind op = t.event.op;
  std::string what = verb(op);
  bool on_nothing = t.address == 0 && !op_accesses(op);
  if (op == OpKind::kThreadJoin && t.holder != kNoThread) {
    return what + " " + name(t.holder);
  }
  if (!is_lifecycle(op) && !on_nothing) {
    std::string location = debug_.location(t.event, t.address);
    what += location.empty() ? "" : " " + location;
  }
  return what;
}

std::string Describer::place_text(const PointThread& t) {
  return (t.event.op == OpKind::kThreadStart ? "created in " : "") + place(t).text();
}

std::string Describer::value_now(const PointThread& t) {
  if (!op_accesses(t.event.op) || t.event.op == OpKind::kFree || t.bytes == 0 || t.bytes > 8) {
    return "";
  }
  std::string bytes = read_memory(session_.live().process(), t.address, t.bytes);
  if (bytes.size() != t.bytes) {
    return "";
  }
  std::uint64_t value = 0;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&value));
  return " (now " + value_text(value, t.bytes) + ")";
}

std::string Describer::wait(const PointThread& t) {
  if ((t.flags & driving::kEnabled) != 0) {
    if ((t.flags & driving::kChoosable) == 0) {
      return "repeats a loop until another thread changes what it reads";
    }
    return "";
  }
  std::string object;
  if (t.object == WaitObject::kThreadEnd) {
    object = t.holder == kNoThread ? "" : name(t.holder);
  } else if (t.address != 0) {
    object = debug_.location(t.event, t.address);
  }
  std::string text = "waits for ";
  text += t.object == WaitObject::kThreadEnd && !object.empty() ? "the end of " + object
                                                                : wait_words(t.object, object);
  if (t.holder != kNoThread && t.object != WaitObject::kThreadEnd) {
    text += ", held by " + name(t.holder);
    if (t.held_since != CodeName{}) {
      text += " since " + debug_.place(OpKind::kLock, t.held_since).where();
    }
  }
  if ((t.flags & driving::kTimed) != 0) {
    text += ", with a timeout";
  }
  return text;
}

std::string Describer::races(const PointThread& t) const {
  std::vector<std::string> with;
  for (const PointThread& other : session_.threads()) {
    if (race(t, other)) {
      with.push_back(name(other.index));
    }
  }
  return with.empty() ? "" : "races with " + join(with);
}

std::string Describer::end() {
  const std::optional<Run>& run = session_.ended();
  if (!run) {
    return "";
  }
  if (run->failed()) {
    return std::string(finding_name(run->finding.kind)) + " in " +
           finding_place(run->finding, debug_).text();
  }
  const SharedMemory& shared = session_.live().shared();
  if (std::string_view why = shared.panic.view(); !why.empty()) {
    return "the program cannot be run: " + std::string(why);
  }
  if (shared.runtime_started.load() == 0) {
    return "the program could not be started, " + wait_status_words(run->wait_status);
  }
  if (session_.killed()) {
    return "the program was killed: " + wait_status_words(run->wait_status);
  }
  return run->outcome == RunOutcome::kNormal
             ? "the program ended, " + wait_status_words(run->wait_status)
             : "the program did not end by itself: " + wait_status_words(run->wait_status);
}

const std::vector<std::string>& Describer::failure() {
  if (explained_ == session_.position()) {
    return failure_;
  }
  explained_ = session_.position();
  failure_.clear();
  if (!session_.ended() || !session_.ended()->failed()) {
    return failure_;
  }
  Run run = session_.traced();
  if (!run.failed()) {
    failure_ = {readable_summary(session_.ended()->finding, debug_)};
    return failure_;
  }
  // Addresses learned from a trace must not change how the steps before are shown.
  DebugInfo of_trace;
  rff::add_modules(run, of_trace);
  Explanation x = explain(run, of_trace);
  failure_.push_back(x.headline);
  for (const std::string& cause : x.causes) {
    failure_.push_back("  " + cause + ".");
  }
  for (const ThreadReport& t : x.threads) {
    failure_.push_back("Thread " + t.name + ": " + t.state + ".");
  }
  return failure_;
}

void Describer::add_source(Picture& p) {
  constexpr int kAround = 4;
  const PointThread* t = session_.find(session_.last_thread());
  if (std::optional<std::uint32_t> next = session_.next(); t == nullptr && next) {
    t = session_.find(*next);
  }
  Place at = t != nullptr ? place(*t) : Place();
  if (session_.ended() && session_.ended()->failed()) {
    at = finding_place(session_.ended()->finding, debug_);
  }
  if (at.file.empty() || at.line <= 0) {
    return;
  }
  auto [it, fresh] = files_.try_emplace(at.file);
  if (fresh) {
    std::ifstream file(at.file);
    for (std::string line; std::getline(file, line);) {
      it->second.push_back(line);
    }
  }
  int last = static_cast<int>(it->second.size());
  p.source_title = at.file_name() + (t != nullptr ? ", where " + name(t->index) + " stands" : "");
  for (int n = std::max(1, at.line - kAround); n <= std::min(last, at.line + kAround); ++n) {
    p.source.push_back({n, it->second[static_cast<std::size_t>(n - 1)], n == at.line});
  }
}

Picture Describer::picture() {
  add_modules();
  Picture p;
  p.step = session_.step();
  p.end = end();
  p.failure = failure();
  std::optional<std::uint32_t> next = session_.next();
  for (const PointThread& t : session_.threads()) {
    p.threads.push_back({.number = std::to_string(t.index),
                         .name = std::string(t.name.view()),
                         .does = operation(t) + value_now(t) +
                                 ((t.flags & driving::kByTimeout) != 0 ? ", timing out" : ""),
                         .place = place_text(t),
                         .waits = wait(t),
                         .races = races(t),
                         .next = next == t.index});
  }
  for (const Session::Made& m : session_.history()) {
    std::string does = operation(m.thread);
    if (m.value && m.thread.bytes <= 8) {
      does += " = " + value_text(*m.value, m.thread.bytes);
    }
    p.history.push_back(
        {std::to_string(m.number), std::string(m.thread.name.view()), does, place_text(m.thread)});
  }
  if (session_.prepared().follows) {
    p.follows = session_.on_given_path() ? "as in the given run" : "no longer the given run";
  }
  add_source(p);
  return p;
}

std::vector<std::string> Describer::waits() {
  std::vector<std::string> lines;
  for (const PointThread& t : session_.threads()) {
    if (std::string text = wait(t); !text.empty()) {
      lines.push_back(std::string(t.name.view()) + " " + text + ", in " + place(t).text());
    }
  }
  if (lines.empty()) {
    lines.push_back(session_.ended() ? "the run has ended" : "no thread waits");
  }
  return lines;
}

std::string Describer::variable(const std::string& name) {
  add_modules();
  return print_variable(name, session_.live(), debug_);
}

}  // namespace rff
