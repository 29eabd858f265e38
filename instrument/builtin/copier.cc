#include "instrument/builtin/copier.h"

#include <optional>
#include <unordered_set>

#include "instrument/builtin/branch_hook.h"

namespace rff::instrument::builtin {

namespace {

class Copier {
 public:
  Copier(const Program& program, const Redirects& redirects, const Stubs& stubs, PatchPlan& plan,
         const BranchPlan& branches, const Joining& joining, CodeBuffer& code, Copies& copies)
      : program_(program),
        redirects_(redirects),
        stubs_(stubs),
        plan_(plan),
        branches_(branches),
        joining_(joining),
        code_(code),
        placements_(copies.placements),
        hooks_(copies.hooks),
        thunks_(copies.thunks),
        joined_(copies.joined),
        starts_(copies.starts) {}

  void run() {
    placements_.assign(program_.instructions().size(), Placement{});
    std::unordered_set<std::uint32_t> thunked(redirects_.thunks.begin(), redirects_.thunks.end());
    thunked_.swap(thunked);
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      if (redirects_.copied[f]) {
        copy_function(program_.functions()[f]);
      }
    }
    starts_.push_back(code_.here());
    for (std::uint32_t instruction : redirects_.thunks) {
      emit_thunk(instruction);
    }
    for (const Fixup& fixup : fixups_) {
      code_.overwrite_distance(fixup.at, destination(fixup));
    }
  }

 private:
  struct Fixup {
    std::size_t at;
    std::uint64_t target;  // in the old code
    const Function* function;
  };

  // Returns where a branch to an old address leads: to the copy if there is one. A branch to the
  // beginning of its own function is no call.
  std::uint64_t destination(const Fixup& fixup) const {
    std::uint32_t instruction = program_.instruction_at(fixup.target);
    if (instruction == kNone32 || placements_[instruction].copy == 0) {
      return fixup.target;
    }
    const Instruction& in = program_.instructions()[instruction];
    bool own = &program_.functions()[in.function] == fixup.function;
    return own ? placements_[instruction].own : placements_[instruction].hook;
  }

  template <typename Emit>
  void emit_hook(Emit emit) {
    InlineCode hook{code_.here(), 0, {}};
    hook.shape = emit();
    hook.end = code_.here();
    hooks_.push_back(hook);
  }

  void emit_site_hook(std::uint32_t i) {
    const Instruction& in = program_.instructions()[i];
    if (in.site == kNone32 || !redirects_.hooked[in.site] || thunked_.count(i) != 0) {
      return;
    }
    std::uint32_t number = plan_.number_of(in.site);
    if (number != kNone32) {
      emit_hook([&] { return emit_inline_hook(program_.sites()[in.site], number, stubs_, code_); });
      plan_.records()[number].copy_address = code_.here();
    }
  }

  // A hook that may step over the instruction must be the last one before it. A comparison must see
  // memory after the thread has stopped at its access.
  void emit_hooks(std::uint32_t i) {
    const Instruction& in = program_.instructions()[i];
    bool entry = in.site != kNone32 && program_.sites()[in.site].kind == hook::SiteKind::kEntry;
    placements_[i].hook = code_.here();
    if (entry) {
      emit_site_hook(i);
    }
    placements_[i].own = code_.here();
    if (begins_group(i)) {
      emit_group();
    }
    std::uint32_t number = branches_.number_of(i);
    bool reports = number != kNone32;
    if (reports && (in.branch & kStartsBlock) != 0) {
      bool flags_dead = (in.branch & kBlockFlagsDead) != 0;
      emit_hook([&] { return emit_block_hook(flags_dead, number, stubs_, code_); });
      ++number;
    }
    if (!entry) {
      emit_site_hook(i);
    }
    if (reports && (in.branch & kCompares) != 0) {
      emit_hook([&] {
        return emit_comparison_hook(*compared_operands(program_, in), number, stubs_, code_);
      });
    }
    placements_[i].copy = code_.here();
  }

  bool begins_group(std::uint32_t i) const {
    return next_group_ < joining_.groups.size() && joining_.groups[next_group_].first == i;
  }

  void emit_group() {
    const Group& group = joining_.groups[next_group_];
    check_.emplace(program_, plan_, group, static_cast<std::uint32_t>(next_group_), joining_.module,
                   joining_.stubs, stubs_, code_);
    check_->emit_check();
    JoinedCode joined;
    joined.first = group.first;
    for (std::uint32_t i = group.first; i <= group.last; ++i) {
      joined.copies.push_back(code_.here());
      if (i == group.last) {
        check_->emit_traces();
      }
      const Instruction& in = program_.instructions()[i];
      emit_instruction(in, program_.file().at(in.address).data());
    }
    joined.end = code_.here();
    check_->emit_rest();
    joined.hooks = code_.here();
    joined.commit_load = check_->commit_load();
    joined.commit_resume = check_->commit_resume();
    joined.commit_register = check_->commit_register();
    joined_.push_back(std::move(joined));
  }

