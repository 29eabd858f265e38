// Properties in C++: a function and a generator for each of its parameters.
#ifndef RFF_REGISTRATION_H
#define RFF_REGISTRATION_H

#include <exception>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

#include "rff/generators.h"

namespace rff {

// A registered property. It lives until the process ends.
struct Property {
  const rff_property_entry* entry;
};

// A name, and the place in the source where it is written.
struct PropertyName {
  PropertyName(const char* text, const char* in = __builtin_FILE(), int at = __builtin_LINE())
      : name(text), file(in), line(at) {}
  std::string name;
  const char* file;
  int line;
};

namespace internal {

// The name of a parameter in "(int i, std::vector<int> v)"; "argument N" if it has none.
inline std::string parameter_name(const std::string& parameters, std::size_t index) {
  std::size_t begin = 1;
  std::size_t end = parameters.empty() ? 0 : parameters.size() - 1;
  std::size_t seen = 0;
  int depth = 0;
  for (std::size_t i = 1; i < end; i++) {
    char c = parameters[i];
    depth += (c == '<' || c == '(' || c == '{') - (c == '>' || c == ')' || c == '}');
    if (c == ',' && depth == 0) {
      if (seen++ == index) {
        end = i;
        break;
      }
      begin = i + 1;
    }
  }
  const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  std::string one = begin < end ? parameters.substr(begin, end - begin) : "";
  std::size_t before = one.find_last_not_of(letters);
  // A type alone has one word, so a name comes after something else that is not only space.
  bool is_named = before != std::string::npos && before + 1 < one.size() && one[before] != ':' &&
                  one.find_first_not_of(" \n") <= before;
  return is_named ? one.substr(before + 1) : "argument " + std::to_string(index + 1);
}

struct Registered {
  std::string name;
  std::string file;
  std::function<void()> body;
  rff_property_entry entry;
};

inline void run_registered(void* context) {
  auto& property = *static_cast<Registered*>(context);
#ifdef __cpp_exceptions
  try {
    property.body();
  } catch (const Discarded&) {
    // The run is marked already.
  } catch (const std::exception& e) {
    rff_failed((std::string("exception: ") + e.what()).c_str(), property.entry.file,
               property.entry.line);
  }
#else
  property.body();
#endif
}

inline Property register_body(std::string name, std::string file, int line,
                              std::function<void()> body) {
  auto* property = new Registered{std::move(name), std::move(file), std::move(body), {}};
  property->entry = {
      property->name.c_str(), property->file.c_str(), line, 1, &run_registered, property, nullptr};
  rff_register(&property->entry);
  return {&property->entry};
}

template <class T>
T draw_named(Source& source, const std::string& name, const Generator<T>& generator) {
  source.text += name + " = ";
  T value = generator(source);
  source.text += "\n";
  return value;
}

template <class... P, class F, class... G, std::size_t... i>
void call_with_values(F& function, const std::vector<std::string>& names,
                      const std::tuple<G...>& generators, std::index_sequence<i...>) {
  Source source(rff_current_source());
  std::tuple<typename G::Value...> values{draw_named(source, names[i], std::get<i>(generators))...};
  rff_values(source.text.c_str());
  function(static_cast<P&&>(std::get<i>(values))...);
}

// P are the parameters of the function.
template <class... P, class F, class... G>
Property register_with(std::string name, const std::string& parameters, std::string file, int line,
                       F function, std::tuple<G...> generators) {
  static_assert(sizeof...(P) == sizeof...(G), "a property has one generator for each parameter");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sizeof...(P); i++) {
    names.push_back(parameter_name(parameters, i));
  }
  return register_body(
      std::move(name), std::move(file), line, [function, names, generators]() mutable {
        call_with_values<P...>(function, names, generators, std::index_sequence_for<P...>());
      });
}

template <class... P>
Property register_function(const char* name, const char* parameters, const char* file, int line,
                           void (*function)(P...)) {
  return register_with<P...>(name, parameters, file, line, function,
                             std::make_tuple(arbitrary<std::decay_t<P>>()...));
}

template <class F>
struct Parameters : Parameters<decltype(&F::operator())> {};
template <class R, class... P>
struct Parameters<R (*)(P...)> {
  template <class F, class... G>
  static Property add(const PropertyName& name, F function, G... generators) {
    if constexpr (sizeof...(G) == 0) {
      return register_with<P...>(name.name, "", name.file, name.line, std::move(function),
                                 std::make_tuple(arbitrary<std::decay_t<P>>()...));
    } else {
      return register_with<P...>(name.name, "", name.file, name.line, std::move(function),
                                 std::make_tuple(std::move(generators)...));
    }
  }
};
template <class C, class R, class... P>
struct Parameters<R (C::*)(P...) const> : Parameters<R (*)(P...)> {};
template <class C, class R, class... P>
struct Parameters<R (C::*)(P...)> : Parameters<R (*)(P...)> {};

}  // namespace internal

// A property of its own name: `static auto p = rff::property("name", function, generators...);`.
// Without generators they are those of arbitrary<T>. The function is no generic lambda.
template <class F, class... T>
Property property(const PropertyName& name, F function, Generator<T>... generators) {
  return internal::Parameters<std::decay_t<F>>::add(name, std::move(function),
                                                    std::move(generators)...);
}

}  // namespace rff

#endif
