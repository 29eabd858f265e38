#include "fuzzer/debug/rust_name.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace rff {
namespace {

constexpr std::uint64_t kLargest = 1 << 20;  // length of an identifier
constexpr int kDeepest = 100;
constexpr std::size_t kLongest = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// Empty for a letter that is no basic type.
std::string_view basic_type(char letter) {
  constexpr std::string_view kTypes[] = {"i8",   "bool",  "char",  "f64", "str", "f32", "",
                                         "u8",   "isize", "usize", "",    "i32", "u32", "i128",
                                         "u128", "_",     "",      "",    "i16", "u16", "()",
                                         "...",  "",      "i64",   "u64", "!"};
  return is_lower(letter) ? kTypes[letter - 'a'] : "";
}

// Reads a symbol by the grammar of Rust's RFC 2603. After an error all that follows is empty.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<std::string> symbol() {
    std::string name = path();
    bool whole = at_ == text_.size() || text_[at_] == '.' || text_[at_] == '$';
    if (!whole && !failed_) {
      path();  // the crate for which a generic function was made
      whole = at_ == text_.size() || text_[at_] == '.' || text_[at_] == '$';
    }
    return failed_ || !whole || name.empty() ? std::nullopt : std::optional(name);
  }

 private:
  // Bounds the recursion: references back may repeat.
  class Level {
   public:
    explicit Level(Reader& reader) : reader_(reader) {
      reader_.failed_ |= ++reader_.depth_ > kDeepest || ++reader_.steps_ > kLongest;
    }
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Reader& reader_;
  };

  char next() {
    if (at_ >= text_.size()) {
      failed_ = true;
    }
    return failed_ ? '\0' : text_[at_++];
  }
  bool take(char wanted) {
    bool there = !failed_ && at_ < text_.size() && text_[at_] == wanted;
    at_ += there ? 1 : 0;
    return there;
  }

  // "_" is 0, "0_" is 1, and so on; modulo 2^64.
  std::uint64_t base62() {
    std::uint64_t value = 0;
    if (take('_')) {
      return 0;
    }
    for (char c = next(); c != '_'; c = next()) {
      int digit = is_digit(c)   ? c - '0'
                  : is_lower(c) ? c - 'a' + 10
                  : is_upper(c) ? c - 'A' + 36
                                : -1;
      failed_ |= digit < 0;
      if (failed_) {
        return 0;
      }
      value = value * 62 + static_cast<std::uint64_t>(digit);
    }
    return value + 1;
  }

  std::uint64_t decimal() {
    std::uint64_t value = 0;
    failed_ |= at_ >= text_.size() || !is_digit(text_[at_]);
    if (take('0')) {
      return 0;
    }
    while (!failed_ && at_ < text_.size() && is_digit(text_[at_])) {
      value = value * 10 + static_cast<std::uint64_t>(next() - '0');
      failed_ |= value > kLargest;
    }
    return value;
  }

  // Returns the number that tells closures of one function apart.
  std::uint64_t disambiguator() { return take('s') ? base62() + 1 : 0; }

  std::string plain_identifier() {
    take('u');  // other characters than ASCII's follow in their encoding
    std::uint64_t length = decimal();
    take('_');
    failed_ |= length > text_.size() - std::min(at_, text_.size());
    if (failed_) {
      return "";
    }
    std::string name(text_.substr(at_, length));
    at_ += length;
    return name;
  }

  // Reads again what stands at an earlier place.
  template <typename Read>
  std::string back(Read read) {
    std::size_t here = at_ - 1;
    std::uint64_t there = base62();
    failed_ |= there >= here;
    if (failed_) {
      return "";
    }
    std::size_t after = at_;
    at_ = there;
    std::string text = read();
    at_ = after;
    return text;
  }

  std::string path() {
    Level level(*this);
    switch (next()) {
      case 'C': disambiguator(); return plain_identifier();
      case 'M':
        disambiguator();
        path();
        return of_type(type());
      case 'X':
        disambiguator();
        path();
        return as_trait();
      case 'Y': return as_trait();
      case 'N': return nested();
      case 'I': {
        std::string name = path();
        while (!failed_ && !take('E')) {
          argument();
        }
        return name;
      }
      case 'B': return back([this] { return path(); });
      default: failed_ = true; return "";
    }
  }

  static std::string of_type(const std::string& type) {
    bool plain = type.find_first_of("&*([ ") == std::string::npos;
    return plain ? type : "<" + type + ">";
  }
  std::string as_trait() {
    std::string self = type();
    return "<" + self + " as " + path() + ">";
  }

  std::string nested() {
    char space = next();
    std::string outer = path();
    std::uint64_t number = disambiguator();
    std::string name = plain_identifier();
    if (!is_upper(space)) {
      failed_ |= !is_lower(space);
      return name.empty() ? outer : outer + "::" + name;
    }
    std::string kind = space == 'C' ? "closure" : space == 'S' ? "shim" : std::string(1, space);
    std::string known = number == 0 ? "" : "#" + std::to_string(number);
    return outer + "::{" + kind + (name.empty() ? "" : ":" + name) + known + "}";
  }

  std::string argument() {
    if (take('L')) {
      base62();
      return "";
    }
    return take('K') ? constant() : type();
  }

  std::string constant() {
    Level level(*this);
    if (take('p')) {
      return "_";
    }
    if (take('B')) {
      return back([this] { return constant(); });
    }
    type();
    std::string sign = take('n') ? "-" : "";
    std::string digits;
    for (char c = next(); c != '_' && !failed_; c = next()) {
      failed_ |= !is_digit(c) && (c < 'a' || c > 'f');
      digits += c;
    }
    std::uint64_t value = 0;
    auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return sign + (end.ec == std::errc() ? std::to_string(value) : "0x" + digits);
  }

  std::string list(std::string_view separator) {
    std::string text;
    while (!failed_ && !take('E')) {
      text += (text.empty() ? "" : std::string(separator)) + type();
    }
    return text;
  }

  std::string type() {
    Level level(*this);
    char c = next();
    if (std::string_view basic = basic_type(c); !basic.empty()) {
      return std::string(basic);
    }
    switch (c) {
      case 'A': {
        std::string element = type();
        return "[" + element + "; " + constant() + "]";
      }
      case 'S': return "[" + type() + "]";
      case 'T': return "(" + list(", ") + ")";
      case 'R': lifetime(); return "&" + type();
      case 'Q': lifetime(); return "&mut " + type();
      case 'P': return "*const " + type();
      case 'O': return "*mut " + type();
      case 'F': return function();
      case 'D': return dynamic();
      case 'B': return back([this] { return type(); });
      default: --at_; return path();
    }
  }

  void lifetime() {
    if (take('L')) {
      base62();
    }
  }
  void binder() {
    if (take('G')) {
      base62();
    }
  }

  std::string function() {
    binder();
    take('U');
    if (take('K') && !take('C')) {
      plain_identifier();
    }
    std::string parameters = list(", ");
    std::string result = type();
    return "fn(" + parameters + ")" + (result == "()" ? "" : " -> " + result);
  }

  std::string dynamic() {
    binder();
    std::string text;
    while (!failed_ && !take('E')) {
      text += (text.empty() ? "dyn " : " + ") + path();
      while (take('p')) {
        plain_identifier();
        type();
      }
    }
    if (!take('L')) {
      failed_ = true;
    } else {
      base62();
    }
    return text;
  }

  std::string_view text_;  // without the prefix: places in it are counted from there
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t steps_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::string> rust_name(std::string_view symbol) {
  if (!symbol.starts_with("_R") || symbol.size() < 3 || !is_upper(symbol[2])) {
    return std::nullopt;
  }
  symbol.remove_prefix(2);
  std::optional<std::string> name = Reader(symbol).symbol();
  return name && name->size() <= kLongest ? name : std::nullopt;
}

}  // namespace rff
