// Where the decisions of a run come from: bytes, a seed, a file, a line of text.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "libsched/embedded/door.h"
#include "libsched/support/real.h"
#include "schedule/base64.h"

namespace rff::embedded {
namespace {

constexpr std::string_view kMagic = "RFFSCHED";

// Maps a file, which stays mapped. Returns null with the kernel's answer if it cannot be read.
const char* map_file(const char* path, std::size_t* bytes) {
  long fd =
      real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return nullptr;
  }
  struct stat info = {};
  real::syscall6(SYS_fstat, fd, reinterpret_cast<long>(&info));
  long at = real::syscall6(SYS_mmap, 0, info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  real::syscall6(SYS_close, fd);
  *bytes = static_cast<std::size_t>(info.st_size);
  return at < 0 ? nullptr : reinterpret_cast<const char*>(at);
}

// Sets a parameter, such as "depth=3".
void set_parameter(std::string_view setting, const SchedulerRow& row, Schedule& schedule) {
  std::size_t equals = setting.find('=');
  std::string_view name = setting.substr(0, equals);
  for (unsigned p = 0; p < static_cast<unsigned>(SchedulerParameter::kCount); ++p) {
    const ParameterRow& known = kSchedulerParameters[p];
    if (known.name == name && row.has(static_cast<SchedulerParameter>(p)) &&
        equals != std::string_view::npos) {
      std::uint32_t value = 0;
      const char* end = setting.data() + setting.size();
      auto [at, error] = std::from_chars(setting.data() + equals + 1, end, value);
      if (error == std::errc() && at == end && value >= known.least && value <= known.most) {
        schedule.*kParameterFields[p] = value;
        return;
      }
    }
  }
  refuse("this is no parameter of the scheduler: ", std::string(setting).c_str());
}

void set_scheduler(std::string_view text, Schedule& schedule) {
  std::size_t colon = text.find(':');
  std::optional<SchedulerKind> kind = scheduler_from_name(text.substr(0, colon));
  constexpr SchedulerKind kNeedCampaign[] = {SchedulerKind::kRff,         SchedulerKind::kSelective,
                                             SchedulerKind::kUniform,     SchedulerKind::kQLearning,
                                             SchedulerKind::kQLearningRf, SchedulerKind::kPeriod,
                                             SchedulerKind::kSystematic,  SchedulerKind::kBytes};
  bool alone = kind && scheduler_row(*kind).chosen_by == ChosenBy::kUser;
  for (SchedulerKind other : kNeedCampaign) {
    alone = alone && *kind != other;
  }
  if (!alone) {
    refuse("a seed needs one of the schedulers pos, bpos, pct, random and delay, not ",
           std::string(text).c_str());
  }
  schedule.scheduler = *kind;
  for (std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
       !rest.empty();) {
    std::size_t comma = rest.find(',');
    set_parameter(rest.substr(0, comma), scheduler_row(*kind), schedule);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
}

Schedule encoded(const rff_schedule& given) {
  std::string_view file(given.encoded, given.encoded_size);
  std::string decoded;
  if (!file.starts_with(kMagic)) {
    while (!file.empty() && (file.back() == '\n' || file.back() == ' ')) {
      file.remove_suffix(1);
    }
    std::optional<std::string> bytes = from_base64(file);
    if (!bytes || !bytes->starts_with(kMagic)) {
      refuse("this is no schedule: give the whole line that a failure printed");
    }
    decoded = std::move(*bytes);
    file = decoded;
  }
  DecodeResult r = decode_schedule(file);
  if (!r.schedule) {
    refuse("the schedule ", r.error.c_str());
  }
  if (r.schedule->finding) {
    r.schedule->prefix = r.schedule->finding->decisions;
    r.schedule->guided = false;
  }
  return std::move(*r.schedule);
}

// The schedule that RFF_REPLAY gives to every run.
const rff_schedule* replayed() {
  static bool looked = false;
  static rff_schedule given;
  static bool is_given = false;
  if (!looked) {
    looked = true;
    const char* text = std::getenv("RFF_REPLAY");
    if (text != nullptr && *text != 0) {
      is_given = true;
      given = std::strncmp(text, "UkZGU0NI", 8) == 0 ? rff_schedule_from_text(text)
                                                     : rff_schedule_from_file(text);
    }
  }
  return is_given ? &given : nullptr;
}

}  // namespace

Schedule schedule_of(const rff_schedule& asked) {
  const rff_schedule* replay = replayed();
  const rff_schedule& given = replay != nullptr ? *replay : asked;
  if (given.encoded != nullptr) {
    return encoded(given);
  }
  Schedule schedule;
  schedule.points.racing = true;
  // Without earlier runs nothing is known of which accesses may race.
  schedule.points.every_access = true;
  if (std::string_view(rff_memory_events()) == kPrimitivesOnly) {
    // The tools may hook the program's code. Its accesses are no scheduling points then, either.
    schedule.points.stops = {{"primitives", StopRule::Kind::kPrimitives, {}, {}}};
  }
  schedule.seed = given.seed;
  schedule.timeouts = kDefaultPreemption;
  if (given.bytes != nullptr || given.scheduler == nullptr) {
    schedule.scheduler = SchedulerKind::kBytes;
    schedule.stream.assign(reinterpret_cast<const char*>(given.bytes), given.size);
    schedule.bytes_stay = given.bytes_mean == RFF_BYTES_STAY ? 1 : 0;
    schedule.bytes_end = static_cast<std::uint32_t>(given.end);
    if (given.end < RFF_END_FIRST || given.end > RFF_END_STOP) {
      refuse("rff_schedule.end is none of RFF_END_FIRST, RFF_END_STAY, RFF_END_SEED, RFF_END_STOP");
    }
    if (given.size > kMaxStream) {
      refuse("a schedule has at most 1,048,576 bytes");
    }
  } else {
    set_scheduler(given.scheduler, schedule);
  }
  return schedule;
}

}  // namespace rff::embedded

using namespace rff;
using namespace rff::embedded;

RFF_EXPORT rff_schedule rff_schedule_from_bytes(const uint8_t** data, size_t* size, int part) {
  static constexpr uint8_t kNone = 0;
  rff_schedule made = {};
  made.end = RFF_END_STAY;
  size_t taken = *size;
  if (part == RFF_TAIL) {
    taken = (*size + 1) / 2;
  } else if (part == RFF_SPLIT) {
    size_t wanted = 0;
    for (unsigned i = 0; i < 2 && *size > 0; ++i) {
      wanted |= size_t{**data} << (8 * i);
      ++*data;
      --*size;
    }
    taken = wanted % (*size + 1);
  } else if (part != RFF_ALL) {
    refuse("a schedule is one of RFF_ALL, RFF_TAIL and RFF_SPLIT of an input");
  }
  *size -= taken;
  made.bytes = taken > 0 ? *data + *size : &kNone;
  made.size = taken;
  return made;
}

RFF_EXPORT rff_schedule rff_schedule_from_seed(uint64_t seed, const char* scheduler) {
  rff_schedule made = {};
  made.seed = seed;
  made.scheduler = scheduler != nullptr ? scheduler : "pos";
  return made;
}

RFF_EXPORT rff_schedule rff_schedule_from_file(const char* path) {
  rff_schedule made = {};
  made.encoded = map_file(path, &made.encoded_size);
  if (made.encoded == nullptr) {
    refuse("this schedule cannot be read: ", path);
  }
  return made;
}

RFF_EXPORT rff_schedule rff_schedule_from_text(const char* line) {
  rff_schedule made = {};
  made.encoded = line;
  made.encoded_size = std::strlen(line);
  return made;
}
