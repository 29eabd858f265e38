#include "fuzzer/replay/regression_file.h"

#include <sstream>

namespace rff {
namespace {

constexpr char kHead[] = "rff regression ";
constexpr std::size_t kMostItems = 100'000;

// Words are separated by tabs; what would break a line is escaped.
std::string word(const std::string& text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '\\': result += "\\\\"; break;
      case '\t': result += "\\t"; break;
      case '\n': result += "\\n"; break;
      default: result += c;
    }
  }
  return result;
}

std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> result(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      result.emplace_back();
    } else if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      result.back() += line[i] == 't' ? '\t' : line[i] == 'n' ? '\n' : line[i];
    } else {
      result.back() += line[i];
    }
  }
  return result;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(c) / 16];
    text += kDigits[static_cast<unsigned char>(c) % 16];
  }
  return text;
}

// Throws std::exception for what is no number, or a larger one.
std::uint64_t number(const std::string& text, std::uint64_t most = ~std::uint64_t{0}) {
  std::size_t end = 0;
  std::uint64_t n = std::stoull(text, &end);
  if (end != text.size() || n > most || text[0] == '-') {
    throw std::invalid_argument(text);
  }
  return n;
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    std::string digits = text.substr(i, 2);
    if (digits.size() != 2 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
      throw std::invalid_argument(text);
    }
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
  }
  return bytes;
}

ProgramInput::Way way_named(const std::string& name) {
  for (int i = 1; i < static_cast<int>(ProgramInput::Way::kCount); ++i) {
    if (auto way = static_cast<ProgramInput::Way>(i); input_way_name(way) == name) {
      return way;
    }
  }
  throw std::invalid_argument(name);
}

class Reader {
 public:
  void line(const std::vector<std::string>& w) {
    const std::string& key = w[0];
    if (key == "kind") {
      file.kind = w.at(1);
    } else if (key == "failure") {
      file.failure.push_back(w.at(1));
    } else if (key == "program") {
      file.program = w.at(1);
    } else if (key == "argument") {
      file.arguments.push_back(w.at(1));
    } else if (key == "run") {
      file.timeouts = number(w.at(1));
      file.processors = number(w.at(2), 1024);
      file.exit_is_finding = number(w.at(3), 1) != 0;
      file.racing_points = number(w.at(4), 1) != 0;
      file.has_input = number(w.at(5), 1) != 0;
    } else if (key == "input") {
      file.input.way = way_named(w.at(1));
      file.input.name = w.at(2);
    } else if (key == "bytes") {
      file.input.bytes += from_hex(w.at(1));
    } else if (key == "event") {
      file.events.push_back(
          {w.at(1), w.at(2), w.at(3), static_cast<unsigned>(number(w.at(4), 1 << 20))});
    } else if (key == "pair" || key == "no-pair") {
      file.constraints.push_back({event(w.at(1)), event(w.at(2)), key == "pair"});
    } else if (key == "order") {
      for (std::size_t i = 1; i < w.size(); ++i) {
        step(w[i]);
      }
    } else {
      throw std::invalid_argument(key);
    }
    if (file.input.bytes.size() > ProgramInput::kMost) {
      throw std::invalid_argument("too long");
    }
    if (file.events.size() + file.constraints.size() + file.order.size() > kMostItems) {
      throw std::invalid_argument("too long");
    }
  }

  RegressionFile file;

 private:
  unsigned event(const std::string& text) {
    unsigned n = static_cast<unsigned>(number(text, kMostItems));
    if (n >= file.events.size()) {
      throw std::invalid_argument(text);
    }
    return n;
  }

  // "2:17", with "!" if a timed wait ended there.
  void step(std::string text) {
    bool timed_out = text.ends_with('!');
    text = timed_out ? text.substr(0, text.size() - 1) : text;
    std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
      throw std::invalid_argument(text);
    }
    file.order.push_back({static_cast<unsigned>(number(text.substr(0, colon), kMaxThreads)),
                          event(text.substr(colon + 1)), timed_out});
  }
};

}  // namespace

std::string encode_regression(const RegressionFile& f) {
  std::ostringstream out;
  out << (f.input.given() ? kInputRegressionMark : kRegressionMark) << "kind\t" << word(f.kind)
      << "\nprogram\t" << word(f.program) << "\n";
  for (const std::string& part : f.failure) {
    out << "failure\t" << word(part) << "\n";
  }
  for (const std::string& argument : f.arguments) {
    out << "argument\t" << word(argument) << "\n";
  }
  out << "run\t" << f.timeouts << "\t" << f.processors << "\t" << f.exit_is_finding << "\t"
      << f.racing_points << "\t" << f.has_input << "\n";
  if (f.input.given()) {
    out << "input\t" << input_way_name(f.input.way) << "\t" << word(f.input.name) << "\n";
    constexpr std::size_t kBytesOfALine = 32;
    for (std::size_t at = 0; at < f.input.bytes.size(); at += kBytesOfALine) {
      out << "bytes\t" << to_hex(f.input.bytes.substr(at, kBytesOfALine)) << "\n";
    }
  }
  for (const EventName& e : f.events) {
    out << "event\t" << word(e.op) << "\t" << word(e.function) << "\t" << word(e.object) << "\t"
        << e.ordinal << "\n";
  }
  for (const RegressionConstraint& c : f.constraints) {
    out << (c.positive ? "pair\t" : "no-pair\t") << c.write << "\t" << c.read << "\n";
  }
  constexpr std::size_t kStepsOfALine = 16;
  for (std::size_t i = 0; i < f.order.size(); ++i) {
    const RegressionStep& s = f.order[i];
    out << (i % kStepsOfALine == 0 ? "order" : "") << "\t" << s.thread << ":" << s.event
        << (s.timed_out ? "!" : "")
        << (i % kStepsOfALine == kStepsOfALine - 1 || i + 1 == f.order.size() ? "\n" : "");
  }
  return out.str();
}

bool is_regression(const std::string& text) {
  return text.starts_with(kRegressionMark) || text.starts_with(kInputRegressionMark);
}

std::optional<RegressionFile> decode_regression(const std::string& text, std::string& error) {
  static_assert(sizeof kRegressionMark == sizeof kInputRegressionMark);
  if (!is_regression(text)) {
    error = text.starts_with(kHead) ? "made by a newer rff: use that rff-replay"
                                    : "no file of rff-replay --export";
    return std::nullopt;
  }
  std::istringstream in(text.substr(sizeof kRegressionMark - 1));
  Reader reader;
  std::size_t n = 1;
  for (std::string line; std::getline(in, line);) {
    ++n;
    try {
      reader.line(words(line));
    } catch (const std::exception&) {
      error = "damaged in line " + std::to_string(n) + ": export it again";
      return std::nullopt;
    }
  }
  return reader.file;
}

}  // namespace rff