  void copy_function(const Function& function) {
    function_ = &function;
    while (code_.size() % 16 != 0) {
      code_.bytes({0xcc});
    }
    starts_.push_back(code_.here());
    auto bytes = program_.file().at(function.begin);
    const Instruction* last = nullptr;
    for (std::uint32_t i = function.first; i < function.first + function.count; ++i) {
      const Instruction& in = program_.instructions()[i];
      emit_hooks(i);
      emit_instruction(in, bytes.data() + (in.address - function.begin));
      if (check_ && i == joining_.groups[next_group_].last) {
        check_->complete(code_.here(), placements_[i].copy);
        check_.reset();
        ++next_group_;
      }
      last = &in;
    }
    if (last->flow != Flow::kJump && last->flow != Flow::kIndirectJump &&
        last->flow != Flow::kReturn && last->flow != Flow::kStop) {
      branch({0xe9}, function.end);
    }
  }

  void emit_thunk(std::uint32_t instruction) {
    const Instruction& in = program_.instructions()[instruction];
    const Site& site = program_.sites()[in.site];
    std::uint32_t number = plan_.number_of(in.site);
    Thunk thunk{instruction, code_.here(), 0, {code_.here(), 0, {}}};
    thunk.hook.shape = emit_thunk_hook(site, number, stubs_, code_);
    thunk.hook.end = code_.here();
    plan_.records()[number].copy_address = code_.here();
    code_.jump_through(site.operand, kReturnAddress);
    thunk.end = code_.here();
    thunks_.push_back(thunk);
  }

  void branch(std::initializer_list<std::uint8_t> opcode, std::uint64_t target) {
    code_.bytes(opcode);
    fixups_.push_back({code_.size(), target, function_});
    code_.value(std::int32_t{0});
  }

  void emit_instruction(const Instruction& in, const std::uint8_t* bytes) {
    switch (in.flow) {
      case Flow::kCall:
      case Flow::kIndirectCall:
        // The call stays in place, so that its return address and the unwinding from there stay
        // valid.
        code_.jump(in.address);
        return;
      case Flow::kJump: branch({0xe9}, in.target); return;
      case Flow::kConditional:
        if (in.has(kIsXbegin)) {
          branch({0xc7, 0xf8}, in.target);
          return;
        }
        // The condition is in the low four bits of the last opcode byte, short (7x) or near (0f
        // 8x).
        branch({0x0f, static_cast<std::uint8_t>(0x80 | (condition(in, bytes) & 0x0f))}, in.target);
        return;
      case Flow::kCounted:
        // These have an 8-bit distance only: emit a jump over the jump for "not taken".
        code_.append(bytes, in.length - 1U);
        code_.bytes({0x02, 0xeb, 0x05});
        branch({0xe9}, in.target);
        return;
      default: break;
    }
    std::size_t start = code_.size();
    code_.append(bytes, in.length);
    if (in.displacement_offset != 0) {
      std::uint64_t end = code_.here();
      code_.overwrite(start + in.displacement_offset,
                      static_cast<std::int32_t>(static_cast<std::int64_t>(in.target - end)));
    }
  }

  // A near branch ends with opcode and four bytes of distance, a short one with opcode and one.
  static std::uint8_t condition(const Instruction& in, const std::uint8_t* bytes) {
    bool near = in.length >= 6 && bytes[in.length - 6U] == 0x0f;
    return near ? bytes[in.length - 5U] : bytes[in.length - 2U];
  }

  const Program& program_;
  const Redirects& redirects_;
  const Stubs& stubs_;
  PatchPlan& plan_;
  const BranchPlan& branches_;
  const Joining& joining_;
  CodeBuffer& code_;
  std::vector<Placement>& placements_;
  std::vector<InlineCode>& hooks_;
  std::vector<Thunk>& thunks_;
  std::vector<JoinedCode>& joined_;
  std::vector<std::uint64_t>& starts_;
  std::unordered_set<std::uint32_t> thunked_;
  std::vector<Fixup> fixups_;
  const Function* function_ = nullptr;  // the one that is copied
  std::size_t next_group_ = 0;
  std::optional<JoinedCheck> check_;  // of the group that is copied
};

}  // namespace

Copies emit_copies(const Program& program, const Redirects& redirects, const Stubs& stubs,
                   PatchPlan& plan, const BranchPlan& branches, const Joining& joining,
                   CodeBuffer& code) {
  Copies copies;
  Copier(program, redirects, stubs, plan, branches, joining, code, copies).run();
  return copies;
}

}  // namespace rff::instrument::builtin
