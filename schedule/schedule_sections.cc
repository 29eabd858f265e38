// Writes and reads the sections of a schedule file (version 3).
#include <iterator>

#include "schedule/schedule_parts.h"

namespace rff::schedule_parts {
namespace {

bool plausible(const AbstractEvent& e) {
  return e.op < OpKind::kCount && e.place <= LocationKind::kFile && e.reserved == 0;
}

void write_scheduler(ByteWriter& w, const Schedule& s) {
  const SchedulerRow& row = scheduler_row(s.scheduler);
  w.name(row.name);
  for (std::size_t i = 0; i < std::size(kParameterFields); ++i) {
    auto p = static_cast<SchedulerParameter>(i);
    if (row.has(p) && s.*kParameterFields[i] != parameter_row(p).initial) {
      w.name(parameter_row(p).name);
      w.number(s.*kParameterFields[i]);
    }
  }
}
void read_scheduler(ByteReader& r, Schedule& s) {
  std::string_view name = r.name("scheduler");
  std::optional<SchedulerKind> kind = scheduler_from_name(name);
  if (!kind) {
    r.fail("unknown scheduler '" + std::string(name) + "'");
    return;
  }
  s.scheduler = *kind;
  const SchedulerRow& row = scheduler_row(*kind);
  while (r.ok() && !r.at_end()) {
    name = r.name("parameters");
    std::uint32_t value = 0;
    r.number(value, "parameters");
    std::size_t i = 0;
    while (i < std::size(kSchedulerParameters) &&
           (kSchedulerParameters[i].name != name || !row.has(static_cast<SchedulerParameter>(i)))) {
      ++i;
    }
    if (i < std::size(kSchedulerParameters)) {
      set_parameter(r, s, static_cast<SchedulerParameter>(i), value);
    } else {
      r.fail("unknown parameter '" + std::string(name) + "' of scheduler " + std::string(row.name));
    }
  }
}

void write_seed(ByteWriter& w, const Schedule& s) { w.number(s.seed); }
void read_seed(ByteReader& r, Schedule& s) { r.number(s.seed, "seed"); }

void write_rules(ByteWriter& w, const Schedule& s) {
  w.boolean(s.timeouts == kAnyPreemption);
  w.boolean(s.exit_is_finding);
  w.number(s.max_steps);
}
void read_rules(ByteReader& r, Schedule& s) {
  bool any = false;
  r.boolean(any, "timeout policy");
  s.timeouts = any ? kAnyPreemption : s.timeouts;
  r.boolean(s.exit_is_finding, "exit policy");
  r.number(s.max_steps, "step limit");
}

void write_constraints(ByteWriter& w, const Schedule& s) {
  w.number(static_cast<std::uint32_t>(s.constraints.size()));
  for (const Constraint& c : s.constraints.constraints()) {
    w.boolean(c.positive);
    w.number(c.write);
    w.number(c.read);
  }
}

void write_prefix(ByteWriter& w, const Schedule& s) {
  w.boolean(s.guided);
  w.records(s.prefix);
}
void read_prefix(ByteReader& r, Schedule& s) {
  r.boolean(s.guided, "use of the prefix");
  r.records(s.prefix, kMaxDecisions, "prefix decisions");
}

void write_points(ByteWriter& w, const Schedule& s) {
  w.boolean(s.points.every_access);
  w.boolean(s.points.listed);
  w.number(s.points.shared_version);
  w.records(s.points.sites);
}

void write_target(ByteWriter& w, const Schedule& s) {
  w.text(s.target.path);
  w.texts(s.target.arguments);
  w.text(s.target.build_id);
  w.number(s.target.input_digest);
  w.text(s.target.standard_input);
  w.texts(s.target.libraries);
}

void write_finding(ByteWriter& w, const Schedule& s) {
  w.name(finding_name(s.finding->kind));
  w.number(s.finding->place);
  w.number(s.finding->trace_hash);
  w.records(s.finding->decisions);
}
void read_finding(ByteReader& r, Schedule& s) {
  Finding& f = s.finding.emplace();
  std::string_view name = r.name("kind of finding");
  std::optional<FindingKind> kind = finding_from_name(name);
  if (!kind) {
    r.fail("unknown kind of finding '" + std::string(name) + "'");
    return;
  }
  f.kind = *kind;
  r.number(f.place, "finding");
  r.number(f.trace_hash, "finding");
  r.records(f.decisions, kMaxDecisions, "decisions");
}

enum SectionFlags : std::uint8_t { kOptional = 0, kRequired = 1 };

// Tag (1 to 4 letters), the flags to write, whether a schedule has the section, writer, reader.
// Sections are written in the order of the table and read in any order, but what tells of a
// failure must follow FIND.
struct Section {
  char tag[5];
  std::uint8_t flags;
  bool (*present)(const Schedule&);
  void (*write)(ByteWriter&, const Schedule&);
  void (*read)(ByteReader&, Schedule&);
};
constexpr std::size_t kTagBytes = 4;

bool always(const Schedule&) { return true; }
bool has_rules(const Schedule& s) {
  return s.timeouts == kAnyPreemption || s.exit_is_finding || s.max_steps != 0;
}
bool has_constraints(const Schedule& s) { return !s.constraints.empty(); }
bool has_prefix(const Schedule& s) { return s.guided || !s.prefix.empty(); }
bool has_points(const Schedule& s) {
  return s.points != SchedulingPoints{.racing = s.points.racing,
                                      .handed_over = s.points.handed_over,
                                      .stops = s.points.stops};
}
bool has_handed_over(const Schedule& s) { return !s.points.handed_over.empty(); }
void write_handed_over(ByteWriter& w, const Schedule& s) { w.records(s.points.handed_over); }
void read_handed_over(ByteReader& r, Schedule& s) {
  r.records(s.points.handed_over, kMaxSites, "scheduling points");
}
bool has_preemption(const Schedule& s) {
  return s.timeouts != kNoPreemption && s.timeouts != kAnyPreemption;
}
void write_preemption(ByteWriter& w, const Schedule& s) { w.number(s.timeouts); }
void read_preemption(ByteReader& r, Schedule& s) { r.number(s.timeouts, "preemption"); }
bool has_estimates(const Schedule& s) { return s.estimates != Estimates{}; }
void write_estimates(ByteWriter& w, const Schedule& s) {
  w.number(s.estimates.key);
  w.records(s.estimates.threads);
}
void read_estimates(ByteReader& r, Schedule& s) {
  r.number(s.estimates.key, "estimates");
  r.records(s.estimates.threads, kMaxThreads, "estimates");
}
bool has_selection(const Schedule& s) { return s.estimates.selection != EventSelection{}; }
void write_selection(ByteWriter& w, const Schedule& s) {
  w.number(s.estimates.selection.by);
  w.records(s.estimates.selection.sites);
}
void read_selection(ByteReader& r, Schedule& s) {
  r.enumeration(s.estimates.selection.by, EventSelection::By::kCount, "selection of events");
  r.records(s.estimates.selection.sites, kMaxSites, "selection of events");
}
bool has_learned(const Schedule& s) { return !s.learned.empty(); }
void write_learned(ByteWriter& w, const Schedule& s) { w.records(s.learned); }
void read_learned(ByteReader& r, Schedule& s) {
  r.records(s.learned, kMaxLearned, "learned values");
}
bool has_stream(const Schedule& s) { return !s.stream.empty(); }
void write_stream(ByteWriter& w, const Schedule& s) { w.text(s.stream); }
void read_stream(ByteReader& r, Schedule& s) {
  static_assert(kMaxStream <= kMaxText);
  r.text(s.stream, "byte stream");
}
bool has_exploration(const Schedule& s) { return s.exploration != Exploration{}; }
void write_exploration(ByteWriter& w, const Schedule& s) {
  w.records(s.exploration.order);
  w.records(s.exploration.choices);
  w.records(s.exploration.asleep);
  w.number(s.exploration.rest);
  w.number(s.exploration.seed);
  w.boolean(s.exploration.every_primitive);
}
void read_exploration(ByteReader& r, Schedule& s) {
  r.records(s.exploration.order, kMaxDecisions, "steps");
  r.records(s.exploration.choices, kMaxDecisions, "choices");
  r.records(s.exploration.asleep, kMaxThreads, "threads");
  r.enumeration(s.exploration.rest, Exploration::Rest::kCount, "exploration");
  r.number(s.exploration.seed, "exploration");
  r.boolean(s.exploration.every_primitive, "exploration");
}
bool loops_wait(const Schedule& s) { return s.exploration.loops_wait; }
void read_loops_wait(ByteReader&, Schedule& s) { s.exploration.loops_wait = true; }
bool has_racing(const Schedule& s) { return s.points.racing; }
void write_nothing(ByteWriter&, const Schedule&) {}
void read_racing(ByteReader&, Schedule& s) { s.points.racing = true; }
bool has_processors(const Schedule& s) { return s.target.processors != kDefaultProcessors; }
void write_processors(ByteWriter& w, const Schedule& s) { w.number(s.target.processors); }
void read_processors(ByteReader& r, Schedule& s) {
  r.number(s.target.processors, "processors");
  if (s.target.processors == 0 || s.target.processors > kMaxProcessors) {
    r.fail("the number of processors is " + std::to_string(s.target.processors));
  }
}
bool has_target(const Schedule& s) {
  Target empty;
  empty.processors = s.target.processors;
  empty.checks = s.target.checks;
  return s.target != empty;
}
bool has_input(const Schedule& s) { return s.input.given(); }
void write_input(ByteWriter& w, const Schedule& s) {
  w.number(s.input.way);
  w.text(s.input.name);
  w.text(s.input.bytes);
}
void read_input(ByteReader& r, Schedule& s) {
  static_assert(ProgramInput::kMost <= kMaxText);
  r.enumeration(s.input.way, ProgramInput::Way::kCount, "way to give an input");
  r.text(s.input.name, "input");
  r.text(s.input.bytes, "input");
  if (r.ok() && s.input.way == ProgramInput::Way::kNone) {
    r.fail("it has an input that is not given");
  }
}
bool has_finding(const Schedule& s) { return s.finding.has_value(); }

constexpr Section kSections[] = {
    {"SCHD", kRequired, always, write_scheduler, read_scheduler},
    {"SEED", kRequired, always, write_seed, read_seed},
    {"RULE", kRequired, has_rules, write_rules, read_rules},
    {"TIME", kRequired, has_preemption, write_preemption, read_preemption},
    {"WORK", kRequired, has_estimates, write_estimates, read_estimates},
    {"WSET", kRequired, has_selection, write_selection, read_selection},
    {"QVAL", kRequired, has_learned, write_learned, read_learned},
    {"BYTE", kRequired, has_stream, write_stream, read_stream},
    {"EXPL", kRequired, has_exploration, write_exploration, read_exploration},
    {"LOOP", kRequired, loops_wait, write_nothing, read_loops_wait},
    {"CONS", kRequired, has_constraints, write_constraints, read_constraints},
    {"PREF", kRequired, has_prefix, write_prefix, read_prefix},
    {"PNTS", kRequired, has_points, write_points, read_points},
    {"RACE", kRequired, has_racing, write_nothing, read_racing},
    {"HAND", kRequired, has_handed_over, write_handed_over, read_handed_over},
    {"STOP", kRequired, has_stops, write_stops, read_stops},
    {"TARG", kRequired, has_target, write_target, read_target},
    {"CPUS", kRequired, has_processors, write_processors, read_processors},
    {"INPT", kRequired, has_input, write_input, read_input},
    {"CHCK", kRequired, has_checks, write_checks, read_checks},
    {"FIND", kRequired, has_finding, write_finding, read_finding},
    {"FAIL", kOptional, has_failure, write_failure, read_failure},
    {"STAK", kOptional, has_stacks, write_stacks, read_stacks},
    {"MEME", kOptional, has_memory_error, write_memory_error, read_memory_error},
};
constexpr std::uint32_t kAlwaysPresent = 0b11;  // bits of the first two sections

std::size_t find_section(std::string_view tag) {
  std::size_t i = 0;
  while (i < std::size(kSections) && std::memcmp(kSections[i].tag, tag.data(), kTagBytes) != 0) {
    ++i;
  }
  return i;
}

// A tag from a file may contain any bytes.
std::string printable(std::string_view tag) {
  std::string text(tag);
  for (char& c : text) {
    c = c > ' ' && c < 0x7f ? c : '?';
  }
  return text;
}

}  // namespace

std::string read_sections(std::string_view body, Schedule& s) {
  ByteReader sections(body);
  std::uint32_t seen = 0;
  while (!sections.at_end()) {
    std::string_view tag = sections.bytes(kTagBytes, "a section");
    std::uint8_t flags = 0;
    sections.number(flags, "a section");
    std::string_view contents = sections.bytes(sections.count(~0u, 1, "bytes"), "a section");
    if (!sections.ok()) {
      return "is malformed: " + sections.error();
    }
    std::size_t i = find_section(tag);
    if (i == std::size(kSections)) {
      if ((flags & kRequired) != 0) {
        return "was made by a newer rff: section '" + printable(tag) +
               "' is unknown to this one; use the rff that wrote it, or update";
      }
      continue;
    }
    if ((seen >> i & 1) != 0) {
      return "is malformed: section '" + printable(tag) + "' is there twice";
    }
    seen |= 1u << i;
    ByteReader r(contents);
    kSections[i].read(r, s);
    if (r.ok() && !r.at_end()) {
      r.fail("bytes are left over");
    }
    if (!r.ok()) {
      return "is malformed: section '" + printable(tag) + "': " + r.error();
    }
  }
  return (seen & kAlwaysPresent) == kAlwaysPresent ? "" : "is malformed: it has no scheduler";
}

void write_sections(ByteWriter& w, const Schedule& s) {
  for (const Section& section : kSections) {
    if (!section.present(s)) {
      continue;
    }
    w.bytes({section.tag, kTagBytes});
    w.number(section.flags);
    w.number(std::uint32_t{0});
    std::size_t begin = w.size();
    section.write(w, s);
    w.number_at(begin - sizeof(std::uint32_t), static_cast<std::uint32_t>(w.size() - begin));
  }
}

void read_constraints(ByteReader& r, Schedule& s) {
  constexpr std::size_t kBytes = 1 + 2 * sizeof(AbstractEvent);
  std::size_t n = r.count(AbstractSchedule::kMaxConstraints, kBytes, "constraints");
  s.constraints.reserve(n);
  for (std::size_t i = 0; i < n && r.ok(); ++i) {
    Constraint c;
    r.boolean(c.positive, "constraint");
    r.number(c.write, "constraint");
    r.number(c.read, "constraint");
    if (r.ok() && (!plausible(c.write) || !plausible(c.read) || !s.constraints.insert(c))) {
      r.fail("constraint " + std::to_string(i + 1) +
             " is not a write and a read of one location, or is given twice");
    }
  }
}

void read_points(ByteReader& r, Schedule& s) {
  r.boolean(s.points.every_access, "scheduling points");
  r.boolean(s.points.listed, "scheduling points");
  r.number(s.points.shared_version, "scheduling points");
  r.records(s.points.sites, kMaxSites, "scheduling points");
}

void read_target(ByteReader& r, Schedule& s) {
  r.text(s.target.path, "target path");
  r.texts(s.target.arguments, "target arguments");
  r.text(s.target.build_id, "target build id");
  r.number(s.target.input_digest, "input digest");
  r.text(s.target.standard_input, "standard input");
  r.texts(s.target.libraries, "libraries");
}

void set_parameter(ByteReader& r, Schedule& s, SchedulerParameter p, std::uint32_t value) {
  const ParameterRow& row = parameter_row(p);
  if (value < row.least || value > row.most) {
    r.fail("parameter " + std::string(row.name) + " is " + std::to_string(value));
    return;
  }
  s.*kParameterFields[static_cast<unsigned>(p)] = value;
}

}  // namespace rff::schedule_parts
