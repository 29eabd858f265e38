// The runtime's own mem… and str… functions. The linker redirects calls from its code, and from the
// libstdc++ in it, to them (--wrap). They are no accesses of the program, and unlike the C
// library's they do not touch the vector registers, which the program may be using.
#include <cstddef>
#include <cstdint>

namespace {

using Word = std::uint64_t __attribute__((aligned(1), may_alias));
using Half = std::uint32_t __attribute__((aligned(1), may_alias));

// From this size on the processor's string instructions are faster than a loop.
constexpr std::size_t kMany = 256;

Word& word(char* at) { return *reinterpret_cast<Word*>(at); }
Word word(const char* at) { return *reinterpret_cast<const Word*>(at); }
Half& half(char* at) { return *reinterpret_cast<Half*>(at); }
Half half(const char* at) { return *reinterpret_cast<const Half*>(at); }

// All of these read the end of the source before they write anything: the ranges may overlap.
void copy_few(char* to, const char* from, std::size_t n) {  // n < 8
  if (n >= 4) {
    Half last = half(from + n - 4);
    half(to) = half(from);
    half(to + n - 4) = last;
  } else if (n > 0) {
    char middle = from[n / 2];
    char last = from[n - 1];
    to[0] = from[0];
    to[n / 2] = middle;
    to[n - 1] = last;
  }
}

void copy_forwards(char* to, const char* from, std::size_t n) {
  Word last = word(from + n - 8);
  if (n >= kMany) {
    std::size_t words = n / 8;
    char* end = to + n;
    asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
    word(end - 8) = last;
    return;
  }
  for (std::size_t i = 0; i + 8 < n; i += 8) {
    word(to + i) = word(from + i);
  }
  word(to + n - 8) = last;
}

void copy_backwards(char* to, const char* from, std::size_t n) {
  Word first = word(from);
  for (std::size_t i = n; i > 8; i -= 8) {
    word(to + i - 8) = word(from + i - 8);
  }
  word(to) = first;
}

}  // namespace

#define RFF_OWN extern "C" __attribute__((visibility("hidden")))

RFF_OWN void* __wrap_memmove(void* to, const void* from, std::size_t n) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  if (n < 8) {
    copy_few(target, source, n);
  } else if (reinterpret_cast<std::uint64_t>(to) - reinterpret_cast<std::uint64_t>(from) >= n) {
    copy_forwards(target, source, n);
  } else {
    copy_backwards(target, source, n);
  }
  return to;
}

RFF_OWN void* __wrap_memcpy(void* to, const void* from, std::size_t n) {
  return __wrap_memmove(to, from, n);
}

RFF_OWN void* __wrap_memset(void* to, int value, std::size_t n) {
  auto* at = static_cast<char*>(to);
  std::uint64_t pattern = 0x0101010101010101ULL * static_cast<unsigned char>(value);
  if (n < 8) {
    for (std::size_t i = 0; i < n; ++i) {
      at[i] = static_cast<char>(value);
    }
    return to;
  }
  word(at + n - 8) = pattern;
  std::size_t words = n / 8;
  if (n >= kMany) {
    asm volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(pattern) : "memory");
    return to;
  }
  for (std::size_t i = 0; i < words; ++i) {
    word(at + i * 8) = pattern;
  }
  return to;
}

RFF_OWN int __wrap_memcmp(const void* a, const void* b, std::size_t n) {
  const auto* x = static_cast<const char*>(a);
  const auto* y = static_cast<const char*>(b);
  std::size_t i = 0;
  while (i + 8 <= n && word(x + i) == word(y + i)) {
    i += 8;
  }
  while (i < n && x[i] == y[i]) {
    ++i;
  }
  return i == n ? 0 : static_cast<unsigned char>(x[i]) - static_cast<unsigned char>(y[i]);
}

RFF_OWN void* __wrap_memchr(const void* at, int value, std::size_t n) {
  auto* p = static_cast<unsigned char*>(const_cast<void*>(at));
  for (; n > 0; --n, ++p) {
    if (*p == static_cast<unsigned char>(value)) {
      return p;
    }
  }
  return nullptr;
}

RFF_OWN std::size_t __wrap_strnlen(const char* s, std::size_t most) {
  std::size_t n = 0;
  while (n < most && s[n] != 0) {
    ++n;
  }
  return n;
}

RFF_OWN std::size_t __wrap_strlen(const char* s) { return __wrap_strnlen(s, SIZE_MAX); }

RFF_OWN int __wrap_strncmp(const char* a, const char* b, std::size_t n) {
  std::size_t i = 0;
  while (i < n && a[i] == b[i] && a[i] != 0) {
    ++i;
  }
  return i == n ? 0 : static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]);
}

RFF_OWN int __wrap_strcmp(const char* a, const char* b) { return __wrap_strncmp(a, b, SIZE_MAX); }

RFF_OWN char* __wrap_strchr(const char* s, int value) {
  return static_cast<char*>(__wrap_memchr(s, value, __wrap_strlen(s) + 1));
}
