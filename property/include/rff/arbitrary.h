// arbitrary<T>() for numbers, characters, strings, optional values, tuples, arrays and containers.
#ifndef RFF_ARBITRARY_H
#define RFF_ARBITRARY_H

#include "rff/generators.h"

namespace rff {

template <class T>
struct Arbitrary<T, std::enable_if_t<std::is_integral_v<T>>> {
  static Generator<T> make() {
    return internal::with_text([](Source& source) -> T {
      if constexpr (std::is_same_v<T, bool>) {
        return (source.number(1) & 1) != 0;
      } else if constexpr (std::is_same_v<T, char> || !std::is_signed_v<T>) {
        return static_cast<T>(source.number(sizeof(T)));
      } else {
        return static_cast<T>(rff_source_signed(source.bytes(), sizeof(T)));
      }
    });
  }
};

template <class T>
struct Arbitrary<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static Generator<T> make() {
    return internal::with_text(
        [](Source& source) { return static_cast<T>(rff_source_double(source.bytes())); });
  }
};

template <>
struct Arbitrary<std::string> {
  static Generator<std::string> make() { return string_of(); }
};

template <>
struct Arbitrary<std::vector<unsigned char>> {
  static Generator<std::vector<unsigned char>> make() { return bytes_of(); }
};

template <class T>
struct Arbitrary<std::optional<T>> {
  static Generator<std::optional<T>> make() { return optional_of(arbitrary<T>()); }
};

template <class... T>
struct Arbitrary<std::tuple<T...>> {
  static Generator<std::tuple<T...>> make() { return tuple_of(arbitrary<T>()...); }
};

template <class A, class B>
struct Arbitrary<std::pair<A, B>> {
  static Generator<std::pair<A, B>> make() {
    return internal::all_of<std::pair<A, B>>('(', ')', arbitrary<std::remove_const_t<A>>(),
                                             arbitrary<B>());
  }
};

template <class T, std::size_t n>
struct Arbitrary<std::array<T, n>> {
  static Generator<std::array<T, n>> make() {
    return Generator<std::array<T, n>>([element = arbitrary<T>()](Source& source) {
      std::array<T, n> value{};
      source.text += "{";
      for (std::size_t i = 0; i < n; i++) {
        source.text += i == 0 ? "" : ", ";
        value[i] = element(source);
      }
      source.text += "}";
      return value;
    });
  }
};

// Vectors, lists, sets, maps and whatever else elements are inserted into.
template <class T>
struct Arbitrary<
    T, std::void_t<typename T::value_type,
                   decltype(std::declval<T&>().insert(std::declval<T&>().end(),
                                                      std::declval<typename T::value_type>()))>> {
  static Generator<T> make() {
    return internal::container_of<T>(arbitrary<typename T::value_type>(), 0, kMostElements);
  }
};

}  // namespace rff

#endif
