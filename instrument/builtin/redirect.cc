#include "instrument/builtin/redirect.h"

#include <algorithm>
#include <cstdio>
#include <unordered_set>

namespace rff::instrument::builtin {

namespace {

constexpr std::uint64_t kNear = 5;
constexpr std::uint64_t kShort = 2;

enum Byte : std::uint8_t {
  kFree,   // dead: may be overwritten
  kKept,   // part of an instruction that still runs, or not ours
  kHead,   // part of an instruction that still runs, or outside the copied functions
  kTaken,  // other bytes of redirects and islands
};

// Addresses of short jumps that have no island within reach. They are known only after all others
// have their islands; then everything is placed again without them.
using Stranded = std::unordered_set<std::uint64_t>;

class Placer {
 public:
  Placer(Program& program, const std::vector<bool>& entries, Stranded& stranded)
      : program_(program),
        entries_(entries),
        stranded_(stranded),
        base_(program.text_begin()),
        bytes_(program.text_end() - base_, kKept),
        entry_(bytes_.size(), false) {}

  // Returns true if all functions got their jumps. Otherwise some functions were left alone or some
  // jumps are stranded, and all must be placed again.
  bool run(Redirects& out) {
    out = Redirects{};
    out.copied.assign(program_.functions().size(), false);
    out.hooked.assign(program_.sites().size(), false);
    out.branches.assign(program_.has_branches() ? program_.instructions().size() : 0, false);
    out_ = &out;
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      choose(f);
    }
    free_padding();
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      if (out.copied[f]) {
        mark_entries(f);
      }
    }
    bool complete = true;
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      if (out.copied[f]) {
        complete &= place_function(f);
      }
    }
    for (std::size_t i : short_) {
      complete &= place_island(out.jumps[i]);
    }
    return complete;
  }

 private:
  const Instruction& at(std::uint32_t i) const { return program_.instructions()[i]; }
  std::uint8_t& state(std::uint64_t address) { return bytes_[address - base_]; }

  bool hookable(const Instruction& in) const {
    return in.site != kNone32 && program_.sites()[in.site].to_be_hooked();
  }
  bool hooked(const Instruction& in) const {
    return (in.site != kNone32 && out_->hooked[in.site]) || reports_branch(in);
  }
  std::size_t number(const Instruction& in) const {
    return static_cast<std::size_t>(&in - program_.instructions().data());
  }
  bool reports_branch(const Instruction& in) const {
    return in.branch != 0 && out_->branches[number(in)];
  }

  void choose(std::uint32_t f) {
    const Function& function = program_.functions()[f];
    if (!function.left_alone.empty() || function.count == 0) {
      return;
    }
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      if (hookable(at(i))) {
        out_->copied[f] = true;
        out_->hooked[at(i).site] = true;
      }
      if (at(i).branch != 0) {
        out_->copied[f] = true;
        out_->branches[i] = true;
      }
    }
    if (out_->copied[f]) {
      std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(function.begin - base_),
                bytes_.begin() + static_cast<std::ptrdiff_t>(function.end - base_), kFree);
    }
  }

  // Frees filler bytes that no branch enters. Filler starts after code that does not run on into
  // it.
  void free_padding() {
    for (std::uint32_t f = 1; f < program_.functions().size(); ++f) {
      const Function& gap = program_.functions()[f];
      const Function& before = program_.functions()[f - 1];
      if (!gap.is_unclaimed() || before.end != gap.begin || before.count == 0) {
        continue;
      }
      Flow last = at(before.first + before.count - 1).flow;
      if (last != Flow::kReturn && last != Flow::kJump && last != Flow::kIndirectJump &&
          last != Flow::kStop) {
        continue;
      }
      std::uint64_t expected = gap.begin;
      for (std::uint32_t i = gap.first; i < gap.first + gap.count; ++i) {
        const Instruction& in = at(i);
        if (!in.has(kIsPadding) || in.address != expected || entries_[i]) {
          break;
        }
        std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(in.address - base_), in.length,
                    kFree);
        expected = in.end();
      }
    }
  }

  void mark_entries(std::uint32_t f) {
    const Function& function = program_.functions()[f];
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      const Instruction& in = at(i);
      if (entries_[i]) {
        entry_[in.address - base_] = true;
      }
      if (in.flow == Flow::kCall || in.flow == Flow::kIndirectCall) {
        keep(in);
        if (in.end() < function.end) {
          entry_[in.end() - base_] = true;
        }
      }
    }
  }

  void keep(const Instruction& in) {
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(in.address - base_), in.length, kKept);
  }

  bool available(std::uint64_t at, std::uint64_t size) {
    if (at + size > program_.text_end()) {
      return false;
    }
    for (std::uint64_t i = 0; i < size; ++i) {
      if (state(at + i) != kFree || (i != 0 && entry_[at + i - base_])) {
        return false;
      }
    }
    return true;
  }

  void take(std::uint64_t at, std::uint64_t size) {
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at - base_), size, kTaken);
    state(at) = kHead;
  }

  // Returns whether `in` may execute at its old place with execution continuing behind it.
  bool runs_in_place(const Instruction& in) const { return in.flow == Flow::kNext && !hooked(in); }

  // Returns whether `in` may execute at its old place and then leads to the right place.
  bool ends_in_place(const Instruction& in) const {
    if (hooked(in) && thunked_.count(in.address) == 0) {
      return false;
    }
    switch (in.flow) {
      case Flow::kCall:
      case Flow::kIndirectCall:
      case Flow::kIndirectJump:
      case Flow::kReturn:
      case Flow::kStop: return true;
      case Flow::kJump: {  // it leads to another function, whose start is an entry
        std::uint32_t to = program_.instruction_at(in.target);
        return to == kNone32 || entries_[to];
      }
      default: return false;
    }
  }

  bool place_function(std::uint32_t f) {
    const Function& function = program_.functions()[f];
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      if (entry_[at(i).address - base_] && !place_entry(f, i)) {
        return false;
      }
    }
    return true;
  }

  bool place_entry(std::uint32_t f, std::uint32_t entry) {
    const Function& function = program_.functions()[f];
    std::uint32_t end = function.first + function.count;
    std::uint32_t last = entry;
    bool resolved = false;
    for (; last < end; ++last) {
      const Instruction& in = at(last);
      std::uint8_t now = state(in.address);
      if (now == kHead) {
        resolved = true;
        break;
      }
      if (!runs_in_place(in)) {
        resolved = ends_in_place(in);
        break;
      }
    }
    if (resolved) {
      keep_chain(entry, last);
      return true;
    }
    if (last == end) {
      --last;  // execution runs on into the next function, through the copy
    }
    std::uint32_t first = entry;
    if (at(entry).has(kIsEndbr) && entry + 1 <= last) {
      ++first;
    }
    for (std::uint64_t size : {kNear, kShort}) {
      for (std::uint32_t i = first; i <= last; ++i) {
        bool reaches = size == kNear || stranded_.count(at(i).address) == 0;
        if (reaches && available(at(i).address, size)) {
          keep_chain(entry, i);
          take(at(i).address, size);
          if (size == kShort) {
            short_.push_back(out_->jumps.size());
          }
          out_->jumps.push_back({at(i).address, i, 0});
          return true;
        }
      }
    }
    if (hooked(at(last))) {
      give_up_site(last);
      return place_entry(f, entry);
    }
    return leave_alone(at(entry).address);
  }

  // Handles a site before which there is no room to leave the old code, so that it must execute
  // there. A call through memory that is long enough can still report there; other accesses go
  // unreported.
  void give_up_site(std::uint32_t i) {
    const Instruction& in = at(i);
    if (reports_branch(in)) {
      out_->branches[i] = false;
      return;
    }
    if (in.flow == Flow::kIndirectCall && in.length >= kNear) {
      thunked_.insert(in.address);
      out_->thunks.push_back(i);
    } else {
      out_->hooked[in.site] = false;
    }
  }

  // [from, to) keeps running at its old place; so does `to` unless it is a redirect.
  void keep_chain(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      keep(at(i));
    }
    if (state(at(to).address) == kFree && ends_in_place(at(to))) {
      keep(at(to));
    }
  }

  bool place_island(Redirect& jump) {
    // A short jump reaches 127 bytes forward and 128 back from its end.
    std::uint64_t origin = jump.at + kShort;
    std::uint64_t low = origin > base_ + 128 ? origin - 128 : base_;
    std::uint64_t high = std::min(origin + 127, program_.text_end() - kNear);
    for (std::uint64_t at = low; at <= high; ++at) {
      if (!entry_[at - base_] && available(at, kNear)) {
        take(at, kNear);
        jump.island = at;
        return true;
      }
    }
    stranded_.insert(jump.at);
    return false;
  }

  bool leave_alone(std::uint64_t address) {
    Function& function = program_.functions()[program_.function_at(address)];
    char reason[64];
    std::snprintf(reason, sizeof(reason), "no room for a jump at 0x%llx",
                  static_cast<unsigned long long>(address));
    function.left_alone = reason;
    return false;
  }

  Program& program_;
  const std::vector<bool>& entries_;
  Stranded& stranded_;
  std::uint64_t base_;
  std::vector<std::uint8_t> bytes_;
  std::vector<bool> entry_;  // per byte
  std::vector<std::size_t> short_;
  std::unordered_set<std::uint64_t> thunked_;
  Redirects* out_ = nullptr;
};

}  // namespace

Redirects place_redirects(Program& program, const std::vector<bool>& entries) {
  Redirects redirects;
  Stranded stranded;
  while (!Placer(program, entries, stranded).run(redirects)) {
  }
  return redirects;
}

}  // namespace rff::instrument::builtin
