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
  kHead,   // first byte of a redirect
  kTaken,  // other bytes of redirects and islands
};

// Where short jumps have turned out to have no island within reach. Known only when all others have
// theirs; then everything is placed again without these.
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

  // True if all functions got their jumps; else some were left alone, or some jumps are stranded,
  // and all must be placed again.
  bool Run(Redirects& out) {
    out = Redirects{};
    out.copied.assign(program_.functions().size(), false);
    out.hooked.assign(program_.sites().size(), false);
    out_ = &out;
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      Choose(f);
    }
    FreePadding();
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      if (out.copied[f]) {
        MarkEntries(f);
      }
    }
    bool complete = true;
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      if (out.copied[f]) {
        complete &= PlaceFunction(f);
      }
    }
    for (std::size_t i : short_) {
      complete &= PlaceIsland(out.jumps[i]);
    }
    return complete;
  }

 private:
  const Instruction& At(std::uint32_t i) const { return program_.instructions()[i]; }
  std::uint8_t& State(std::uint64_t address) { return bytes_[address - base_]; }

  bool Hookable(const Instruction& in) const {
    return in.site != kNone32 && program_.sites()[in.site].unsupported == Unsupported::kNone;
  }
  bool Hooked(const Instruction& in) const { return in.site != kNone32 && out_->hooked[in.site]; }

  void Choose(std::uint32_t f) {
    const Function& function = program_.functions()[f];
    if (!function.left_alone.empty() || function.count == 0) {
      return;
    }
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      if (Hookable(At(i))) {
        out_->copied[f] = true;
        out_->hooked[At(i).site] = true;
      }
    }
    if (out_->copied[f]) {
      std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(function.begin - base_),
                bytes_.begin() + static_cast<std::ptrdiff_t>(function.end - base_), kFree);
    }
  }

  // Filler that nothing leads to. It starts after code that does not run on into it.
  void FreePadding() {
    for (std::uint32_t f = 1; f < program_.functions().size(); ++f) {
      const Function& gap = program_.functions()[f];
      const Function& before = program_.functions()[f - 1];
      if (!gap.is_unclaimed() || before.end != gap.begin || before.count == 0) {
        continue;
      }
      Flow last = At(before.first + before.count - 1).flow;
      if (last != Flow::kReturn && last != Flow::kJump && last != Flow::kIndirectJump &&
          last != Flow::kStop) {
        continue;
      }
      std::uint64_t expected = gap.begin;
      for (std::uint32_t i = gap.first; i < gap.first + gap.count; ++i) {
        const Instruction& in = At(i);
        if (!in.has(kIsPadding) || in.address != expected || entries_[i]) {
          break;
        }
        std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(in.address - base_), in.length,
                    kFree);
        expected = in.end();
      }
    }
  }

  void MarkEntries(std::uint32_t f) {
    const Function& function = program_.functions()[f];
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      const Instruction& in = At(i);
      if (entries_[i]) {
        entry_[in.address - base_] = true;
      }
      if (in.flow == Flow::kCall || in.flow == Flow::kIndirectCall) {
        Keep(in);
        if (in.end() < function.end) {
          entry_[in.end() - base_] = true;
        }
      }
    }
  }

  void Keep(const Instruction& in) {
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(in.address - base_), in.length, kKept);
  }

  bool Available(std::uint64_t at, std::uint64_t size) {
    if (at + size > program_.text_end()) {
      return false;
    }
    for (std::uint64_t i = 0; i < size; ++i) {
      if (State(at + i) != kFree || (i != 0 && entry_[at + i - base_])) {
        return false;
      }
    }
    return true;
  }

  void Take(std::uint64_t at, std::uint64_t size) {
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at - base_), size, kTaken);
    State(at) = kHead;
  }

  // Whether `in` may be executed at its old place with execution going on behind it.
  bool RunsInPlace(const Instruction& in) const { return in.flow == Flow::kNext && !Hooked(in); }

  // Whether `in` may be executed at its old place and execution then is where it should be.
  bool EndsInPlace(const Instruction& in) const {
    if (Hooked(in) && thunked_.count(in.address) == 0) {
      return false;
    }
    switch (in.flow) {
      case Flow::kCall:
      case Flow::kIndirectCall:
      case Flow::kIndirectJump:
      case Flow::kReturn:
      case Flow::kStop: return true;
      case Flow::kJump: {  // to another function: its start is an entry
        std::uint32_t to = program_.InstructionAt(in.target);
        return to == kNone32 || entries_[to];
      }
      default: return false;
    }
  }

  bool PlaceFunction(std::uint32_t f) {
    const Function& function = program_.functions()[f];
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      if (entry_[At(i).address - base_] && !PlaceEntry(f, i)) {
        return false;
      }
    }
    return true;
  }

  bool PlaceEntry(std::uint32_t f, std::uint32_t entry) {
    const Function& function = program_.functions()[f];
    std::uint32_t end = function.first + function.count;
    std::uint32_t last = entry;
    bool resolved = false;
    for (; last < end; ++last) {
      const Instruction& in = At(last);
      std::uint8_t state = State(in.address);
      if (state == kHead) {
        resolved = true;
        break;
      }
      if (!RunsInPlace(in)) {
        resolved = EndsInPlace(in);
        break;
      }
    }
    if (resolved) {
      KeepChain(entry, last);
      return true;
    }
    if (last == end) {
      --last;  // runs off the end: into the next function, through the copy
    }
    std::uint32_t first = entry;
    if (At(entry).has(kIsEndbr) && entry + 1 <= last) {
      ++first;
    }
    for (std::uint64_t size : {kNear, kShort}) {
      for (std::uint32_t i = first; i <= last; ++i) {
        bool reaches = size == kNear || stranded_.count(At(i).address) == 0;
        if (reaches && Available(At(i).address, size)) {
          KeepChain(entry, i);
          Take(At(i).address, size);
          if (size == kShort) {
            short_.push_back(out_->jumps.size());
          }
          out_->jumps.push_back({At(i).address, i, 0});
          return true;
        }
      }
    }
    if (Hooked(At(last))) {
      GiveUpSite(last);
      return PlaceEntry(f, entry);
    }
    return LeaveAlone(At(entry).address);
  }

  // There is no room to leave the old code before this site: it must execute there. A call through
  // memory that is long enough can still report there; any other access goes unreported.
  void GiveUpSite(std::uint32_t i) {
    const Instruction& in = At(i);
    if (in.flow == Flow::kIndirectCall && in.length >= kNear) {
      thunked_.insert(in.address);
      out_->thunks.push_back(i);
    } else {
      out_->hooked[in.site] = false;
    }
  }

  // [from, to) keeps running at its old place; so does `to` unless it is a redirect.
  void KeepChain(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      Keep(At(i));
    }
    if (State(At(to).address) == kFree && EndsInPlace(At(to))) {
      Keep(At(to));
    }
  }

  bool PlaceIsland(Redirect& jump) {
    // A short jump reaches 127 bytes forward and 128 back from its end.
    std::uint64_t origin = jump.at + kShort;
    std::uint64_t low = origin > base_ + 128 ? origin - 128 : base_;
    std::uint64_t high = std::min(origin + 127, program_.text_end() - kNear);
    for (std::uint64_t at = low; at <= high; ++at) {
      if (!entry_[at - base_] && Available(at, kNear)) {
        Take(at, kNear);
        jump.island = at;
        return true;
      }
    }
    stranded_.insert(jump.at);
    return false;
  }

  bool LeaveAlone(std::uint64_t address) {
    Function& function = program_.functions()[program_.FunctionAt(address)];
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

Redirects PlaceRedirects(Program& program, const std::vector<bool>& entries) {
  Redirects redirects;
  Stranded stranded;
  while (!Placer(program, entries, stranded).Run(redirects)) {
  }
  return redirects;
}

}  // namespace rff::instrument::builtin
