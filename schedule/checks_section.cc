// Writes and reads the sections of a schedule file that store what is checked, and the memory error
// that was found.
#include "schedule/schedule_parts.h"

namespace rff::schedule_parts {

bool has_checks(const Schedule& s) { return s.target.checks != Checks{}; }

void write_checks(ByteWriter& w, const Schedule& s) {
  const Checks& checks = s.target.checks;
  w.number(checks.bits);
  w.number(checks.quarantine);
  w.texts(checks.ignored);
  w.records(checks.ignored_code);
}

void read_checks(ByteReader& r, Schedule& s) {
  Checks& checks = s.target.checks;
  r.number(checks.bits, "checks");
  r.number(checks.quarantine, "quarantine");
  r.texts(checks.ignored, "functions");
  r.records(checks.ignored_code, kMaxSites, "ignored code");
  if (!r.ok()) {
    return;
  }
  if (parse_check_words(check_words(checks.bits)) != checks.bits) {
    r.fail("unknown checks; use the rff that wrote it, or update");
  } else if (checks.quarantine == 0 || checks.quarantine > kMaxQuarantine) {
    r.fail("the quarantine has " + std::to_string(checks.quarantine) + " MiB");
  } else if (!in_order(checks.ignored_code)) {
    r.fail("ignored code is not in order");
  }
}

bool has_memory_error(const Schedule& s) { return s.finding && s.finding->failure.memory; }

void write_memory_error(ByteWriter& w, const Schedule& s) {
  const MemoryError& m = *s.finding->failure.memory;
  w.number(static_cast<const MemoryErrorFacts&>(m));
  w.text(m.thread_name);
  w.text(m.freed_by_name);
  w.text(m.allocated_by_name);
}

void read_memory_error(ByteReader& r, Schedule& s) {
  if (!s.finding) {
    r.fail("there is no finding before it");
    return;
  }
  MemoryError& m = s.finding->failure.memory.emplace();
  r.number(static_cast<MemoryErrorFacts&>(m), "a memory error");
  make_known(m);
  r.text(m.thread_name, "a memory error");
  r.text(m.freed_by_name, "a memory error");
  r.text(m.allocated_by_name, "a memory error");
}

}  // namespace rff::schedule_parts
