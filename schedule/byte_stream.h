// Writes and reads little-endian numbers, texts and lists, for file formats. The reader checks
// every size against its limit and the bytes that are left before it allocates.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rff {

// The kernel limits program arguments to 128 KiB each and 6 MiB in all; these limits admit them.
inline constexpr std::size_t kMaxText = 1 << 20;
inline constexpr std::size_t kMaxTexts = 1 << 22;

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  template <typename T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void boolean(bool value) { number<std::uint8_t>(value ? 1 : 0); }
  void bytes(std::string_view s) { out_.append(s); }
  // Writes a short name.
  void name(std::string_view s) {
    number(static_cast<std::uint8_t>(s.size()));
    out_.append(s);
  }
  void text(std::string_view s) {
    number(static_cast<std::uint32_t>(s.size()));
    out_.append(s);
  }
  void texts(const std::vector<std::string>& list) {
    number(static_cast<std::uint32_t>(list.size()));
    for (const std::string& s : list) {
      text(s);
    }
  }
  template <typename T>
  void records(const std::vector<T>& list) {
    static_assert(std::is_trivially_copyable_v<T>);
    number(static_cast<std::uint32_t>(list.size()));
    out_.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
  }

  // Overwrites a number that was written earlier.
  template <typename T>
  void number_at(std::size_t at, T value) {
    std::memcpy(out_.data() + at, &value, sizeof value);
  }
  std::size_t size() const { return out_.size(); }

 private:
  std::string& out_;
};

// Reads fields in order; after the first error every further read does nothing and `error()` keeps
// the first cause.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  void number(T& value, const char* what) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (take(sizeof value, what)) {
      std::memcpy(&value, taken_.data(), sizeof value);
    }
  }
  void boolean(bool& value, const char* what) {
    std::uint8_t raw = 0;
    number(raw, what);
    if (raw > 1) {
      fail(std::string("bad flag in ") + what);
    }
    value = raw == 1;
  }
  template <typename Enum>
  void enumeration(Enum& value, Enum limit, const char* what) {
    std::uint8_t raw = 0;
    number(raw, what);
    if (raw >= static_cast<std::uint8_t>(limit)) {
      fail(std::string("unknown ") + what + " " + std::to_string(raw));
      raw = 0;
    }
    value = static_cast<Enum>(raw);
  }
  // The result points into the bytes that are read.
  std::string_view name(const char* what) {
    std::uint8_t n = 0;
    number(n, what);
    return take(n, what) ? taken_ : std::string_view();
  }
  std::string_view bytes(std::size_t n, const char* what) {
    return take(n, what) ? taken_ : std::string_view();
  }
  void text(std::string& value, const char* what) {
    if (take(count(kMaxText, 1, what), what)) {
      value.assign(taken_);
    }
  }
  void texts(std::vector<std::string>& list, const char* what) {
    std::size_t n = count(kMaxTexts, sizeof(std::uint32_t), what);
    for (std::size_t i = 0; i < n && ok(); ++i) {
      text(list.emplace_back(), what);
    }
  }
  template <typename T>
  void records(std::vector<T>& list, std::size_t most, const char* what) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::size_t n = count(most, sizeof(T), what);
    if (take(n * sizeof(T), what)) {
      list.resize(n);
      if (n > 0) {
        std::memcpy(list.data(), taken_.data(), n * sizeof(T));
      }
    }
  }
  // Reads a number of elements. It is an error if there are more than `most`, or if that many
  // elements of `element` bytes do not fit into the remaining bytes.
  std::size_t count(std::size_t most, std::size_t element, const char* what) {
    std::uint32_t n = 0;
    number(n, what);
    if (ok() && (n > most || n > rest_.size() / element)) {
      fail(std::string("implausible number of ") + what + ": " + std::to_string(n));
    }
    return ok() ? n : 0;
  }
  void fail(std::string why) {
    if (error_.empty()) {
      error_ = std::move(why);
    }
  }
  bool ok() const { return error_.empty(); }
  bool at_end() const { return rest_.empty(); }
  const std::string& error() const { return error_; }

 private:
  bool take(std::size_t n, const char* what) {
    if (!ok()) {
      return false;
    }
    if (rest_.size() < n) {
      fail(std::string("ends inside ") + what);
      return false;
    }
    taken_ = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return true;
  }

  std::string_view rest_;
  std::string_view taken_;
  std::string error_;
};

}  // namespace rff
