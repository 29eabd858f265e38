#include "libsched/libc/thread_variables.h"

#include <cstring>
#include <new>

#include "libsched/libc/debugger_info.h"
#include "libsched/support/arena.h"
#include "libsched/support/check.h"
#include "libsched/support/inside_runtime.h"

namespace rff {
namespace {

std::uint64_t word_at(const unsigned char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

}  // namespace

std::size_t static_variables() {
  void (*static_info)(std::size_t*, std::size_t*) = nullptr;
  std::size_t bytes = 0;
  std::size_t align = 0;
  if (look_up(static_info, "_dl_get_tls_static_info")) {
    static_info(&bytes, &align);
  }
  return bytes;
}

bool ThreadVariables::prepare() {
  void (*static_info)(std::size_t*, std::size_t*) = nullptr;
  if (!look_up(static_info, "_dl_get_tls_static_info") || !look_up(allocate_, "_dl_allocate_tls") ||
      !look_up(deallocate_, "_dl_deallocate_tls")) {
    return false;
  }
  static_info(&bytes_, &align_);
  bytes_ = (bytes_ + align_ - 1) & ~(align_ - 1);
  std::uint32_t none = 0;
  can_have_pattern_ =
      look_up(loader_, "_rtld_global") &&
      debugger_offset("_thread_db_pthread_dtvp", 64, &vector_at_) &&
      debugger_offset("_thread_db_dtv_dtv", 8 * sizeof(Entry), &none) &&
      debugger_offset("_thread_db_rtld_global__dl_tls_dtv_slotinfo_list", 64, &modules_at_) &&
      debugger_offset("_thread_db_dtv_slotinfo_list_len", 64, &count_at_) &&
      debugger_offset("_thread_db_dtv_slotinfo_list_next", 64, &next_at_) &&
      debugger_offset("_thread_db_dtv_slotinfo_list_slotinfo", 8 * kModuleBytes, &first_at_);
  return true;
}

ThreadVariables::Modules ThreadVariables::modules() const {
  auto* list = reinterpret_cast<const unsigned char*>(word_at(loader_ + modules_at_));
  if (list == nullptr || word_at(list + next_at_) != 0) {
    return {};
  }
  return {list, first_at_ + word_at(list + count_at_) * kModuleBytes};
}

bool ThreadVariables::would_be_the_same() const {
  Modules now = modules();
  return now.list == known_.list && now.bytes == known_.bytes &&
         std::memcmp(now.list, known_content_.data(), now.bytes) == 0;
}

void ThreadVariables::remember_pattern(std::size_t descriptor_bytes) {
  if (!can_have_pattern_) {
    return;
  }
  known_ = modules();
  if (known_.list == nullptr) {
    return;
  }
  known_content_.assign(known_.list, known_.list + known_.bytes);
  auto end = reinterpret_cast<std::uint64_t>(fresh_memory(bytes_ + align_)) + bytes_ + align_;
  std::uint64_t descriptor = (end - descriptor_bytes) & ~std::uint64_t{align_ - 1};
  MakingThread guard;
  RFF_CHECK(allocate_(reinterpret_cast<void*>(descriptor)) == reinterpret_cast<void*>(descriptor));
  Entry* vector = vector_of(descriptor) - 1;
  std::size_t entries = vector->value + 2;
  if (!is_own_block(vector) || own_block_bytes(vector) < entries * sizeof(Entry)) {
    deallocate_(reinterpret_cast<void*>(descriptor), false);
    return;  // the program has its own allocator
  }
  vector_entries_ = entries;
  depth_ = (bytes_ - descriptor_bytes) & ~std::uint64_t{7};
  while (depth_ > 0 && *reinterpret_cast<std::uint64_t*>(descriptor - depth_) == 0) {
    depth_ -= 8;
  }
  pattern_ = descriptor;
}

void ThreadVariables::give(std::uint64_t descriptor) {
  auto* given = reinterpret_cast<void*>(descriptor);
  std::size_t bytes = vector_entries_ * sizeof(Entry);
  bool copies = pattern_ != 0 && would_be_the_same();
  auto* vector = copies ? static_cast<Entry*>(own_block(bytes)) : nullptr;
  if (vector == nullptr) {
    RFF_CHECK(allocate_(given) == given);
    return;
  }
  std::memcpy(reinterpret_cast<void*>(descriptor - depth_),
              reinterpret_cast<const void*>(pattern_ - depth_), depth_);
  std::memcpy(vector, vector_of(pattern_) - 1, bytes);
  for (std::size_t i = 2; i < vector_entries_; ++i) {
    std::uint64_t below = pattern_ - vector[i].value;
    if (below <= bytes_) {
      vector[i].value = descriptor - below;
    }
  }
  vector_of(descriptor) = vector + 1;
}

void ThreadVariables::take_back(std::uint64_t descriptor) {
  bool simple = can_have_pattern_;
  if (simple) {
    const Entry* vector = vector_of(descriptor) - 1;
    simple = is_own_block(vector);
    for (std::size_t i = 2; simple && i < vector->value + 2; ++i) {
      simple = vector[i].to_free == 0;
    }
  }
  if (simple) {
    operator delete(vector_of(descriptor) - 1);
  } else {
    deallocate_(reinterpret_cast<void*>(descriptor), false);
  }
}

}  // namespace rff
