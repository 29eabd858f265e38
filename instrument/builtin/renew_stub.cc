#include <iterator>
#include <vector>

#include "instrument/builtin/joined_code.h"

namespace rff::instrument::builtin {

namespace {

class RenewStub {
 public:
  RenewStub(const JoinedAddresses& module, CodeBuffer& code) : module_(module), code_(code) {}

  // Makes the cell one of the present era, as Sharing::use_alone does, if only
  // this thread has used it, under the same locks; or finds that a read adds
  // nothing to its history. Otherwise calls JoinedSlots::renew on the runtime's
  // stack. Keeps all registers; goes on at `back` or `fail`.
  std::uint64_t emit() {
    std::uint64_t begin = code_.here();
    constexpr Reg kUsed[] = {kRax, kRcx, kRdx, kRsi, kRdi};
    save(kUsed, std::size(kUsed));
    code_.load_from(kRcx, SLOT(thread_at));
    code_.load(kRcx, kRcx, 0);
    code_.load_from(kRdx, SLOT(cell));
    code_.access(kByte, kByteCompare, kRdx, CELL(guard), false);
    code_.value(std::uint8_t{0});
    ask_if(kNotEqual);
    code_.access(kMove, kRax, kRdx, CELL(read_in), false);
    code_.registers(0x85, kRax, kRax, false);  // test eax, eax
    code_.bytes({0x0f, 0x88});                 // js several
    std::size_t several = code_.size();
    code_.value(std::int32_t{0});
    emit_alone();
    code_.overwrite_distance(several, code_.here());
    emit_several();
    for (std::size_t use : done_) {
      code_.overwrite_distance(use, code_.here());
    }
    restore(kUsed, std::size(kUsed));
    jump_by(code_, SLOT(back));
    for (std::size_t use : ask_) {
      code_.overwrite_distance(use, code_.here());
    }
    restore(kUsed, std::size(kUsed));
    emit_call();
    return begin;
  }

 private:
  // Checks keep the program's own values elsewhere.
  std::uint64_t area(std::size_t i) const { return SLOT(stub_saved) + 8 * i; }
  void save(const Reg* regs, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      code_.access_at(kStore, regs[i], area(i), true);
    }
  }
  void restore(const Reg* regs, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      code_.load_from(regs[i], area(i));
    }
  }
  void far_jump(std::uint8_t condition, std::vector<std::size_t>& uses) {
    code_.bytes({0x0f, static_cast<std::uint8_t>(0x80 | condition)});
    uses.push_back(code_.size());
    code_.value(std::int32_t{0});
  }
  void ask_if(std::uint8_t condition) { far_jump(condition, ask_); }

  // rcx: the thread; rdx: the cell.
  void emit_alone() {
    code_.load_from(kRax, SLOT(known));
    code_.bytes({0x64});  // fs
    code_.access(kByte, kByteCompare, kRax, 0, false);
    code_.value(std::uint8_t{0});
    ask_if(kEqual);
    code_.load_from(kRax, SLOT(inside));
    code_.access(kSmall, kSmallCompare, kRax, 0, false);
    code_.value(std::uint8_t{0});
    ask_if(kNotEqual);
    code_.load_from(kRsi, SLOT(eras_at));
    code_.load(kRsi, kRsi, 0);
    code_.access(kMove, kRdi, kRcx, THREAD(actor), false);
    for (std::int32_t era : {CELL(read_in), CELL(written_in)}) {
      code_.access(kMove, kRax, kRdx, era, false);
      code_.registers(0x85, kRax, kRax, false);
      std::size_t none = jump_short(code_, kEqual);
      find_era();
      code_.access(kCompareWith, kRdi, kRax, era_field(offsetof(hook::JoinedEra, actor)), false);
      ask_if(kNotEqual);
      land(code_, none);
    }
    // The last era of this kind of use, and where it is.
    code_.lea(kRdi, kRdx, CELL(read_in));
    code_.access_at(kSmall, kSmallCompare, SLOT(writes), false, 1);
    code_.value(std::uint8_t{0});
    std::size_t reads = jump_short(code_, kEqual);
    code_.lea(kRdi, kRdx, CELL(written_in));
    land(code_, reads);
    code_.access(kMove, kRax, kRdi, 0, false);
    code_.registers(0x85, kRax, kRax, false);
    std::size_t first = jump_short(code_, kEqual);
    find_era();
    code_.access(kMove, kRax, kRax, era_field(offsetof(hook::JoinedEra, locks)), false);
    code_.access(kMove, kRdx, kRcx, THREAD(era), false);
    code_.registers(0xc1, 4, kRdx, true);  // shl
    code_.value(std::uint8_t{4});
    code_.registers(kAdd, kRdx, kRsi, true);
    code_.access(kCompare, kRax, kRdx, era_field(offsetof(hook::JoinedEra, locks)), false);
    ask_if(kNotEqual);
    land(code_, first);
    code_.access(kMove, kRax, kRcx, THREAD(era), false);
    code_.access(kStore, kRax, kRdi, 0, false);
    code_.bytes({0xe9});
    done_.push_back(code_.size());
    code_.value(std::int32_t{0});
  }
  static std::int32_t era_field(std::size_t offset) { return of(offset); }
  // Turns the number of an era in eax into its address.
  void find_era() {
    static_assert(sizeof(hook::JoinedEra) == 16);
    code_.registers(0xc1, 4, kRax, true);  // shl
    code_.value(std::uint8_t{4});
    code_.registers(kAdd, kRax, kRsi, true);
  }

