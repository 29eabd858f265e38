#include "fuzzer/drive/picture.h"

#include <algorithm>

namespace rff {
namespace {

std::string padded(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

// Cuts the text to so many characters; a character of UTF-8 counts as one.
std::string cut(const std::string& text, std::size_t columns) {
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool begins = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (begins && shown++ == columns) {
      return text.substr(0, i);
    }
  }
  return text;
}

// Control characters of the program or of a file must not reach the terminal.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) {
      c = c == '\t' ? ' ' : '.';
    }
  }
  return text;
}

// Returns one line for each row, in columns; the last column is as wide as it is.
template <typename Rows>
std::vector<std::string> in_columns(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : "  ") + (i + 1 < row.size() ? padded(row[i], widths[i]) : row[i]);
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> thread_lines(const Picture& p) {
  std::vector<std::array<std::string, 4>> rows;
  for (const Picture::ThreadLine& t : p.threads) {
    std::string place = t.place;
    for (const std::string& more : {t.waits, t.races}) {
      place += more.empty() ? "" : "; " + more;
    }
    const char* mark = t.next ? "> " : t.waits.empty() ? "  " : "- ";
    rows.push_back({mark + t.number, t.name, t.does, place});
  }
  return in_columns(rows);
}

std::vector<std::string> source_lines(const Picture& p) {
  std::size_t width = 0;
  for (const Picture::SourceLine& s : p.source) {
    width = std::max(width, std::to_string(s.number).size());
  }
  std::vector<std::string> lines;
  for (const Picture::SourceLine& s : p.source) {
    lines.push_back((s.current ? "> " : "  ") + padded(std::to_string(s.number), width) + "  " +
                    printable(s.text));
  }
  return lines;
}

std::string title(const Picture& p) {
  return "step " + std::to_string(p.step) + (p.end.empty() ? "" : ", the end: " + p.end) +
         (p.follows.empty() ? "" : " (" + p.follows + ")");
}

}  // namespace

std::string plain_text(const Picture& p) {
  std::string text = title(p) + "\n";
  auto add = [&](const std::string& heading, const std::vector<std::string>& lines) {
    if (!lines.empty() && !heading.empty()) {
      text += heading + "\n";
    }
    for (const std::string& line : lines) {
      text += "  " + line + "\n";
    }
  };
  add("", p.failure);
  add("", thread_lines(p));
  add("last steps:", in_columns(p.history));
  add(p.source_title + ":", source_lines(p));
  return text;
}

std::string screen_text(const Picture& p, const std::vector<std::string>& output,
                        const std::string& remark, const Window& window) {
  std::size_t room = window.rows > 1 ? window.rows - 1 : 1;
  std::vector<std::string> lines = {remark.empty() ? title(p) : remark};
  // Takes the lines from `first` on as long as there is room beside `reserve` lines.
  auto add = [&](const std::string& heading, const std::vector<std::string>& from, std::size_t most,
                 bool tail) {
    std::size_t extra = heading.empty() ? 0 : 1;
    if (from.empty() || room < lines.size() + extra + 1) {
      return;
    }
    std::size_t take = std::min({from.size(), room - lines.size() - extra, most});
    if (extra > 0) {
      lines.push_back("-- " + heading);
    }
    auto begin = tail ? from.end() - static_cast<std::ptrdiff_t>(take) : from.begin();
    lines.insert(lines.end(), begin, begin + static_cast<std::ptrdiff_t>(take));
  };
  if (!remark.empty() && room > 3) {
    lines.push_back(title(p));
  }
  std::vector<std::string> threads = thread_lines(p);
  // With many threads in a small window the next one must be visible.
  std::size_t most = room > 12 ? std::max<std::size_t>(room / 2, room - 24) : room;
  auto next =
      std::find_if(p.threads.begin(), p.threads.end(), [](const auto& t) { return t.next; });
  std::size_t shown = std::min(most, room > lines.size() ? room - lines.size() : 0);
  if (next != p.threads.end() && static_cast<std::size_t>(next - p.threads.begin()) >= shown &&
      shown > 0) {
    threads.erase(threads.begin(), threads.begin() + (next - p.threads.begin() -
                                                      static_cast<std::ptrdiff_t>(shown) + 1));
  }
  add("", p.failure, room, false);
  add("", threads, most, false);
  add("program output", output, std::max<std::size_t>(room / 6, 1), true);
  add("last steps", in_columns(p.history), std::max<std::size_t>(room / 3, 1), true);
  add(p.source_title, source_lines(p), room, false);
  std::string text;
  for (const std::string& line : lines) {
    text += cut(printable(line), window.columns) + "\n";
  }
  return text;
}

}  // namespace rff
