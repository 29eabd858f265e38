#include "fuzzer/core/comparisons.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace rff {
namespace {

std::uint64_t low_bytes(std::uint64_t value, unsigned width) {
  return width >= 8 ? value : value & ((std::uint64_t{1} << (8 * width)) - 1);
}

// Returns the value of `width` bytes as a signed number.
std::int64_t as_signed(std::uint64_t value, unsigned width) {
  unsigned unused = 64 - 8 * width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

// Whether a value of `width` bytes is an extension, with zeros or with its sign, of its low bytes.
bool fits(std::uint64_t value, unsigned width, unsigned narrow) {
  std::uint64_t low = low_bytes(value, narrow);
  return low == value ||
         low_bytes(static_cast<std::uint64_t>(as_signed(low, narrow)), width) == value;
}

std::string encode(std::uint64_t value, unsigned width, bool big_endian) {
  std::string bytes;
  for (unsigned i = 0; i < width; ++i) {
    bytes += static_cast<char>(value >> (8 * i));
  }
  if (big_endian) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return bytes;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A value to search and the one to put there.
struct Wish {
  std::uint64_t searched;
  std::uint64_t put;
};

class Suggestions {
 public:
  Suggestions(std::string_view input, std::size_t most) : input_(input), most_(most) {}

  void add(std::size_t position, std::size_t length, const std::string& bytes) {
    Substitution s{position, length, bytes};
    if (found_.size() < most_ && input_.substr(position, length) != bytes &&
        std::find(found_.begin(), found_.end(), s) == found_.end()) {
      found_.push_back(std::move(s));
    }
  }

  // Puts `bytes` wherever the input has `searched`.
  void replace(const std::string& searched, const std::string& bytes) {
    for (std::size_t at = input_.find(searched); at != std::string_view::npos && !full();
         at = input_.find(searched, at + 1)) {
      add(at, searched.size(), bytes);
    }
  }

  void binary(const Wish& wish, unsigned width) {
    for (unsigned narrow = width; narrow >= 1; narrow /= 2) {
      if (!fits(wish.searched, width, narrow) || !fits(wish.put, width, narrow)) {
        break;
      }
      for (bool big_endian : {false, true}) {
        if (narrow > 1 || !big_endian) {
          replace(encode(wish.searched, narrow, big_endian), encode(wish.put, narrow, big_endian));
        }
      }
    }
  }

  void decimal(const Wish& wish, unsigned width) {
    for (const Decimal& d : decimals()) {
      if (low_bytes(d.value, width) == wish.searched) {
        add(d.position, d.length, std::to_string(as_signed(wish.put, width)));
        add(d.position, d.length, std::to_string(wish.put));
      }
    }
  }

  // Changes a decimal number so that a multiple of it, plus anything, moves by `distance`.
  void linear(std::int64_t distance) {
    constexpr std::int64_t kFactors[] = {1, 2, 4, -1, 3, 10, 8, 5};
    constexpr std::int64_t kFarthest = std::int64_t{1} << 40;  // beyond that, it is an address
    if (distance == 0 || distance > kFarthest || distance < -kFarthest) {
      return;
    }
    std::vector<Decimal> numbers = decimals();
    if (numbers.empty()) {
      numbers.push_back({input_.size(), 0, 0});
    }
    for (const Decimal& d : numbers) {
      for (std::int64_t factor : kFactors) {
        if (distance % factor == 0) {
          auto moved = d.value + static_cast<std::uint64_t>(distance / factor);
          add(d.position, d.length, std::to_string(static_cast<std::int64_t>(moved)));
        }
      }
    }
  }

  bool full() const { return found_.size() >= most_; }
  std::vector<Substitution> take() { return std::move(found_); }

 private:
  struct Decimal {
    std::size_t position, length;
    std::uint64_t value;  // of a negative one modulo 2^64
  };

  std::vector<Decimal> decimals() const {
    std::vector<Decimal> result;
    for (std::size_t begin = 0; begin < input_.size(); ++begin) {
      if (!is_digit(input_[begin]) || (begin > 0 && is_digit(input_[begin - 1]))) {
        continue;
      }
      std::uint64_t number = 0;
      const char* end = input_.data() + input_.size();
      auto [after, error] = std::from_chars(input_.data() + begin, end, number);
      if (error == std::errc()) {
        bool negative = begin > 0 && input_[begin - 1] == '-';
        std::size_t position = negative ? begin - 1 : begin;
        result.push_back({position, static_cast<std::size_t>(after - input_.data()) - position,
                          negative ? 0 - number : number});
      }
    }
    return result;
  }

  std::string_view input_;
  std::size_t most_;
  std::vector<Substitution> found_;
};

void suggest_values(const ComparedOperands& c, Suggestions& out) {
  constexpr std::int64_t kOffsets[] = {0, 1, -1};
  auto moved = [&](std::uint64_t value, std::int64_t by) {
    return low_bytes(value + static_cast<std::uint64_t>(by), c.width);
  };
  std::vector<Wish> wishes;
  for (bool swapped : {false, true}) {
    if (swapped && c.constant) {
      continue;
    }
    std::uint64_t have = low_bytes(swapped ? c.second : c.first, c.width);
    std::uint64_t want = low_bytes(swapped ? c.first : c.second, c.width);
    for (std::int64_t by : kOffsets) {
      wishes.push_back({have, moved(want, by)});
    }
    wishes.push_back({moved(have, 1), moved(want, 1)});
    wishes.push_back({moved(have, -1), moved(want, -1)});
  }
  for (const Wish& wish : wishes) {
    out.decimal(wish, c.width);
    out.binary(wish, c.width);
  }
}

// If the strings differ in length, the longer one may take the place of what follows.
void suggest_bytes(const std::string& searched, const std::string& bytes, std::string_view input,
                   Suggestions& out) {
  if (searched.empty()) {
    out.add(0, 0, bytes);
    out.add(input.size(), 0, bytes);
    return;
  }
  for (std::size_t at = input.find(searched); at != std::string_view::npos && !out.full();
       at = input.find(searched, at + 1)) {
    out.add(at, searched.size(), bytes);
    out.add(at, std::min(bytes.size(), input.size() - at), bytes);
  }
}

std::string bytes_of(const std::uint8_t* data, std::uint8_t size) {
  return {reinterpret_cast<const char*>(data), std::min(size, ComparedBytes::kMost)};
}

}  // namespace

std::vector<ComparedOperands> read_comparisons(const RunRecord& run) {
  std::vector<ComparedOperands> result;
  if (run.has_branches == 0) {
    return result;
  }
  for (const ComparedValues& v : run.compared_values) {
    if (v.width == 1 || v.width == 2 || v.width == 4 || v.width == 8) {
      ComparedOperands& c = result.emplace_back();
      c.site = v.site;
      c.thread = v.thread;
      c.width = v.width;
      c.constant = v.constant;
      c.first = v.first;
      c.second = v.second;
    }
  }
  for (const ComparedBytes& b : run.compared_bytes) {
    ComparedOperands& c = result.emplace_back();
    c.site = b.site;
    c.thread = b.thread;
    c.first_bytes = bytes_of(b.first, b.first_size);
    c.second_bytes = bytes_of(b.second, b.second_size);
  }
  return result;
}

std::string apply(const Substitution& s, std::string_view input) {
  std::string result(input.substr(0, s.position));
  result += s.bytes;
  result += input.substr(std::min(input.size(), s.position + s.length));
  return result;
}

std::vector<Substitution> substitutions(std::string_view input, const ComparedOperands& comparison,
                                        std::size_t most) {
  Suggestions out(input, most);
  if (comparison.has_values()) {
    suggest_values(comparison, out);
  } else {
    suggest_bytes(comparison.first_bytes, comparison.second_bytes, input, out);
    suggest_bytes(comparison.second_bytes, comparison.first_bytes, input, out);
  }
  return out.take();
}

std::vector<Substitution> linear_substitutions(std::string_view input,
                                               const ComparedOperands& comparison,
                                               std::size_t most) {
  Suggestions out(input, most);
  if (comparison.constant) {
    out.linear(as_signed(low_bytes(comparison.second - comparison.first, comparison.width),
                         comparison.width));
  }
  return out.take();
}

}  // namespace rff
