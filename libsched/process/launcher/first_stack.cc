#include "libsched/process/launcher/first_stack.h"

#include "libsched/process/launcher/placement.h"
#include "libsched/process/launcher/raw.h"

namespace rff::placement {
namespace {

constexpr std::uint64_t kPointerRoom = 32 << 10;  // step by which it grows
constexpr std::uint64_t kRandomBytes = 16;
constexpr std::uint64_t kPlatformBytes = 16;

std::uint64_t room_for(std::uint64_t pointers) {
  return (8 * pointers + kPointerRoom) & ~(kPointerRoom - 1);
}

const char* programs_own(const char* variable) {
  const char* rest = after(variable, kKept);
  return rest != nullptr ? rest : variable;
}

}  // namespace

FirstStack::FirstStack(int argc, char** argv, char** environment)
    : arguments(), variables(), argc_(argc), argv_(argv), environment_(environment) {
  char** end = environment;
  bool programs = true;
  for (; *end != nullptr; ++end) {
    programs = programs && after(*end, kFirstStart) == nullptr;
    variables_ += programs ? 1 : 0;
  }
  auxiliary_ = reinterpret_cast<const Elf64_auxv_t*>(end + 1);
  for (const Elf64_auxv_t* a = auxiliary_; a->a_type != AT_NULL; ++a) {
    ++entries_;
  }
}

std::uint64_t FirstStack::auxiliary(std::uint64_t type) const {
  for (const Elf64_auxv_t* a = auxiliary_; a->a_type != AT_NULL; ++a) {
    if (a->a_type == type) {
      return a->a_un.a_val;
    }
  }
  return 0;
}

const char* FirstStack::variable(const char* name_and_sign) const {
  for (char** v = environment_; *v != nullptr; ++v) {
    if (const char* value = after(*v, name_and_sign)) {
      return value;
    }
  }
  return nullptr;
}

bool FirstStack::map_at_place(std::uint64_t bytes, bool executable) {
  std::uint64_t text = kRandomBytes + kPlatformBytes + sizeof kPlaced +
                       length(reinterpret_cast<const char*>(auxiliary(AT_EXECFN))) + 1;
  for (int i = 0; i < argc_; ++i) {
    text += length(argv_[i]) + 1;
  }
  for (int i = 0; i < variables_; ++i) {
    text += length(environment_[i]) + 1;
  }
  auto pointers = static_cast<std::uint64_t>(argc_) + 2;
  auto others = static_cast<std::uint64_t>(variables_) + 2 * static_cast<std::uint64_t>(entries_);
  strings_ = kStack + room_for(pointers) + room_for(others + 8);
  constexpr std::uint64_t kMegabyte = 1 << 20;
  std::uint64_t end = (strings_ + text + kMegabyte) & ~(kMegabyte - 1);
  int protection = PROT_READ | PROT_WRITE | (executable ? PROT_EXEC : 0);
  return end <= kScratch && map(kStack - bytes, end - kStack + bytes, protection,
                                kReserve | MAP_FIXED | MAP_GROWSDOWN | MAP_STACK) >= 0;
}

std::uint64_t FirstStack::lay_string(const char* text) {
  std::uint64_t at = strings_;
  strings_ =
      reinterpret_cast<std::uint64_t>(copy(reinterpret_cast<char*>(at), text, length(text) + 1));
  return at;
}

void FirstStack::lay(const Entry* changed, int count) {
  std::uint64_t random = strings_;
  for (std::uint64_t i = 0; i < kRandomBytes; ++i) {
    *reinterpret_cast<unsigned char*>(strings_++) = static_cast<unsigned char>(0x5a ^ i);
  }
  std::uint64_t platform = strings_;
  lay_string(reinterpret_cast<const char*>(auxiliary(AT_PLATFORM)));
  strings_ = platform + kPlatformBytes;

  auto* next = reinterpret_cast<std::uint64_t*>(kStack);
  *next++ = static_cast<std::uint64_t>(argc_);
  arguments.begin = strings_;
  for (int i = 0; i < argc_; ++i) {
    *next++ = lay_string(argv_[i]);
  }
  *next++ = 0;
  arguments.end = strings_;
  std::uint64_t name = lay_string(reinterpret_cast<const char*>(auxiliary(AT_EXECFN)));
  variables.begin = strings_;
  for (int i = 0; i < variables_; ++i) {
    *next++ = lay_string(programs_own(environment_[i]));
  }
  *next++ = lay_string(kPlaced);
  *next++ = 0;
  variables.end = strings_;

  vector = reinterpret_cast<Elf64_auxv_t*>(next);
  auto* to = vector;
  for (const Elf64_auxv_t* a = auxiliary_; a->a_type != AT_NULL; ++a) {
    if (a->a_type == AT_SYSINFO_EHDR) {
      continue;
    }
    *to = *a;
    to->a_un.a_val = a->a_type == AT_RANDOM     ? random
                     : a->a_type == AT_PLATFORM ? platform
                     : a->a_type == AT_EXECFN   ? name
                                                : a->a_un.a_val;
    for (int i = 0; i < count; ++i) {
      if (changed[i].type == a->a_type) {
        to->a_un.a_val = changed[i].value;
      }
    }
    ++to;
  }
  *to++ = {AT_NULL, {0}};
  vector_bytes = static_cast<std::uint64_t>(to - vector) * sizeof *to;
}

}  // namespace rff::placement
