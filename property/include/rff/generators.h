// The generators: arbitrary<T>() for standard types, and what builds others from them. Zero bytes
// give the simplest value of each: zero, the empty container, the first choice.
#ifndef RFF_GENERATORS_H
#define RFF_GENERATORS_H

#include <array>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "rff/generator.h"

namespace rff {

inline constexpr std::size_t kMostElements = 1000;
inline constexpr unsigned kMostDepth = 100;
inline constexpr int kFilterTries = 100;

// Specialise it with `static Generator<T> make()` for a type of one's own.
template <class T, class = void>
struct Arbitrary;

template <class T>
Generator<T> arbitrary() {
  return Arbitrary<T>::make();
}

// Numbers from lo to hi, both included. The simplest is the one nearest to zero; of floating-point
// numbers zero if it is in the range, else lo.
template <class T>
Generator<T> in_range(T lo, T hi) {
  static_assert(std::is_arithmetic_v<T>);
  return internal::with_text([lo, hi](Source& source) -> T {
    if constexpr (std::is_floating_point_v<T>) {
      T value = static_cast<T>(rff_source_double(source.bytes()));
      if (value >= lo && value <= hi) {
        return value;
      }
      T part = static_cast<T>(static_cast<double>(source.number(4)) / 4294967296.0);
      return lo * (1 - part) + hi * part;  // hi - lo may be infinite
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(rff_source_signed_range(source.bytes(), lo, hi));
    } else {
      return static_cast<T>(rff_source_unsigned_range(source.bytes(), lo, hi));
    }
  });
}

// One of at least one value.
template <class T>
Generator<T> element_of(std::vector<T> values) {
  return internal::with_text(
      [values](Source& source) -> T { return values[source.pick(values.size())]; });
}
template <class T>
Generator<T> element_of(std::initializer_list<T> values) {
  return element_of(std::vector<T>(values));
}

template <class T, class... More>
Generator<T> one_of(Generator<T> first, More... more) {
  std::vector<Generator<T>> choices{std::move(first), std::move(more)...};
  return Generator<T>(
      [choices](Source& source) { return choices[source.pick(choices.size())](source); });
}

template <class T>
Generator<std::optional<T>> optional_of(Generator<T> some) {
  return Generator<std::optional<T>>([some](Source& source) -> std::optional<T> {
    if ((source.number(1) & 1) == 0) {
      source.text += "none";
      return std::nullopt;
    }
    return some(source);
  });
}

namespace internal {

template <class T, class = void>
struct HasKeys : std::false_type {};
template <class T>
struct HasKeys<T, std::void_t<typename T::key_type>> : std::true_type {};

// A byte before each element says whether it is there, so that deleting the bytes of an element
// deletes the element. Sets and maps are written as they are, without what was drawn twice.
template <class Container, class T>
Generator<Container> container_of(Generator<T> element, std::size_t least, std::size_t most) {
  return Generator<Container>([element, least, most](Source& source) {
    Container result;
    std::size_t mark = source.text.size();
    source.text += "{";
    for (std::size_t i = 0; i < most && (i < least || source.number(1) % 8 != 0); i++) {
      source.text += i == 0 ? "" : ", ";
      result.insert(result.end(), element(source));
    }
    source.text += "}";
    if constexpr (HasKeys<Container>::value && has_text<Container>()) {
      source.text.resize(mark);
      source.text += to_text(result);
    }
    return result;
  });
}

}  // namespace internal

template <class T>
Generator<std::vector<T>> vector_of(Generator<T> element, std::size_t least = 0,
                                    std::size_t most = kMostElements) {
  return internal::container_of<std::vector<T>>(std::move(element), least, most);
}

// Strings of these characters.
inline Generator<std::string> string_of(Generator<char> character, std::size_t least = 0,
                                        std::size_t most = kMostElements) {
  auto characters = internal::container_of<std::string>(std::move(character), least, most);
  return internal::with_text([characters](Source& source) {
    std::size_t mark = source.text.size();
    std::string value = characters(source);
    source.text.resize(mark);
    return value;
  });
}

// Strings of any characters. Their bytes lie in the input as they are, up to a zero byte, so that
// mutators recognise them. Zero followed by ff is a zero character.
inline Generator<std::string> string_of(std::size_t most = kMostElements) {
  return internal::with_text([most](Source& source) {
    std::string value;
    while (value.size() < most) {
      char c = static_cast<char>(source.number(1));
      if (c == 0 && source.next_byte() != 0xff) {
        break;
      }
      if (c == 0) {
        source.number(1);
      }
      value += c;
    }
    return value;
  });
}

// Any bytes, as they lie in the input, after their number.
inline Generator<std::vector<unsigned char>> bytes_of(std::size_t most = kMostElements) {
  return internal::with_text([most](Source& source) {
    std::vector<unsigned char> value(most);
    value.resize(rff_source_bytes(source.bytes(), value.data(), most));
    return value;
  });
}

namespace internal {

template <class G>
auto draw_item(Source& source, const G& generator, bool& first) {
  source.text += first ? "" : ", ";
  first = false;
  return generator(source);
}

// Draws the items from left to right, as the order in braces guarantees.
template <class T, class... G>
Generator<T> all_of(char open, char close, G... generators) {
  return Generator<T>([=](Source& source) {
    bool first = true;
    source.text += open;
    T value{draw_item(source, generators, first)...};
    source.text += close;
    return value;
  });
}

}  // namespace internal

template <class... T>
Generator<std::tuple<T...>> tuple_of(Generator<T>... items) {
  return internal::all_of<std::tuple<T...>>('(', ')', std::move(items)...);
}

// A T made of these members in braces. The text is that of the members.
template <class T, class... M>
Generator<T> struct_of(Generator<M>... members) {
  return internal::all_of<T>('{', '}', std::move(members)...);
}

// Writes a name before the value, for members of structs.
template <class T>
Generator<T> named(const std::string& name, Generator<T> generator) {
  return Generator<T>([name, generator](Source& source) {
    source.text += name + " = ";
    return generator(source);
  });
}

// f of a value. The text is that of the result, or of the value if the result has none.
template <class T, class F>
auto map(Generator<T> generator, F f) {
  using U = std::decay_t<decltype(f(std::declval<T>()))>;
  return Generator<U>([generator, f](Source& source) -> U {
    std::size_t mark = source.text.size();
    U result = f(generator(source));
    if constexpr (internal::has_text<U>()) {
      source.text.resize(mark);
      source.text += to_text(result);
    }
    return result;
  });
}

// Values that are accepted. The run is discarded if none of some tries is.
template <class T, class F>
Generator<T> filter(Generator<T> generator, F accepts) {
  return Generator<T>([generator, accepts](Source& source) -> T {
    std::size_t mark = source.text.size();
    for (int i = 0; i < kFilterTries; i++) {
      bool last = source.exhausted();  // from here on every try gives the same value
      T value = generator(source);
      if (accepts(static_cast<const T&>(value))) {
        return value;
      }
      source.text.resize(mark);
      if (last) {
        break;
      }
    }
    internal::discard();
  });
}

// A value of the generator that f makes of a first value. The text is that of the second.
template <class T, class F>
auto flat_map(Generator<T> generator, F f) {
  using U = typename decltype(f(std::declval<T>()))::Value;
  return Generator<U>([generator, f](Source& source) -> U {
    std::size_t mark = source.text.size();
    auto second = f(generator(source));
    source.text.resize(mark);
    return second(source);
  });
}

// Values that contain values of their own type: `step` makes a generator of larger ones from the
// generator of all. At the latest kMostDepth levels down, `base` is drawn.
template <class T, class F>
Generator<T> recursive(Generator<T> base, F step) {
  auto larger = std::make_shared<std::optional<Generator<T>>>();
  auto draw = [base](Source& source, const Generator<T>& next) -> T {
    if (source.number(1) % 2 == 0 || source.depth >= kMostDepth) {
      return base(source);
    }
    source.depth++;
    T value = next(source);
    source.depth--;
    return value;
  };
  // The inner generator refers to its owner weakly, else neither would ever be freed.
  std::weak_ptr<std::optional<Generator<T>>> owner = larger;
  larger->emplace(step(
      Generator<T>([draw, owner](Source& source) -> T { return draw(source, **owner.lock()); })));
  return Generator<T>([draw, larger](Source& source) -> T { return draw(source, **larger); });
}

}  // namespace rff

#include "rff/arbitrary.h"

#endif
