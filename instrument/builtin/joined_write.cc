// The part of a check that makes the last write final and records the next one.
#include "instrument/builtin/joined_code.h"

namespace rff::instrument::builtin {

// Leaves the cell in `cell_`, and for half words their offset in the word in
// `temp_`.
void JoinedCheck::emit_write_check(std::uint32_t instruction) {
  const Site& s = site(instruction);
  auto size = static_cast<std::uint8_t>(s.size);
  emit_lookup(s.operand, size, size, temp_, cell_);
  Operand scaled;
  scaled.scale = sizeof(JoinedCell) / 8;
  scaled.base = cell_;
  scaled.index = temp_;
  if (size < 8) {
    code_.registers(kMove, cache_, temp_, true);
    code_.registers(kSmall, kSmallAnd, cache_, true);
    code_.value(std::uint8_t{0xf8});
    scaled.index = cache_;
  }
  code_.lea_operand(cell_, scaled, 0);
  code_.access(kCompareWith, era_, cell_, CELL(written_in), false);
  jump_if(kNotEqual, cold_.back().entry);
  bind(cold_.back().back);
  auto test = [&](std::size_t field, std::uint8_t bits) {
    code_.access(kTestByte, 0, cell_, of(field), false);
    code_.value(bits);
  };
  constexpr std::size_t kTraits = offsetof(JoinedCell, traits), kMask = offsetof(JoinedCell, mask);
  if (size == 8) {
    test(kTraits, hook::kCellBytewise | hook::kCellHalves);
    jump_if(kNotEqual, failed_);
    return;
  }
  // One writer for the whole word stays so if the other half has none.
  Label halves, upper;
  test(kTraits, hook::kCellBytewise);
  jump_if(kNotEqual, failed_);
  test(kTraits, hook::kCellHalves);
  jump_if(kNotEqual, halves);
  code_.registers(kTestByte, 0, temp_, false);
  code_.value(std::uint8_t{4});
  jump_if(kNotEqual, upper);
  test(kMask, 0xf0);
  jump_if(kNotEqual, failed_);
  jump(halves);
  bind(upper);
  test(kMask, 0x0f);
  jump_if(kNotEqual, failed_);
  bind(halves);
}

// Makes the last write of the thread final, as Accesses::commit_private_word
// does; nothing can fail from here on. Leaves the thread in `cache_`.
void JoinedCheck::emit_commit() {
  Label committed, same;
  const Reg word = era_;
  code_.load_from(cache_, SLOT(thread_at));
  code_.load(cache_, cache_, 0);
  code_.load(word, cache_, THREAD(write_address));
  code_.registers(0x85, word, word, true);  // test
  jump_if(kEqual, committed);
  code_.registers(kSmall, kSmallAnd, word, true);
  code_.value(std::uint8_t{0xf8});
  // See hook::is_dead. The first access's hook would do this: its stub has pushed so much when it
  // calls the runtime.
  bool keeps = !site(group_.members.front()).flags_dead;
  code_.lea(commit_value_, kRsp, hook::kLiveAboveCall - kRedZone - (keeps ? 40 : 32) - 1);
  code_.registers(kSub, commit_value_, word, true);
  code_.registers(0x81, kSmallCompare, commit_value_, true);
  code_.value(static_cast<std::int32_t>(hook::kDeadBytes));
  jump_if(kBelow, dead_);
  commit_load_ = code_.here();
  code_.load(word, word, 0);
  commit_resume_ = code_.here();
  code_.load(commit_cell_, cache_, THREAD(write_cell));
  code_.access(kTestByte, 0, commit_cell_, CELL(traits), false);
  code_.value(std::uint8_t{hook::kCellKnown});
  jump_if(kEqual, unknown_);
  code_.load(commit_value_, commit_cell_, CELL(value));
  code_.registers(kXor, commit_value_, word, true);
  code_.access(kAnd, commit_value_, cache_, THREAD(write_bits), true);
  jump_if(kEqual, same);
  code_.access(kStoreXor, commit_value_, commit_cell_, CELL(value), true);
  code_.access(kStoreByte, 0, cache_, THREAD(changed_something), false);
  code_.value(std::uint8_t{1});
  bind(same);
  bind(known_);
  code_.access(kAnd, word, cache_, THREAD(write_bits), true);
  code_.access(kMove, commit_value_, cache_, THREAD(write_code), false);
  code_.registers(kAdd, word, commit_value_, true);
  code_.access(kAdd, word, cache_, THREAD(hash_part), true);
  code_.load_from(commit_cell_, SLOT(hash_at));
  code_.load(commit_value_, commit_cell_, 0);
  code_.registers(0xc1, 0, commit_value_, true);  // rol
  code_.value(std::uint8_t{27});
  code_.registers(kAdd, commit_value_, word, true);
  code_.bytes({static_cast<std::uint8_t>(0x48 | (word >> 3)),
               static_cast<std::uint8_t>(0xb8 | (word & 7))});  // mov word, factor
  code_.value(hook::kHashFactor);
  code_.bytes({static_cast<std::uint8_t>(0x48 | ((commit_value_ >> 3) << 2) | (word >> 3)), 0x0f,
               0xaf,
               static_cast<std::uint8_t>(0xc0 | ((commit_value_ & 7) << 3) | (word & 7))});  // imul
  code_.store(commit_cell_, 0, commit_value_);
  if (!group_.writes) {
    code_.access(kStoreImmediate, 0, cache_, THREAD(write_address), true);
    code_.value(std::int32_t{0});
  }
  bind(committed);
}

// The word had no value that is known.
void JoinedCheck::emit_unknown() {
  bind(unknown_);
  code_.store(commit_cell_, CELL(value), era_);
  code_.access(kByte, kByteOr, commit_cell_, CELL(traits), false);
  code_.value(std::uint8_t{hook::kCellKnown});
  code_.access(kStoreByte, 0, cache_, THREAD(changed_something), false);
  code_.value(std::uint8_t{1});
  code_.jump(known_.at);
  bind(dead_);
  code_.registers(kXor, era_, era_, true);
  code_.jump(known_.at);
}

void JoinedCheck::emit_steps() {
  code_.load_from(near_address_, SLOT(steps_at));
  code_.access(kSmall, kSmallAdd, near_address_, 0, true);
  code_.value(static_cast<std::uint8_t>(group_.members.size()));
}

// Records the last access, a write, and announces it: as
// Accesses::private_access.
void JoinedCheck::emit_write(std::uint32_t instruction) {
  const Site& s = site(instruction);
  const Reg thread = cache_, code = era_, step = near_address_, bits = near_cells_;
  code_.store(thread, THREAD(write_cell), cell_);
  code_.lea_operand(code, s.operand, 0);
  code_.store(thread, THREAD(write_address), code);
  emit_code(code, instruction);
  code_.access(kStore, code, thread, THREAD(write_code), false);
  emit_steps();
  code_.load(step, step, 0);
  auto one_writer = [&](std::uint16_t mask_and_delta) {
    code_.access(kStore, code, cell_, CELL(writer_code), false);
    code_.access(kStore, step, cell_, CELL(writer_step), false);
    static_assert(offsetof(JoinedCell, delta) == offsetof(JoinedCell, mask) + 1);
    code_.bytes({0x66});
    code_.access(kStoreImmediate, 0, cell_, CELL(mask), false);
    code_.value(mask_and_delta);
  };
  if (s.size == 8) {
    code_.access(kStoreImmediate, 0, thread, THREAD(write_bits), true);
    code_.value(std::int32_t{-1});
    one_writer(0x00ff);
    return;
  }
  auto one_half = [&](std::size_t writer, std::uint8_t mask, std::uint16_t mask_and_delta) {
    Label halves, done;
    code_.access(kTestByte, 0, cell_, CELL(traits), false);
    code_.value(std::uint8_t{hook::kCellHalves});
    jump_if(kNotEqual, halves);
    one_writer(mask_and_delta);
    jump(done);
    bind(halves);
    code_.access(kStore, code, cell_, of(writer), false);
    code_.access(kByte, kByteOr, cell_, CELL(mask), false);
    code_.value(mask);
    bind(done);
    code_.bytes({static_cast<std::uint8_t>(0x40 | (bits >> 3)),
                 static_cast<std::uint8_t>(0xb8 | (bits & 7))});  // mov bits, the lower half
    code_.value(std::uint32_t{0xffffffff});
  };
  Label upper, done;
  code_.registers(kTestByte, 0, temp_, false);
  code_.value(std::uint8_t{4});
  jump_if(kNotEqual, upper);
  one_half(offsetof(JoinedCell, writer_code), 0x0f, 0x000f);
  jump(done);
  bind(upper);
  one_half(offsetof(JoinedCell, writer_step), 0xf0, 0xfcf0);
  code_.registers(0xf7, 2, bits, true);  // not
  bind(done);
  code_.store(thread, THREAD(write_bits), bits);
}

}  // namespace rff::instrument::builtin
