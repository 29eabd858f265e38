#include "schedule/schedule_file.h"

#include <array>
#include <cstring>
#include <type_traits>

namespace rff {
namespace {

constexpr std::string_view kMagic = "RFFSCHED";
constexpr std::size_t kHeaderBytes =
    8 + 4 + 4 + 8 + 8;  // magic, version, reserved, length, checksum
constexpr std::size_t kMaxString = 1 << 16;
constexpr std::size_t kMaxArguments = 1 << 14;
constexpr std::size_t kMaxDecisions = 1 << 25;
constexpr std::size_t kMaxSites = 1 << 22;

constexpr std::array<std::string_view, 7> kSchedulerNames = {
    "rff", "pos", "pct", "random", "window", "steady", "round-robin"};
constexpr std::array<std::string_view, 6> kFindingNames = {"none",     "assert", "crash",
                                                           "deadlock", "hang",   "exit"};

template <typename Names, typename Kind>
std::optional<Kind> lookup(const Names& names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<Kind>(i);
    }
  }
  return std::nullopt;
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <typename T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void boolean(bool value) { number<std::uint8_t>(value ? 1 : 0); }
  void text(std::string_view s) {
    number(static_cast<std::uint32_t>(s.size()));
    out_.append(s);
  }
  void texts(const std::vector<std::string>& list) {
    number(static_cast<std::uint32_t>(list.size()));
    for (const std::string& s : list) {
      text(s);
    }
  }
  template <typename T>
  void records(const std::vector<T>& list) {
    static_assert(std::is_trivially_copyable_v<T>);
    number(static_cast<std::uint32_t>(list.size()));
    out_.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
  }

 private:
  std::string& out_;
};

// Reads fields in order; after the first error every further read does nothing and `error()` keeps
// the first cause.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  void number(T& value, const char* what) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (take(sizeof value, what)) {
      std::memcpy(&value, taken_.data(), sizeof value);
    }
  }
  void boolean(bool& value, const char* what) {
    std::uint8_t raw = 0;
    number(raw, what);
    if (raw > 1) {
      fail(std::string("bad flag in ") + what);
    }
    value = raw == 1;
  }
  template <typename Enum>
  void enumeration(Enum& value, Enum limit, const char* what) {
    std::uint8_t raw = 0;
    number(raw, what);
    if (raw >= static_cast<std::uint8_t>(limit)) {
      fail(std::string("unknown ") + what + " " + std::to_string(raw));
      raw = 0;
    }
    value = static_cast<Enum>(raw);
  }
  void text(std::string& value, const char* what) {
    if (take(count(kMaxString, 1, what), what)) {
      value.assign(taken_);
    }
  }
  void texts(std::vector<std::string>& list, const char* what) {
    std::size_t n = count(kMaxArguments, sizeof(std::uint32_t), what);
    for (std::size_t i = 0; i < n && ok(); ++i) {
      text(list.emplace_back(), what);
    }
  }
  template <typename T>
  void records(std::vector<T>& list, std::size_t most, const char* what) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::size_t n = count(most, sizeof(T), what);
    if (take(n * sizeof(T), what)) {
      list.resize(n);
      if (n > 0) {
        std::memcpy(list.data(), taken_.data(), n * sizeof(T));
      }
    }
  }
  // A number of elements of at least `element` bytes each that must still fit into the rest.
  std::size_t count(std::size_t most, std::size_t element, const char* what) {
    std::uint32_t n = 0;
    number(n, what);
    if (ok() && (n > most || n > rest_.size() / element)) {
      fail(std::string("implausible number of ") + what + ": " + std::to_string(n));
    }
    return ok() ? n : 0;
  }
  void fail(std::string why) {
    if (error_.empty()) {
      error_ = std::move(why);
    }
  }
  bool ok() const { return error_.empty(); }
  bool at_end() const { return rest_.empty(); }
  const std::string& error() const { return error_; }

 private:
  bool take(std::size_t n, const char* what) {
    if (!ok()) {
      return false;
    }
    if (rest_.size() < n) {
      fail(std::string("ends inside ") + what);
      return false;
    }
    taken_ = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return true;
  }

  std::string_view rest_;
  std::string_view taken_;
  std::string error_;
};

bool plausible(const AbstractEvent& e) {
  return e.op < OpKind::kCount && e.place <= LocationKind::kThread && e.reserved == 0;
}

void write_body(Writer& w, const Schedule& s) {
  w.number(s.scheduler);
  w.number(s.timeouts);
  w.boolean(s.guided);
  w.boolean(s.exit_is_finding);
  w.number(s.pct_depth);
  w.number(s.pct_length);
  w.number(s.patience);
  w.number(s.seed);
  w.number(s.max_steps);
  w.number(static_cast<std::uint32_t>(s.constraints.size()));
  for (const Constraint& c : s.constraints.constraints()) {
    w.boolean(c.positive);
    w.number(c.write);
    w.number(c.read);
  }
  w.records(s.prefix);
  w.boolean(s.points.every_access);
  w.boolean(s.points.listed);
  w.number(s.points.shared_version);
  w.records(s.points.sites);
  w.text(s.target.path);
  w.texts(s.target.arguments);
  w.text(s.target.build_id);
  w.number(s.target.input_digest);
  w.text(s.target.standard_input);
  w.texts(s.target.libraries);
  w.boolean(s.finding.has_value());
  if (s.finding) {
    w.number(s.finding->kind);
    w.text(s.finding->summary);
    w.number(s.finding->place);
    w.number(s.finding->trace_hash);
    w.records(s.finding->decisions);
  }
}

