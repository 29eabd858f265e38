// A generator decodes bytes to a value and writes that value as text.
#ifndef RFF_GENERATOR_H
#define RFF_GENERATOR_H

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "rff/draws.h"
#include "rff/text.h"

namespace rff {

// The bytes of a run, and the text of the values that were drawn from them.
class Source {
 public:
  explicit Source(rff_source* bytes) : bytes_(bytes) {}

  rff_source* bytes() { return bytes_; }
  std::uint64_t number(unsigned width) { return rff_source_number(bytes_, width); }
  std::size_t pick(std::size_t n) { return rff_source_unsigned_range(bytes_, 0, n - 1); }
  bool exhausted() const { return bytes_->position >= bytes_->size; }
  int next_byte() const { return exhausted() ? 0 : bytes_->data[bytes_->position]; }

  std::string text;
  unsigned depth = 0;  // of recursive generators

 private:
  rff_source* bytes_;
};

// Requirement for a function of one's own: it draws from nothing but the source, so that equal
// bytes give equal values, and appends the value's text to `Source::text`.
template <class T>
class Generator {
 public:
  using Value = T;
  explicit Generator(std::function<T(Source&)> draw) : draw_(std::move(draw)) {}
  T operator()(Source& source) const { return draw_(source); }

 private:
  std::function<T(Source&)> draw_;
};

namespace internal {

class Discarded {};

[[noreturn]] inline void discard() {
#ifdef __cpp_exceptions
  if (rff_discards_by_exception() != 0) {
    throw Discarded();
  }
#endif
  rff_discard();
}

// A generator of values that have text; `draw` need not write it.
template <class Draw>
auto with_text(Draw draw) {
  using T = decltype(draw(std::declval<Source&>()));
  return Generator<T>([draw](Source& source) {
    T value = draw(source);
    source.text += to_text(value);
    return value;
  });
}

}  // namespace internal

}  // namespace rff

#endif
