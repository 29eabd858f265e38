// Emits the checks of groups, and what they share in a module
// (schedule/joined.h).
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/builtin/code_buffer.h"
#include "instrument/builtin/groups.h"
#include "instrument/builtin/stubs.h"
#include "instrument/patch_plan.h"

namespace rff::instrument::builtin {

// Code that checks jump to and that jumps back: no stack, so that nothing is
// left there.
struct JoinedStubs {
  std::uint64_t begin = 0;
  std::uint64_t renew = 0;  // makes a cell one of this era, or asks the runtime to
  std::uint64_t end = 0;
};

struct JoinedAddresses {
  std::uint64_t slots = 0;    // JoinedSlots
  std::uint64_t enabled = 0;  // the byte of the first group
  bool fixed_codes = false;   // see JoinedNote
};

JoinedStubs emit_joined_stubs(const JoinedAddresses& module, CodeBuffer& code);

// The check of one group. Call in this order: `emit_check`, which ends where
// the copy without hooks is to begin; `emit_traces` in that copy before the
// last access; `emit_rest` behind it. What follows is the copy with hooks.
class JoinedCheck {
 public:
  JoinedCheck(const Program& program, const PatchPlan& plan, const Group& group,
              std::uint32_t number, const JoinedAddresses& module, const JoinedStubs& shared,
              const Stubs& stubs, CodeBuffer& code);

  void emit_check();
  // Leaves on the stack what the hook of the last access leaves there: programs
  // read what they never wrote.
  void emit_traces();
  void emit_rest();
  // Completes the check. `behind`: where both copies meet again. `after_hook`:
  // the end of the last access's hook.
  void complete(std::uint64_t behind, std::uint64_t after_hook);

  // See GroupRecord.
  std::uint64_t commit_load() const { return commit_load_; }
  std::uint64_t commit_resume() const { return commit_resume_; }
  Reg commit_register() const { return era_; }

 private:
  class Label {
   public:
    std::vector<std::size_t> uses;
    std::uint64_t at = 0;
  };

  const Site& site(std::uint32_t instruction) const;
  void jump(Label& to);
  void jump_if(std::uint8_t condition, Label& to);
  void lea_of_label(Reg reg, Label& label);
  void bind(Label& label);
  void resolve(Label& label);

  void emit_state();
  void emit_read(std::uint32_t instruction);
  void emit_lookup(const Operand& operand, std::uint32_t span, std::uint8_t alignment, Reg address,
                   Reg slot);
  void emit_reader(std::uint32_t instruction);
  void emit_write_check(std::uint32_t instruction);
  void emit_commit();
  void emit_unknown();
  void emit_write(std::uint32_t instruction);
  void emit_steps();
  std::uint32_t number_of(std::uint32_t instruction) const;
  void emit_code(Reg reg, std::uint32_t instruction);
  void restore_saved();
  void clear_dead();

  const Program& program_;
  const PatchPlan& plan_;
  const Group& group_;
  std::uint32_t number_;
  JoinedAddresses module_;
  const JoinedStubs& shared_;
  const Stubs& stubs_;
  CodeBuffer& code_;

  Reg cache_, era_;  // for the whole check
  Reg cell_, temp_;
  Reg near_address_, near_cells_;  // of neighbors, from the first of them on
  bool near_known_ = false;
  struct Cold {
    Label entry, back;
  };
  std::vector<Cold> cold_;  // one for each access, in order
  Label failed_, disabled_, behind_, after_hook_;
  Label unknown_, known_;  // the word of the last write had no value so far
  Label dead_;             // it has none
  Reg commit_cell_, commit_value_;
  std::uint64_t commit_load_ = 0, commit_resume_ = 0;
};

}  // namespace rff::instrument::builtin
