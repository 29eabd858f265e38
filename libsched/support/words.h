// Helpers for 8-byte words: which bytes an access covers, and reading memory that may be unmapped.
#pragma once

#include <cstdint>

namespace rff {

inline constexpr std::uint64_t kWordBytes = 8;
inline constexpr std::uint8_t kWholeWord = 0xff;
inline constexpr std::uint64_t kPage = 4096;

constexpr std::uint64_t word_of(std::uint64_t address) { return address & ~(kWordBytes - 1); }

constexpr bool inside_word(std::uint64_t address, std::uint64_t size) {
  return (address & (kWordBytes - 1)) + size <= kWordBytes;
}

// Returns the bytes of one word that an access covers, one bit each.
constexpr std::uint8_t byte_mask(std::uint64_t word, std::uint64_t address, std::uint64_t size) {
  std::uint64_t from = address > word ? address - word : 0;
  std::uint64_t to = address + size < word + kWordBytes ? address + size - word : kWordBytes;
  return static_cast<std::uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
}

// The same for an access inside one word.
constexpr std::uint8_t byte_mask(std::uint64_t address, std::uint64_t size) {
  return static_cast<std::uint8_t>(((1u << size) - 1) << (address & 7));
}

// Returns a mask of all bits of those bytes.
constexpr std::uint64_t bit_mask(std::uint8_t bytes) {
  if (bytes == kWholeWord) {
    return ~std::uint64_t{0};
  }
  // Spread the bits to the bytes' lowest bits, then fill the bytes.
  std::uint64_t x = bytes;
  x = (x | (x << 28)) & 0x0000000f0000000fULL;
  x = (x | (x << 14)) & 0x0003000300030003ULL;
  x = (x | (x << 7)) & 0x0101010101010101ULL;
  return x * 0xff;
}
static_assert(bit_mask(0x81) == 0xff000000000000ffULL && bit_mask(0x0e) == 0xffffff00);

template <typename Visit>
void for_each_word(std::uint64_t address, std::uint64_t size, Visit visit) {
  for (std::uint64_t word = word_of(address); word < address + size; word += kWordBytes) {
    visit(word, byte_mask(word, address, size));
  }
}

// Read the target's memory before the target does. If the address is bad, the target itself must
// crash at its own instruction, so these return false if the memory is not readable.
bool probe_word(std::uint64_t word, std::uint64_t* value);
// hash = hash · kWordFactor + word, for each of `count` words in order.
bool probe_words(std::uint64_t first, std::uint64_t count, std::uint64_t* hash);
inline constexpr std::uint64_t kWordFactor = 0x9e3779b97f4a7c15ULL;
// Inline variant for one word: returns 0 if it is not readable.
inline std::uint64_t load_or_zero(std::uint64_t word) {
  std::uint64_t value = 0;
  asm("1:\tmovq (%1), %0\n2:\n\t"
      ".pushsection rff_loads, \"a\"\n\t.long 1b - ., 2b - .\n\t.popsection"
      : "+r"(value)
      : "r"(word)
      : "memory");
  return value;
}

// For the signal handler: returns whether the fault is a probe's, and where to continue.
bool probe_fault(std::uint64_t rip, std::uint64_t* resume);

}  // namespace rff
