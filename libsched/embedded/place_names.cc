#include "libsched/embedded/place_names.h"

#include <sys/mman.h>

#include <algorithm>

#include "libsched/support/check.h"
#include "libsched/support/real.h"

namespace rff::embedded {
namespace {

constexpr std::size_t kEntries = 4096;
constexpr std::size_t kMostEntries = kEntries / 2;
constexpr std::size_t kText = std::size_t{1} << 20;

}  // namespace

struct PlaceNames::Memory {
  std::size_t entries, text_bytes;
  Entry table[kEntries];
  char text[kText];

  // Returns the entry of the place, or the free one that it would have.
  Entry& slot(CodeName place) {
    for (std::size_t i = (place.module + place.offset) % kEntries;; i = (i + 1) % kEntries) {
      if (table[i].bytes == 0 || table[i].place == place) {
        return table[i];
      }
    }
  }
};

std::string_view PlaceNames::find(CodeName place) const {
  if (memory_ == nullptr) {
    return "";
  }
  const Entry& entry = memory_->slot(place);
  return {memory_->text + entry.begin, entry.bytes};
}

void PlaceNames::keep(CodeName place, std::string_view name) {
  if (memory_ == nullptr) {
    long at = real::syscall6(SYS_mmap, 0, sizeof(Memory), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at < 0) {
      panic("out of memory");
    }
    memory_ = reinterpret_cast<Memory*>(at);
  }
  if (memory_->entries == kMostEntries || name.size() > kText - memory_->text_bytes) {
    return;
  }
  std::copy(name.begin(), name.end(), memory_->text + memory_->text_bytes);
  memory_->slot(place) = {place, static_cast<std::uint32_t>(memory_->text_bytes),
                          static_cast<std::uint32_t>(name.size())};
  memory_->text_bytes += name.size();
  ++memory_->entries;
}

}  // namespace rff::embedded
