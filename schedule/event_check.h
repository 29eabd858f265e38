// Types for the small integers that decisions and steps store, with their ranges.
#pragma once

#include <compare>
#include <cstdint>

namespace rff {

// Decisions and steps store a thread's number (in order of creation) in 16 bits; the shadow memory
// stores that number plus one. A program that creates more threads ends with an error message.
inline constexpr std::uint32_t kMaxThreads = 65'535;

// 15 bits of an event's id, and one bit that says whether a timed wait was made to expire.
class EventCheck {
 public:
  constexpr EventCheck() = default;
  // Takes the bits as files and records store them.
  constexpr EventCheck(std::uint16_t bits) : bits_(bits) {}
  static constexpr EventCheck of(std::uint64_t event_id, bool timed_out = false) {
    return static_cast<std::uint16_t>((event_id & kIdBits) | (timed_out ? kTimedOut : 0));
  }

  constexpr std::uint16_t bits() const { return bits_; }
  constexpr std::uint16_t id_bits() const { return bits_ & kIdBits; }
  constexpr bool timed_out() const { return (bits_ & kTimedOut) != 0; }
  constexpr bool matches(std::uint64_t event_id) const { return id_bits() == (event_id & kIdBits); }
  auto operator<=>(const EventCheck&) const = default;

 private:
  static constexpr std::uint16_t kTimedOut = 0x8000;
  static constexpr std::uint16_t kIdBits = 0x7fff;
  std::uint16_t bits_ = 0;
};
static_assert(sizeof(EventCheck) == 2);

}  // namespace rff
