// Keeps what the program printed in memory that the fuzzer shares with the runtime.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rff {

// The last part of the program's standard output and error.
struct SharedOutput {
  static constexpr std::uint32_t kCapacity = 64 << 10;
  std::atomic<std::uint64_t> total;  // bytes written, including those overwritten since
  char bytes[kCapacity];             // a ring buffer

  void append(std::string_view text) {
    std::uint64_t at = total.load(std::memory_order_relaxed);
    total.store(at + text.size(), std::memory_order_release);
    if (text.size() > kCapacity) {
      at += text.size() - kCapacity;
      text.remove_prefix(text.size() - kCapacity);
    }
    std::size_t first = std::min<std::size_t>(text.size(), kCapacity - at % kCapacity);
    std::memcpy(bytes + at % kCapacity, text.data(), first);
    std::memcpy(bytes, text.data() + first, text.size() - first);
  }
  std::uint64_t left_out() const {
    std::uint64_t n = total.load(std::memory_order_acquire);
    return n > kCapacity ? n - kCapacity : 0;
  }
  // The older and the newer part of the kept bytes.
  std::string_view older() const {
    std::uint64_t n = total.load(std::memory_order_acquire);
    return n > kCapacity ? std::string_view(bytes + n % kCapacity, kCapacity - n % kCapacity)
                         : std::string_view();
  }
  std::string_view newer() const {
    std::uint64_t n = total.load(std::memory_order_acquire);
    return {bytes, n > kCapacity ? n % kCapacity : n};
  }
};

}  // namespace rff
