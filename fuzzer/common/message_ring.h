// A queue of messages in shared memory, from one process to another. Either end may be killed at
// any time: a message is there completely or not at all. The memory begins as zeros.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace rff {

template <std::size_t kBytes>
class MessageRing {
  static_assert(kBytes % 8 == 0);

 public:
  // Returns false if there is no room now, or never will be for so long a message.
  bool put(std::string_view message) {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    std::uint64_t used = head - tail_.load(std::memory_order_acquire);
    std::size_t needed = sizeof(std::uint64_t) + (message.size() + 7) / 8 * 8;
    std::size_t to_end = kBytes - head % kBytes;
    std::size_t skipped = needed > to_end ? to_end : 0;  // a message is in one piece
    if (needed > kBytes || skipped + needed > kBytes - used) {
      return false;
    }
    if (skipped > 0) {
      write_number(head, kSkip);
      head += skipped;
    }
    write_number(head, message.size());
    std::memcpy(bytes_ + head % kBytes + sizeof(std::uint64_t), message.data(), message.size());
    head_.store(head + needed, std::memory_order_release);
    return true;
  }

  std::optional<std::string> take() {
    std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    std::uint64_t head = head_.load(std::memory_order_acquire);
    if (tail != head && read_number(tail) == kSkip) {
      tail += kBytes - tail % kBytes;
    }
    if (tail == head) {
      return std::nullopt;
    }
    std::string message(bytes_ + tail % kBytes + sizeof(std::uint64_t), read_number(tail));
    tail_.store(tail + sizeof(std::uint64_t) + (message.size() + 7) / 8 * 8,
                std::memory_order_release);
    return message;
  }

  // For a receiver that begins: drops what was meant for the one before it.
  void drop_all() { tail_.store(head_.load()); }

 private:
  static constexpr std::uint64_t kSkip = ~std::uint64_t{0};  // the next message is at the beginning

  void write_number(std::uint64_t at, std::uint64_t number) {
    std::memcpy(bytes_ + at % kBytes, &number, sizeof number);
  }
  std::uint64_t read_number(std::uint64_t at) const {
    std::uint64_t number;
    std::memcpy(&number, bytes_ + at % kBytes, sizeof number);
    return number;
  }

  std::atomic<std::uint64_t> head_, tail_;  // bytes written and read since the beginning
  char bytes_[kBytes];
};

}  // namespace rff
