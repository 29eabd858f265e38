#include "libsched/snapshot/hidden_memory.h"

#include <errno.h>
#include <sys/mman.h>

#include <algorithm>

#include "libsched/snapshot/unwatched.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

using unwatched::address;
using unwatched::call;

void protect(std::uint64_t begin, std::uint64_t end, long protection) {
  call(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin), protection);
}

// Asks the kernel to read from there for a call that it then refuses.
bool readable(std::uint64_t page) {
  constexpr long kNoSuchWay = -1;
  return call(SYS_rt_sigprocmask, kNoSuchWay, static_cast<long>(page), 0, sizeof(std::uint64_t)) !=
         -EFAULT;
}

}  // namespace

bool HiddenMemory::add(std::uint64_t begin, std::uint64_t end, bool accessible) {
  if (begin == end) {
    return true;
  }
  bool room = count_ < kMostParts;
  if (!accessible) {
    room = room && end - begin <= kMostBetween * kPage;
    for (std::uint64_t page = begin; room && page < end; page += kPage) {
      room = !readable(page);
    }
  }
  if (room) {
    parts_[count_++] = {begin, end, accessible};
  }
  return room;
}

bool HiddenMemory::hide(std::uint64_t begin, std::uint64_t end, const SavedPages& saved) {
  if (begin >= end || begin % kPage != 0 || end % kPage != 0) {
    return false;
  }
  std::size_t before = count_;
  bool allowed = true;
  std::uint64_t done = begin;
  for (const Span& span : saved.spans()) {
    if (span.end <= done || span.begin >= end) {
      continue;
    }
    std::uint64_t from = std::max(span.begin, done), to = std::min(span.end, end);
    allowed = allowed && !span.from_file && !span.executable && add(done, from, false) &&
              add(from, to, true);
    done = to;
  }
  if (!allowed || !add(done, end, false)) {
    count_ = before;
    return false;
  }
  for (std::size_t i = before; i < count_; ++i) {
    if (parts_[i].accessible) {
      protect(parts_[i].begin, parts_[i].end, PROT_NONE);
    }
  }
  return true;
}

void HiddenMemory::put_back() {
  for (; count_ > 0; --count_) {
    const Part& part = parts_[count_ - 1];
    if (part.accessible) {
      protect(part.begin, part.end, PROT_READ | PROT_WRITE);
    }
  }
}

void HiddenMemory::unmap() {
  for (; count_ > 0; --count_) {
    const Part& part = parts_[count_ - 1];
    call(SYS_munmap, static_cast<long>(part.begin), static_cast<long>(part.end - part.begin));
  }
}

}  // namespace rff
