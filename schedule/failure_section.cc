// Writes and reads the section of a schedule file that stores the Failure.
#include "schedule/schedule_parts.h"

namespace rff::schedule_parts {
namespace {

constexpr std::size_t kMaxWaits = 1 << 12;
constexpr std::size_t kMaxFrames = 1 << 10;
constexpr std::size_t kMaxModules = 1 << 12;

// Replaces values that only a newer rff knows by "unknown": the section is optional, so they are no
// error.
void make_known(WaitFacts& w) {
  w.op = w.op < OpKind::kCount ? w.op : OpKind::kNone;
  w.object = w.object < WaitObject::kCount ? w.object : WaitObject::kNone;
}

void write_waits(ByteWriter& w, const std::vector<FailureWait>& waits) {
  w.number(static_cast<std::uint32_t>(waits.size()));
  for (const FailureWait& wait : waits) {
    w.number(static_cast<const WaitFacts&>(wait));
    w.text(wait.thread_name);
    w.text(wait.holder_name);
  }
}
void read_waits(ByteReader& r, std::vector<FailureWait>& waits) {
  std::size_t n = r.count(kMaxWaits, sizeof(WaitFacts), "waits");
  for (std::size_t i = 0; i < n && r.ok(); ++i) {
    FailureWait& wait = waits.emplace_back();
    r.number(static_cast<WaitFacts&>(wait), "a wait");
    make_known(wait);
    r.text(wait.thread_name, "a wait");
    r.text(wait.holder_name, "a wait");
  }
}

}  // namespace

bool has_stacks(const Schedule& s) { return s.finding && !s.finding->failure.stacks.empty(); }

void write_stacks(ByteWriter& w, const Schedule& s) {
  w.number(static_cast<std::uint32_t>(s.finding->failure.stacks.size()));
  for (const FailureStack& stack : s.finding->failure.stacks) {
    w.number(stack.thread);
    w.records(stack.frames);
  }
}

void read_stacks(ByteReader& r, Schedule& s) {
  if (!s.finding) {
    r.fail("there is no finding before it");
    return;
  }
  std::size_t n = r.count(kMaxWaits, 2 * sizeof(std::uint32_t), "stacks");
  for (std::size_t i = 0; i < n && r.ok(); ++i) {
    FailureStack& stack = s.finding->failure.stacks.emplace_back();
    r.number(stack.thread, "a stack");
    r.records(stack.frames, kMaxFrames, "frames");
  }
}

bool has_failure(const Schedule& s) {
  if (!s.finding) {
    return false;
  }
  const Failure& f = s.finding->failure;
  return f.facts != FailureFacts{} || !f.words.empty() || !f.waits.empty() ||
         !f.repeated_reads.empty() || !f.modules.empty() || !f.version_2_text.empty();
}

void write_failure(ByteWriter& w, const Schedule& s) {
  const Failure& f = s.finding->failure;
  w.number(f.facts);
  w.text(f.words);
  write_waits(w, f.waits);
  w.records(f.repeated_reads);
  w.number(static_cast<std::uint32_t>(f.modules.size()));
  for (const ModuleName& m : f.modules) {
    w.number(m.hash);
    w.text(m.name);
  }
  w.text(f.version_2_text);
  w.text(f.report);
}

void read_failure(ByteReader& r, Schedule& s) {
  if (!s.finding) {
    r.fail("there is no finding before it");
    return;
  }
  Failure& f = s.finding->failure;
  r.number(f.facts, "facts");
  f.facts.cause = f.facts.cause < CrashCause::kCount ? f.facts.cause : CrashCause::kSignal;
  r.text(f.words, "words");
  read_waits(r, f.waits);
  r.records(f.repeated_reads, kMaxWaits, "repeated reads");
  std::size_t n = r.count(kMaxModules, 2 * sizeof(std::uint32_t), "modules");
  for (std::size_t i = 0; i < n && r.ok(); ++i) {
    ModuleName& m = f.modules.emplace_back();
    r.number(m.hash, "a module");
    r.text(m.name, "a module");
  }
  r.text(f.version_2_text, "text");
  if (!r.at_end()) {  // older files have no report and end here
    r.text(f.report, "a report");
  }
}

}  // namespace rff::schedule_parts
