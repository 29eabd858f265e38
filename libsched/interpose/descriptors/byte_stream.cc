#include "libsched/interpose/descriptors/byte_stream.h"

#include <algorithm>

namespace rff {

void ByteStream::take(std::size_t wanted, std::size_t got) {
  if (empty()) {
    if (got > 0) {
      lose_track();
    }
    return;
  }
  if (kind_ == Kind::kBytes && got != std::min(wanted, bytes_)) {
    lose_track();
    return;
  }
  bool whole = kind_ == Kind::kMessages;
  for (std::size_t left = got; !empty() && (whole || left > 0);) {
    Part& part = parts_[first_];
    std::size_t taken = whole ? part.bytes : std::min(left, part.bytes);
    part.bytes -= taken;
    bytes_ -= taken;
    left -= whole ? left : taken;
    first_ += part.bytes == 0 ? 1 : 0;
    whole = false;
  }
  constexpr std::size_t kMany = 64;
  if (empty() || (first_ > kMany && first_ > parts_.size() / 2)) {
    parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

}  // namespace rff
