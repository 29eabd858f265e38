#include "instrument/builtin/groups.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "instrument/frame_program.h"

namespace rff::instrument::builtin {

namespace {

constexpr std::size_t kMostMembers = 16;
constexpr std::uint32_t kMostInstructions = 64;
constexpr std::size_t kFewestOutsideLoops = 3;
constexpr std::uint32_t kMostSpan = 128;
constexpr std::size_t kFewScratch = 4;
constexpr std::size_t kManyScratch = 6;  // with neighbors, or for a write

std::uint16_t bit(std::uint8_t reg) {
  return reg == hook::kNoRegister ? std::uint16_t{0} : static_cast<std::uint16_t>(1U << reg);
}

// A function's exception handlers may need those that calls preserve.
constexpr std::uint16_t kPreservedByCalls =
    (1 << kRbx) | (1 << kR12) | (1 << kR13) | (1 << kR14) | (1 << kR15);
// Preferred first.
constexpr Reg kCandidates[] = {kR11, kR10, kR9,  kR8,  kRax, kRcx, kRdx,
                               kRsi, kRdi, kRbx, kR15, kR14, kR13, kR12};

class GroupFinder {
 public:
  GroupFinder(const Program& program, const Redirects& redirects, const PatchPlan& plan,
              bool long_ones)
      : program_(program),
        redirects_(redirects),
        plan_(plan),
        most_members_(long_ones ? kMostMembers : 1),
        thunked_(redirects.thunks.begin(), redirects.thunks.end()) {}

  std::vector<Group> run() {
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      if (redirects_.copied[f]) {
        look_at(program_.functions()[f]);
      }
    }
    return std::move(groups_);
  }

 private:
  const Instruction& at(std::uint32_t i) const { return program_.instructions()[i]; }

  bool hooked(const Instruction& in) const {
    return in.site != kNone32 && redirects_.hooked[in.site] && plan_.number_of(in.site) != kNone32;
  }
  const Site& site(std::uint32_t i) const { return program_.sites()[at(i).site]; }

  // Whether an inline check can report the access.
  bool simple(std::uint32_t i) const {
    const Site& s = site(i);
    bool kind = s.kind == hook::SiteKind::kRead || s.kind == hook::SiteKind::kWrite ||
                s.kind == hook::SiteKind::kReadModifyWrite;
    bool size = s.size == 4 || s.size == 8 ||
                (s.kind == hook::SiteKind::kRead && (s.size == 1 || s.size == 2));
    return kind && size && thunked_.count(i) == 0 && !s.complex() &&
           (s.flags & hook::kLocked) == 0 && s.bit_register == hook::kNoRegister && !s.adds_al &&
           s.operand.address_bits == 64;
  }

  void look_at(const Function& function) {
    begin_ = function.first;
    end_ = function.first + function.count;
    find_loops();
    find_frame_steps(function);
    may_use_ = 0;
    for (Reg reg : kCandidates) {
      may_use_ |= bit(reg);
    }
    if (function.frame != kNone32 && program_.eh_frame().frames[function.frame].lsda != 0) {
      may_use_ = static_cast<std::uint16_t>(may_use_ & ~kPreservedByCalls);
    }
    for (std::uint32_t i = begin_; i < end_; ++i) {
      if (at(i).sets_direction) {
        return;  // the runtime's functions want a clear direction flag
      }
    }
    for (std::uint32_t i = begin_; i < end_;) {
      Group group;
      if (hooked(at(i)) && at(i).flow == Flow::kNext && simple(i) && site(i).flags_dead &&
          extend(i, group)) {
        i = group.last + 1;
        groups_.push_back(std::move(group));
      } else {
        ++i;
      }
    }
  }

  // Marks what lies between a backward branch and its target.
  void find_loops() {
    std::vector<int> change(end_ - begin_ + 1, 0);
    for (std::uint32_t i = begin_; i < end_; ++i) {
      Flow flow = at(i).flow;
      if (flow != Flow::kJump && flow != Flow::kConditional && flow != Flow::kCounted) {
        continue;
      }
      std::uint32_t to = program_.instruction_at(at(i).target);
      if (to != kNone32 && to >= begin_ && to <= i) {
        ++change[to - begin_];
        --change[i + 1 - begin_];
      }
    }
    in_loop_.assign(end_ - begin_, false);
    int depth = 0;
    for (std::uint32_t i = begin_; i < end_; ++i) {
      depth += change[i - begin_];
      in_loop_[i - begin_] = depth > 0;
    }
  }

  void find_frame_steps(const Function& function) {
    frame_steps_.clear();
    if (function.frame == kNone32) {
      return;
    }
    const FrameInfo& frame = program_.eh_frame().frames[function.frame];
    auto steps =
        read_frame_program(program_.file(), program_.eh_frame().commons[frame.common], frame);
    if (steps) {
      for (const FrameStep& step : steps->steps) {
        frame_steps_.insert(step.at);
      }
    }
  }