void read_constraints(Reader& r, AbstractSchedule& out) {
  constexpr std::size_t kBytes = 1 + 2 * sizeof(AbstractEvent);
  std::size_t n = r.count(AbstractSchedule::kMaxConstraints, kBytes, "constraints");
  for (std::size_t i = 0; i < n && r.ok(); ++i) {
    Constraint c;
    r.boolean(c.positive, "constraint");
    r.number(c.write, "constraint");
    r.number(c.read, "constraint");
    if (r.ok() && (!plausible(c.write) || !plausible(c.read) || !out.insert(c))) {
      r.fail("constraint " + std::to_string(i + 1) +
             " is not a write and a read of one location, or is given twice");
    }
  }
}

void read_body(Reader& r, Schedule& s) {
  r.enumeration(s.scheduler, SchedulerKind::kCount, "scheduler");
  r.enumeration(s.timeouts, static_cast<TimeoutPolicy>(2), "timeout policy");
  r.boolean(s.guided, "use of the prefix");
  r.boolean(s.exit_is_finding, "exit policy");
  r.number(s.pct_depth, "parameters");
  r.number(s.pct_length, "parameters");
  r.number(s.patience, "parameters");
  r.number(s.seed, "seed");
  r.number(s.max_steps, "step limit");
  read_constraints(r, s.constraints);
  r.records(s.prefix, kMaxDecisions, "prefix decisions");
  r.boolean(s.points.every_access, "scheduling points");
  r.boolean(s.points.listed, "scheduling points");
  r.number(s.points.shared_version, "scheduling points");
  r.records(s.points.sites, kMaxSites, "scheduling points");
  r.text(s.target.path, "target path");
  r.texts(s.target.arguments, "target arguments");
  r.text(s.target.build_id, "target build id");
  r.number(s.target.input_digest, "input digest");
  r.text(s.target.standard_input, "standard input");
  r.texts(s.target.libraries, "libraries");
  bool has_finding = false;
  r.boolean(has_finding, "finding");
  if (has_finding) {
    Finding& f = s.finding.emplace();
    r.enumeration(f.kind, FindingKind::kCount, "kind of finding");
    r.text(f.summary, "finding");
    r.number(f.place, "finding");
    r.number(f.trace_hash, "finding");
    r.records(f.decisions, kMaxDecisions, "decisions");
  }
  if (r.ok() && !r.at_end()) {
    r.fail("has bytes after its end");
  }
}

}  // namespace

std::string_view scheduler_name(SchedulerKind kind) {
  return kSchedulerNames[static_cast<std::size_t>(kind) % kSchedulerNames.size()];
}
std::optional<SchedulerKind> scheduler_from_name(std::string_view name) {
  return lookup<decltype(kSchedulerNames), SchedulerKind>(kSchedulerNames, name);
}
std::string_view finding_name(FindingKind kind) {
  return kFindingNames[static_cast<std::size_t>(kind) % kFindingNames.size()];
}
std::optional<FindingKind> finding_from_name(std::string_view name) {
  return lookup<decltype(kFindingNames), FindingKind>(kFindingNames, name);
}

std::string encode_schedule(const Schedule& schedule) {
  std::string body;
  Writer body_writer(body);
  write_body(body_writer, schedule);
  std::string out;
  out.reserve(kHeaderBytes + body.size());
  Writer w(out);
  out.append(kMagic);
  w.number(kScheduleVersion);
  w.number(std::uint32_t{0});
  w.number(static_cast<std::uint64_t>(body.size()));
  w.number(hash_bytes(body));
  out.append(body);
  return out;
}

DecodeResult decode_schedule(std::string_view bytes) {
  if (bytes.size() > kMaxScheduleBytes) {
    return {std::nullopt, "is larger than a schedule file can be"};
  }
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return {std::nullopt, bytes.empty() ? "is empty" : "is not a schedule file"};
  }
  Reader header(bytes.substr(kMagic.size()));
  std::uint32_t version = 0;
  std::uint32_t reserved = 0;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
  header.number(version, "the header");
  header.number(reserved, "the header");
  header.number(length, "the header");
  header.number(checksum, "the header");
  if (!header.ok()) {
    return {std::nullopt, "is truncated: " + header.error()};
  }
  if (version != kScheduleVersion) {
    return {std::nullopt, "has version " + std::to_string(version) +
                              "; this program reads version " + std::to_string(kScheduleVersion)};
  }
  std::string_view body = bytes.substr(kHeaderBytes);
  if (body.size() < length) {
    return {std::nullopt,
            "is truncated: " + std::to_string(length - body.size()) + " bytes are missing"};
  }
  if (body.size() > length) {
    return {std::nullopt, "has bytes after its end"};
  }
  if (hash_bytes(body) != checksum || reserved != 0) {
    return {std::nullopt, "is corrupted: its checksum does not match"};
  }
  Reader r(body);
  Schedule s;
  read_body(r, s);
  if (!r.ok()) {
    return {std::nullopt, "is malformed: " + r.error()};
  }
  return {std::move(s), ""};
}

}  // namespace rff
