// Values as text: numbers, strings, optional values, tuples and containers of them. A type of
// one's own has text if `std::string rff_text(const T&)` is found beside it.
#ifndef RFF_TEXT_H
#define RFF_TEXT_H

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace rff {

namespace internal {

template <class T, class = void>
struct HasOwnText : std::false_type {};
template <class T>
struct HasOwnText<T, std::void_t<decltype(rff_text(std::declval<const T&>()))>> : std::true_type {};

template <class T, class = void>
struct IsContainer : std::false_type {};
template <class T>
struct IsContainer<T, std::void_t<decltype(std::declval<const T&>().begin()),
                                  decltype(std::declval<const T&>().end()), typename T::value_type>>
    : std::true_type {};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsTuple : std::false_type {};
template <class... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

template <class T>
constexpr bool has_text();

template <class T>
struct TupleHasText : std::false_type {};
template <class... T>
struct TupleHasText<std::tuple<T...>> : std::bool_constant<(has_text<std::decay_t<T>>() && ...)> {};
template <class A, class B>
struct TupleHasText<std::pair<A, B>>
    : std::bool_constant<has_text<std::decay_t<A>>() && has_text<std::decay_t<B>>()> {};

// Whether to_text takes a T.
template <class T>
constexpr bool has_text() {
  if constexpr (HasOwnText<T>::value || std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                std::is_convertible_v<const T&, std::string_view>) {
    return true;
  } else if constexpr (IsOptional<T>::value || IsContainer<T>::value) {
    return has_text<typename T::value_type>();
  } else if constexpr (IsTuple<T>::value) {
    return TupleHasText<T>::value;
  } else {
    return false;
  }
}

inline void append_character(std::string& out, char c, char quote) {
  if (c == quote || c == '\\') {
    out += '\\';
    out += c;
  } else if (c >= ' ' && c < 127) {
    out += c;
  } else {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
    out += code;
  }
}

inline std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    append_character(out, c, quote);
  }
  return out + quote;
}

// The shortest of the usual forms that reads back as the same number.
inline std::string number_text(double value) {
  char text[40];
  for (int digits : {6, 15, 17}) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) {
      break;
    }
  }
  return text;
}

}  // namespace internal

template <class T>
std::string to_text(const T& value) {
  static_assert(internal::has_text<T>(), "write std::string rff_text(const T&) beside the type");
  if constexpr (internal::HasOwnText<T>::value) {
    return rff_text(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    return internal::quoted(std::string_view(&value, 1), '\'');
  } else if constexpr (std::is_floating_point_v<T>) {
    return internal::number_text(static_cast<double>(value));
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return internal::quoted(value, '"');
  } else if constexpr (internal::IsOptional<T>::value) {
    return value ? to_text(*value) : "none";
  } else if constexpr (internal::IsTuple<T>::value) {
    std::string out = "(";
    std::apply(
        [&](const auto&... item) {
          std::size_t i = 0;
          ((out += (i++ == 0 ? "" : ", ") + to_text(item)), ...);
        },
        value);
    return out + ")";
  } else {
    std::string out = "{";
    for (const auto& item : value) {
      out += out.size() == 1 ? "" : ", ";
      out += to_text(static_cast<const typename T::value_type&>(item));
    }
    return out + "}";
  }
}

}  // namespace rff

#endif