  bool extend(std::uint32_t first, Group& group) {
    std::uint16_t changed = 0;
    group.first = first;
    std::uint64_t next = at(first).address;
    for (std::uint32_t i = first; i < end_ && i - first < kMostInstructions; ++i) {
      const Instruction& in = at(i);
      bool follows = in.address == next && in.flow == Flow::kNext && in.branch == 0;
      if (!follows || (i != first && frame_steps_.count(in.address) != 0)) {
        break;
      }
      next = in.end();
      if (hooked(in)) {
        std::uint16_t registers =
            simple(i) ? bit(site(i).operand.base) | bit(site(i).operand.index) : std::uint16_t{0};
        if (!simple(i) || (registers & changed) != 0) {
          break;
        }
        group.members.push_back(i);
        group.last = i;
        group.writes = site(i).kind != hook::SiteKind::kRead;
        if (group.writes || group.members.size() == most_members_) {
          break;
        }
      }
      changed |= in.registers.changes;
      if ((changed & bit(kRsp)) != 0) {
        break;
      }
    }
    bool worth = in_loop_[first - begin_] || group.members.size() >= kFewestOutsideLoops;
    if (group.members.empty() || !worth) {
      return false;
    }
    find_neighbors(group);
    group.keeps_flags = site(group.last).flags_dead &&
                        std::any_of(group.members.begin(), group.members.end(),
                                    [&](std::uint32_t i) { return !site(i).flags_dead; });
    group.leaves_traces =
        most_members_ == 1 ||
        !overwrites_traces(group.last + 1, site(group.last).flags_dead && !group.keeps_flags);
    return choose_scratch(group);
  }

  // Whether straight code from there on, with the same rsp, comes to a simple access whose hook
  // leaves as much on the stack.
  bool overwrites_traces(std::uint32_t from, bool flags_dead) const {
    for (std::uint32_t i = from; i < end_ && at(i).address == at(i - 1).end(); ++i) {
      if (hooked(at(i)) && (at(i).flow != Flow::kNext || at(i).site_is_complex)) {
        return false;
      }
      if (hooked(at(i)) && thunked_.count(i) == 0 && (flags_dead || !site(i).flags_dead)) {
        return true;
      }
      if (at(i).flow != Flow::kNext || (at(i).registers.changes & bit(kRsp)) != 0) {
        return false;
      }
    }
    return false;
  }

  // The most loads that lie in one block and can share its lookup.
  void find_neighbors(Group& group) const {
    std::map<std::tuple<int, int, int, bool>, std::vector<std::uint32_t>> by_registers;
    for (std::uint32_t i : group.members) {
      const Site& s = site(i);
      if (s.kind == hook::SiteKind::kRead) {
        by_registers[{s.operand.base, s.operand.index, s.operand.scale, s.operand.rip_relative}]
            .push_back(i);
      }
    }
    for (auto& [registers, members] : by_registers) {
      std::int64_t lowest = site(members[0]).operand.displacement;
      for (std::uint32_t i : members) {
        lowest = std::min(lowest, site(i).operand.displacement);
      }
      std::vector<std::uint32_t> near;
      std::uint32_t span = 0;
      for (std::uint32_t i : members) {
        std::int64_t distance = site(i).operand.displacement - lowest;
        if (distance + site(i).size <= kMostSpan && distance % site(i).size == 0) {
          near.push_back(i);
          span = std::max(span, static_cast<std::uint32_t>(distance) + site(i).size);
        }
      }
      if (near.size() >= 2 && near.size() > group.neighbors.size()) {
        group.neighbors = near;
        group.lowest = lowest;
        group.span = span;
      }
    }
  }

  bool choose_scratch(Group& group) const {
    std::uint16_t addresses = 0;
    for (std::uint32_t i : group.members) {
      addresses |= bit(site(i).operand.base) | bit(site(i).operand.index);
    }
    // A handler may go on behind the instruction that fails, without what that would have loaded.
    std::uint16_t dead =
        most_members_ == 1 ? std::uint16_t{0} : dead_before(group.first) & may_use_;
    std::size_t wanted = group.neighbors.empty() && !group.writes ? kFewScratch : kManyScratch;
    for (bool from_dead : {true, false}) {
      for (Reg reg : kCandidates) {
        bool fits =
            (may_use_ & ~addresses & bit(reg)) != 0 && ((dead & bit(reg)) != 0) == from_dead;
        if (fits && group.scratch.size() < wanted) {
          group.scratch.push_back(reg);
          group.dead |= from_dead ? bit(reg) : std::uint16_t{0};
        }
      }
    }
    if (group.scratch.size() < wanted && !group.neighbors.empty()) {
      group.neighbors.clear();
      group.scratch.clear();
      group.dead = 0;
      return choose_scratch(group);
    }
    return group.scratch.size() == wanted;
  }

  // Registers that straight code overwrites before it reads them.
  std::uint16_t dead_before(std::uint32_t first) const {
    std::uint16_t read = 0, dead = 0;
    std::uint64_t next = at(first).address;
    for (std::uint32_t i = first; i < end_; ++i) {
      const Instruction& in = at(i);
      if (in.flow != Flow::kNext || in.address != next || in.site_is_complex) {
        break;
      }
      next = in.end();
      read |= static_cast<std::uint16_t>(in.registers.reads & ~dead);
      read |= static_cast<std::uint16_t>(in.registers.changes & ~in.registers.overwrites & ~dead);
      dead |= static_cast<std::uint16_t>(in.registers.overwrites & ~read);
    }
    return dead;
  }

  const Program& program_;
  const Redirects& redirects_;
  const PatchPlan& plan_;
  std::size_t most_members_;
  std::unordered_set<std::uint32_t> thunked_;
  std::vector<Group> groups_;
  std::uint32_t begin_ = 0, end_ = 0;  // the instructions of the function
  std::vector<bool> in_loop_;
  std::unordered_set<std::uint64_t> frame_steps_;
  std::uint16_t may_use_ = 0;
};

}  // namespace

std::vector<Group> find_groups(const Program& program, const Redirects& redirects,
                               const PatchPlan& plan, bool long_ones) {
  return GroupFinder(program, redirects, plan, long_ones).run();
}

}  // namespace rff::instrument::builtin
