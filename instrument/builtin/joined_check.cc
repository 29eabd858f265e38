#include "instrument/builtin/joined_check.h"

#include <algorithm>

#include "instrument/builtin/joined_code.h"

namespace rff::instrument::builtin {

JoinedCheck::JoinedCheck(const Program& program, const PatchPlan& plan, const Group& group,
                         std::uint32_t number, const JoinedAddresses& module,
                         const JoinedStubs& shared, const Stubs& stubs, CodeBuffer& code)
    : program_(program),
      plan_(plan),
      group_(group),
      number_(number),
      module_(module),
      shared_(shared),
      stubs_(stubs),
      code_(code),
      cache_(group.scratch[0]),
      era_(group.scratch[1]),
      cell_(group.scratch[2]),
      temp_(group.scratch[3]),
      near_address_(group.scratch.back()),
      near_cells_(group.scratch[group.scratch.size() - 2]),
      cold_(group.members.size()),
      commit_cell_(near_cells_),
      commit_value_(near_address_) {}

const Site& JoinedCheck::site(std::uint32_t instruction) const {
  return program_.sites()[program_.instructions()[instruction].site];
}

void JoinedCheck::jump(Label& to) {
  code_.bytes({0xe9});
  to.uses.push_back(code_.size());
  code_.value(std::int32_t{0});
}

void JoinedCheck::jump_if(std::uint8_t condition, Label& to) {
  code_.bytes({0x0f, static_cast<std::uint8_t>(0x80 | condition)});
  to.uses.push_back(code_.size());
  code_.value(std::int32_t{0});
}

void JoinedCheck::lea_of_label(Reg reg, Label& label) {
  code_.bytes({static_cast<std::uint8_t>(0x48 | ((reg >> 3) << 2)), 0x8d,
               static_cast<std::uint8_t>(((reg & 7) << 3) | 5)});
  label.uses.push_back(code_.size());
  code_.value(std::int32_t{0});
}

void JoinedCheck::bind(Label& label) {
  label.at = code_.here();
  resolve(label);
}

void JoinedCheck::resolve(Label& label) {
  for (std::size_t use : label.uses) {
    code_.overwrite_distance(use, label.at);
  }
}

void JoinedCheck::emit_check() {
  code_.access_at(kByte, kByteCompare, module_.enabled + number_, false, 1);
  code_.value(std::uint8_t{0});
  jump_if(kEqual, disabled_);
  for (Reg reg : group_.scratch) {
    if ((group_.dead & (1U << reg)) == 0) {
      code_.access_at(kStore, reg, saved_in(module_, reg), true);
    }
  }
  emit_state();
  for (std::uint32_t i : group_.members) {
    if (group_.writes && i == group_.last) {
      emit_write_check(i);
    } else {
      emit_read(i);
    }
  }
  emit_commit();
  if (group_.writes) {
    emit_write(group_.last);
  } else {
    emit_steps();
  }
  if (group_.leaves_traces) {
    // The addresses that a hook leaves on the stack.
    bool keeps = !site(group_.last).flags_dead;
    lea_of_label(temp_, after_hook_);
    code_.store(kRsp, -(kRedZone + 24), temp_);
    code_.lea_of(temp_, keeps ? stubs_.access_return : stubs_.access_flags_dead_return);
    code_.store(kRsp, -(kRedZone + (keeps ? 48 : 40)), temp_);
    if (group_.keeps_flags) {
      code_.lea_of(temp_, stubs_.access_return);
      code_.store(kRsp, -(kRedZone + 48), temp_);
    }
  }
  restore_saved();
  clear_dead();
}

// Checks that the thread may go on for as long as this takes.
void JoinedCheck::emit_state() {
  Label committed;
  code_.load_from(cache_, SLOT(thread_at));
  code_.load(cache_, cache_, 0);
  code_.load_from(temp_, SLOT(steps_at));
  code_.load(temp_, temp_, 0);
  code_.registers(kSmall, kSmallAdd, temp_, true);
  code_.value(static_cast<std::uint8_t>(group_.members.size()));
  code_.access(kCompare, temp_, cache_, THREAD(stretch_end), true);
  jump_if(kAbove, failed_);
  code_.access(kSmall, kSmallCompare, cache_, THREAD(write_address), true);
  code_.value(std::uint8_t{0});
  jump_if(kEqual, committed);
  code_.access(kSmall, kSmallCompare, cache_, THREAD(write_cell), true);
  code_.value(std::uint8_t{0});
  jump_if(kEqual, failed_);
  bind(committed);
  code_.access(kMove, era_, cache_, THREAD(era), false);
  code_.load_from(cache_, SLOT(cache));
}

// Leaves the offset in its block in `address`, and the block's cells in `slot`.
void JoinedCheck::emit_lookup(const Operand& operand, std::uint32_t span, std::uint8_t alignment,
                              Reg address, Reg slot) {
  code_.lea_operand(address, operand, 0);
  code_.registers(kMove, slot, address, true);
  code_.registers(0xc1, 5, slot, true);  // shr
  code_.value(hook::kCacheShift);
  code_.access(kAnd, slot, cache_, of(offsetof(JoinedCache, mask)), true);
  code_.access(kAdd, slot, cache_, of(offsetof(JoinedCache, slots)), true);
  code_.access(kSub, address, slot, of(offsetof(JoinedCacheSlot, begin)), true);
  code_.registers(0x81, kSmallCompare, address, true);
  code_.value(static_cast<std::int32_t>(hook::kCacheBlock - span));
  jump_if(kAbove, failed_);
  if (alignment > 1) {
    code_.registers(kTestByte, 0, address, false);
    code_.value(static_cast<std::uint8_t>(alignment - 1));
    jump_if(kNotEqual, failed_);
  }
  code_.load(slot, slot, of(offsetof(JoinedCacheSlot, cells)));
}

void JoinedCheck::emit_read(std::uint32_t instruction) {
  const Site& s = site(instruction);
  bool near = std::find(group_.neighbors.begin(), group_.neighbors.end(), instruction) !=
              group_.neighbors.end();
  auto size = static_cast<std::uint8_t>(s.size);
  Operand scaled;
  scaled.scale = sizeof(JoinedCell) / 8;
  if (near) {
    if (!near_known_) {
      near_known_ = true;
      std::uint16_t alignment = 1;
      for (std::uint32_t i : group_.neighbors) {
        alignment = std::max(alignment, site(i).size);
      }
      Operand lowest = s.operand;
      lowest.displacement = group_.lowest;
      emit_lookup(lowest, group_.span, static_cast<std::uint8_t>(alignment), near_address_,
                  near_cells_);
    }
    code_.lea(temp_, near_address_,
              static_cast<std::int32_t>(s.operand.displacement - group_.lowest));
    scaled.base = near_cells_;
  } else {
    emit_lookup(s.operand, size, size, temp_, cell_);
    scaled.base = cell_;
  }
  if (size < 8) {
    code_.registers(kSmall, kSmallAnd, temp_, true);
    code_.value(std::uint8_t{0xf8});
  }
  scaled.index = temp_;
  code_.lea_operand(cell_, scaled, 0);
  emit_reader(instruction);
}

// Checks the reader's era and records the read, which is harmless if a later
// check fails: then the hook of this access does the same.
void JoinedCheck::emit_reader(std::uint32_t instruction) {
  auto order = static_cast<std::size_t>(
      std::find(group_.members.begin(), group_.members.end(), instruction) -
      group_.members.begin());
  code_.access(kCompareWith, era_, cell_, CELL(read_in), false);
  jump_if(kNotEqual, cold_[order].entry);
  bind(cold_[order].back);
  if (module_.fixed_codes) {
    code_.access(kStoreImmediate, 0, cell_, CELL(reader_code), false);
    code_.value(hook::kFirstCode + number_of(instruction));
    return;
  }
  emit_code(temp_, instruction);
  code_.access(kStore, temp_, cell_, CELL(reader_code), false);
}

std::uint32_t JoinedCheck::number_of(std::uint32_t instruction) const {
  return plan_.number_of(program_.instructions()[instruction].site);
}

void JoinedCheck::emit_code(Reg reg, std::uint32_t instruction) {
  std::uint32_t number = number_of(instruction);
  code_.bytes({static_cast<std::uint8_t>(0x40 | (reg >> 3)),
               static_cast<std::uint8_t>(0xb8 | (reg & 7))});  // mov reg, number
  code_.value(module_.fixed_codes ? hook::kFirstCode + number : number);
  if (!module_.fixed_codes) {
    code_.access_at(kAdd, reg, SLOT(code_base), false);
  }
}

void JoinedCheck::restore_saved() {
  for (Reg reg : group_.scratch) {
    if ((group_.dead & (1U << reg)) == 0) {
      code_.load_from(reg, saved_in(module_, reg));
    }
  }
}

// Both ways leave the same in registers that the program does not use: hooks
// push some of them.
void JoinedCheck::clear_dead() {
  for (Reg reg : group_.scratch) {
    if ((group_.dead & (1U << reg)) != 0) {
      code_.registers(kXor, reg, reg, false);
    }
  }
}

void JoinedCheck::emit_traces() {
  if (!group_.leaves_traces) {
    return;
  }
  code_.store(kRsp, -(kRedZone + 8), kRdi);
  code_.store(kRsp, -(kRedZone + 16), kRsi);
  code_.store(kRsp, -(kRedZone + 32), kRcx);
  if (!site(group_.last).flags_dead) {
    code_.store(kRsp, -(kRedZone + 40), kRax);
  }
}

// An access that is not of this era: it may still be one without a lock, or the
// first in the era.
void JoinedCheck::emit_rest() {
  jump(behind_);
  Label ask, failed_later;
  auto ask_runtime = [&](bool writes, std::size_t era) {
    // Here the address to go on at is in `back`; the check needs `temp_` again
    // only for a write.
    Reg reg = writes ? cache_ : temp_;
    code_.load_from(reg, SLOT(thread_at));
    code_.load(reg, reg, 0);
    code_.access(kMove, reg, reg, THREAD(unlocked_era), false);
    code_.access(kCompareWith, reg, cell_, of(era), false);
    code_.bytes({0x75, 0x07});  // jne over the next instruction
    std::size_t start = code_.size();
    jump_by(code_, SLOT(back));
    RFF_CHECK(code_.size() - start == 7);
    code_.access_at(kStore, cell_, SLOT(cell), true);
    code_.access_at(kStoreImmediate, 0, SLOT(writes), false, 4);
    code_.value(std::int32_t{writes ? 1 : 0});
    lea_of_label(reg, failed_);
    code_.access_at(kStore, reg, SLOT(fail), true);
    code_.jump(shared_.renew);
  };
  bool reads = group_.members.size() > (group_.writes ? 1U : 0U);
  for (std::size_t i = 0; i < cold_.size(); ++i) {
    bool writes = group_.writes && i + 1 == cold_.size();
    bind(cold_[i].entry);
    Reg reg = writes ? cache_ : temp_;
    code_.lea_of(reg, cold_[i].back.at);
    code_.access_at(kStore, reg, SLOT(back), true);
    if (writes) {
      ask_runtime(true, offsetof(JoinedCell, written_in));
    } else {
      jump(ask);
    }
  }
  if (reads) {
    bind(ask);
    ask_runtime(false, offsetof(JoinedCell, read_in));
  }
  emit_unknown();
  bind(failed_);
  restore_saved();
  bind(disabled_);
  clear_dead();
}

void JoinedCheck::complete(std::uint64_t behind, std::uint64_t after_hook) {
  behind_.at = behind;
  resolve(behind_);
  after_hook_.at = after_hook;
  resolve(after_hook_);
}

}  // namespace rff::instrument::builtin
