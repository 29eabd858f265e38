// What is on its way through one direction of a pipe or socket: which events wrote it, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rff {

class ByteStream {
 public:
  enum class Kind : std::uint8_t {
    kUnknown,   // something else than bytes in order, or the runtime has lost track
    kBytes,     // a reader takes any number of them
    kMessages,  // a reader takes a whole one
  };
  // An event that wrote; see Cell.
  struct Writer {
    std::uint32_t code = 0;  // 0: what no step has written
    std::uint32_t step = 0;
  };

  explicit ByteStream(Kind kind) : kind_(kind) {}

  void put(Writer writer, std::size_t bytes) {
    if (kind_ == Kind::kMessages || (kind_ == Kind::kBytes && bytes > 0)) {
      parts_.push_back({writer, bytes});
      bytes_ += bytes;
    }
  }

  bool follows() const { return kind_ != Kind::kUnknown; }
  bool empty() const { return first_ == parts_.size(); }
  // Who wrote what is read next. Requires: not empty.
  const Writer& next() const { return parts_[first_].writer; }

  // Calls visit(writer) for each event that wrote some of what a reader of so many bytes gets,
  // except for the first one.
  template <typename Visit>
  void for_each_further(std::size_t bytes, Visit visit) const {
    if (kind_ != Kind::kBytes || empty()) {
      return;
    }
    std::size_t seen = parts_[first_].bytes;
    for (std::size_t i = first_ + 1; i < parts_.size() && seen < bytes; ++i) {
      visit(parts_[i].writer);
      seen += parts_[i].bytes;
    }
  }

  // A reader that wanted `wanted` bytes has got `got` of them, and leaves the rest.
  void take(std::size_t wanted, std::size_t got);
  // Bytes have come or gone in a way that the runtime does not see.
  void lose_track() {
    kind_ = Kind::kUnknown;
    parts_.clear();
    first_ = 0;
  }

 private:
  struct Part {
    Writer writer;
    std::size_t bytes;
  };

  Kind kind_;
  std::vector<Part> parts_;  // those before `first_` have been taken
  std::size_t first_ = 0;
  std::size_t bytes_ = 0;  // of the others
};

}  // namespace rff
