#include "fuzzer/explain/value_source.h"

#include <sys/stat.h>
#include <time.h>

#include <bit>
#include <cstddef>
#include <string_view>

namespace rff {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint64_t read_clock(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

// Where the kernel maps programs, and its own half.
bool is_address(std::uint64_t value) {
  constexpr std::uint64_t kLowest = 0x5000'0000'0000, kEnd = 0x8000'0000'0000;
  constexpr std::uint64_t kKernel = 0xffff'8000'0000'0000;
  return (value >= kLowest && value < kEnd) || (value >= kKernel && value < ~std::uint64_t{0xffff});
}

struct Unit {
  std::uint64_t nanoseconds;
  const char* name;
};
constexpr Unit kUnits[] = {
    {1, "nanoseconds"}, {1000, "microseconds"}, {1'000'000, "milliseconds"}, {kSecond, "seconds"}};

// Returns whether both values are readings of a clock that shows `first` and `second` now, at most
// `age` ago.
const char* clock_unit(const DifferingValue& v, std::uint64_t first, std::uint64_t second,
                       std::uint64_t age) {
  auto near = [&](std::uint64_t value, std::uint64_t now, std::uint64_t unit) {
    return value <= now / unit + 1 && value + age / unit >= now / unit;
  };
  for (const Unit& unit : kUnits) {
    // A clock of the machine in seconds may be any small number.
    bool telling = v.first > 100'000 && v.second > 100'000;
    if (telling && near(v.first, first, unit.nanoseconds) &&
        near(v.second, second, unit.nanoseconds)) {
      return unit.name;
    }
  }
  return nullptr;
}

bool looks_random(const DifferingValue& v) {
  const int bits = static_cast<int>(v.size) * 8;
  int differing = std::popcount(v.first ^ v.second);
  auto large = [&](std::uint64_t value) { return value >> (bits - 8) != 0; };
  return v.size >= 4 && differing >= bits / 4 && large(v.first) && large(v.second);
}

struct Member {
  std::size_t begin, end;
  const char* name;
};
constexpr Member kStatusMembers[] = {
    {offsetof(struct stat, st_dev), offsetof(struct stat, st_dev) + 8, "the device"},
    {offsetof(struct stat, st_ino), offsetof(struct stat, st_ino) + 8, "the inode number"},
    {offsetof(struct stat, st_nlink), offsetof(struct stat, st_nlink) + 8, "the number of names"},
    {offsetof(struct stat, st_size), offsetof(struct stat, st_size) + 8, "the size"},
    {offsetof(struct stat, st_blocks), offsetof(struct stat, st_blocks) + 8, "the blocks"},
    {offsetof(struct stat, st_atim), offsetof(struct stat, st_atim) + 16, "the access time"},
    {offsetof(struct stat, st_mtim), offsetof(struct stat, st_mtim) + 16, "the time of change"},
    {offsetof(struct stat, st_ctim), offsetof(struct stat, st_ctim) + 16,
     "the time of the status change"},
};

std::string member_of(const Trace::Outside& query, std::uint64_t address) {
  std::string_view call = query.what;
  if (call.starts_with("stat ") || call.starts_with("fstat")) {
    std::uint64_t offset = address - query.info.address;
    for (const Member& m : kStatusMembers) {
      if (offset >= m.begin && offset < m.end) {
        return std::string(m.name) + " that ";
      }
    }
  }
  return "what ";
}

std::string names_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

Surroundings surroundings_of(const Run& run) {
  return {run.process, read_clock(CLOCK_REALTIME), read_clock(CLOCK_BOOTTIME)};
}

ValueSource source_by_value(const DifferingValue& v, const Surroundings& first,
                            const Surroundings& second) {
  auto is_process = [](std::uint64_t value, const Surroundings& s) {
    return s.process != 0 && value == static_cast<std::uint64_t>(s.process);
  };
  if (is_process(v.first, first) && is_process(v.second, second)) {
    return {SourceKind::kIdentity, "identity: the number of the process"};
  }
  if (is_address(v.first) && is_address(v.second)) {
    return {SourceKind::kAddress, "address: the kernel chose it"};
  }
  constexpr std::uint64_t kDay = 86'400 * kSecond, kMinute = 60 * kSecond;
  if (const char* unit = clock_unit(v, first.real_time, second.real_time, kDay)) {
    return {SourceKind::kTime, std::string("time: the real clock, in ") + unit};
  }
  if (const char* unit = clock_unit(v, first.uptime, second.uptime, kMinute)) {
    return {SourceKind::kTime,
            std::string("time: the clock since the machine started, in ") + unit};
  }
  if (looks_random(v)) {
    return {SourceKind::kRandom, "random: a number without a pattern"};
  }
  return {};
}

ValueSource source_by_query(const Trace& trace, const trace::EventInfo* e, std::uint64_t step,
                            std::uint32_t thread) {
  const Trace::Outside* last = nullptr;
  const Trace::Outside* filled = nullptr;
  for (const Trace::Outside& query : trace.outside) {
    if (query.info.step > step) {
      break;
    }
    // A value that the program itself wrote is no answer of the kernel.
    bool read =
        e != nullptr && e->event.op == OpKind::kRead && (e->flags & trace::kReadsFromKnown) == 0;
    if (read && query.info.bytes > 0 && e->address >= query.info.address &&
        e->address < query.info.address + query.info.bytes) {
      filled = &query;
    }
    last = query.info.thread == thread ? &query : last;
  }
  if (filled != nullptr) {
    return {SourceKind::kFile, "file: " + member_of(*filled, e->address) + filled->what + " gave"};
  }
  if (last != nullptr) {
    bool file = !std::string_view(last->what).starts_with("syscall");
    return {
        file ? SourceKind::kFile : SourceKind::kOutside,
        (file ? "file: the thread's last query before it was " : "outside: its last call was ") +
            last->what};
  }
  return {};
}

ValueSource likely_source(const Run& run, const trace::EventInfo* e, std::uint64_t step,
                          std::uint32_t thread, const std::optional<DifferingValue>& value,
                          const Surroundings& first, const Surroundings& second) {
  ValueSource by_query = source_by_query(run.trace, e, step, thread);
  bool exact = by_query.words.find(" gave") != std::string::npos;
  if (exact) {
    return by_query;
  }
  ValueSource by_value = value ? source_by_value(*value, first, second) : ValueSource{};
  if (by_value.kind != SourceKind::kUnknown && by_value.kind != SourceKind::kRandom) {
    return by_value;
  }
  if (by_query.kind != SourceKind::kUnknown) {
    return by_query;
  }
  if (by_value.kind == SourceKind::kRandom) {
    return by_value;
  }
  bool unseen = e == nullptr || (e->flags & trace::kFromUnseen) != 0;
  if (unseen && !run.unpatched_modules.empty()) {
    return {SourceKind::kLibrary, "library: code that is not patched wrote it (" +
                                      names_of(run.unpatched_modules) + "): try --libs all"};
  }
  if (!run.unmodelled_calls.empty()) {
    return {SourceKind::kOutside,
            "outside: another process or the kernel, by " + names_of(run.unmodelled_calls)};
  }
  return {SourceKind::kUnknown, unseen ? "unknown: code that is not patched wrote it"
                                       : "unknown: computed from registers"};
}

}  // namespace rff
