#include "libsched/memory/memory_check.h"

#include <algorithm>
#include <iterator>

namespace rff {

FoundMemoryError error_near(FindingKind kind, const HeapBlock& block) {
  FoundMemoryError error;
  error.kind = kind;
  MemoryErrorFacts& f = error.facts;
  f.allocated_with = block.family;
  f.area = MemoryArea::kBlock;
  f.block = block.begin;
  f.block_size = block.size;
  f.freed_by = block.freed ? block.freed_by : kNoThread;
  f.allocated_by = block.allocated_by;
  f.freed_step = block.freed_step;
  f.freed_at = block.freed_at;
  f.allocated_at = block.allocated_at;
  error.allocated_callers = block.allocated_callers;
  error.freed_callers = block.freed_callers;
  return error;
}

bool ignores(const Checks& checks, CodeName site) {
  const auto& code = checks.ignored_code;
  auto next =
      std::upper_bound(code.begin(), code.end(), site, [](CodeName s, const ModuleRange& range) {
        return s.module != range.module ? s.module < range.module : s.offset <= range.begin;
      });
  // The site of a called function is where it returns to, which may be just behind its caller.
  bool inside = next != code.begin() && std::prev(next)->module == site.module &&
                site.offset <= std::prev(next)->end;
  return inside ||
         (next != code.end() && next->module == site.module && next->begin == site.offset);
}

// Code that looks for the end of a string word by word, or vector by vector, loads whole aligned
// ones: they share a page with a byte that it may read, so they cannot fault.
bool MemoryCheck::allows(const Access& a, const HeapBlocks::Wrong& wrong) const {
  constexpr std::uint64_t kLargestVector = 64;
  bool whole = a.size >= kWordBytes && a.size <= kLargestVector && (a.size & (a.size - 1)) == 0 &&
               a.address % a.size == 0;
  return a.op == OpKind::kRead && a.one_load && whole && wrong.any_good &&
         !checks_->has(kCheckStrict);
}

void MemoryCheck::access(const Thread& t, const Access& a) const {
  HeapBlocks::Wrong wrong = blocks_->first_wrong(a.address, a.size);
  if (wrong.block == nullptr || allows(a, wrong) || ignores(*checks_, a.site)) {
    return;
  }
  const HeapBlock& b = *wrong.block;
  bool frees = a.op == OpKind::kFree;
  FindingKind kind = wrong.address < b.begin ? FindingKind::kHeapUnderflow
                     : wrong.address >= b.end() && !(b.freed && b.size == 0)
                         ? FindingKind::kHeapOverflow
                     : frees ? FindingKind::kDoubleFree
                             : FindingKind::kUseAfterFree;
  FoundMemoryError error = error_near(kind, b);
  error.facts.op = a.op;
  error.facts.thread = t.index;
  error.facts.address = a.address;
  error.facts.size = a.size;
  error.facts.wrong = wrong.address;
  error.facts.step = a.step;
  error.place = a.site;
  listener_->memory_error(error);
}

}  // namespace rff
