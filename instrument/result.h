// Errors are values: a Result holds either the requested value or one line that says what is wrong.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace rff::instrument {

struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                // NOLINT: implicit on purpose
  Result(Error error) : message_(std::move(error.message)) {}  // NOLINT
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const std::string& error() const { return message_; }

 private:
  std::optional<T> value_;
  std::string message_;
};

}  // namespace rff::instrument