  // eax: read_in of the cell.
  void emit_several() {
    code_.access_at(kSmall, kSmallCompare, SLOT(writes), false, 1);
    code_.value(std::uint8_t{0});
    ask_if(kNotEqual);
    code_.load_from(kRsi, SLOT(late));
    code_.access(kByte, kByteCompare, kRsi, 0, false);
    code_.value(std::uint8_t{0});
    ask_if(kEqual);
    code_.registers(0x81, kSmallAnd, kRax, false);
    code_.value(~hook::kCellSeveral);
    code_.registers(0x69, kRax, kRax, true);  // imul rax, rax, bytes
    code_.value(hook::kHistoryBytes);
    code_.load_from(kRsi, SLOT(histories_at));
    code_.access(kAdd, kRax, kRsi, 0, true);
    code_.access(kMove, kRsi, kRcx, THREAD(actor), false);
    code_.registers(kAdd, kRsi, kRsi, false);
    code_.registers(kSmall, kSmallAnd, kRsi, false);
    code_.value(std::uint8_t{6});
    Operand place;
    place.base = kRax;
    place.index = kRsi;
    place.scale = 8;
    place.displacement = hook::kHistoryPlaces;
    code_.lea_operand(kRax, place, 0);
    code_.access(kMove, kRax, kRax, 0, false);
    code_.access(kCompare, kRax, kRcx, THREAD(era), false);
    far_jump(kEqual, done_);
    code_.access(kCompare, kRax, kRcx, THREAD(unlocked_era), false);
    ask_if(kNotEqual);
  }

  void emit_call() {
    constexpr Reg kChanged[] = {kRax, kRcx, kRdx, kRsi, kRdi, kR8, kR9, kR10, kR11, kRbp};
    save(kChanged, std::size(kChanged));
    code_.registers(kMove, kRbp, kRsp, true);
    code_.load_from(kRsp, SLOT(stack));
    code_.lea_of(kRdi, module_.slots);
    code_.access_at(0xff, 2, SLOT(renew), false);  // call [renew]
    code_.registers(kMove, kRsp, kRbp, true);
    code_.load_from(kRcx, SLOT(back));
    code_.registers(0x85, kRax, kRax, false);
    std::size_t renewed = jump_short(code_, kNotEqual);
    code_.load_from(kRcx, SLOT(fail));
    land(code_, renewed);
    code_.access_at(kStore, kRcx, SLOT(back), true);
    restore(kChanged, std::size(kChanged));
    jump_by(code_, SLOT(back));
  }

  const JoinedAddresses& module_;
  CodeBuffer& code_;
  std::vector<std::size_t> done_, ask_;
};

}  // namespace

JoinedStubs emit_joined_stubs(const JoinedAddresses& module, CodeBuffer& code) {
  JoinedStubs stubs;
  stubs.begin = code.here();
  stubs.renew = RenewStub(module, code).emit();
  stubs.end = code.here();
  return stubs;
}

}  // namespace rff::instrument::builtin
