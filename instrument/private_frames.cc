#include "instrument/private_frames.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "instrument/exception_table.h"
#include "instrument/frame_program.h"
#include "instrument/frame_use.h"

namespace rff::instrument {

namespace {

constexpr std::uint8_t kRsp = 4;
constexpr std::uint8_t kRbp = 5;
constexpr std::int64_t kReturnAddress = 8;

// An access to the frame: the bytes [begin, end) from the canonical frame address, which lies above
// the return address.
struct Slot {
  std::int64_t begin, end;
  bool reads, writes;
  std::uint32_t site;
};

class PrivateFrames {
 public:
  explicit PrivateFrames(Program& program)
      : program_(program),
        starts_(program.functions().size()),
        rows_(program.functions().size()),
        apart_(program.functions().size(), true) {}

  void run() {
    const auto count = static_cast<std::uint32_t>(program_.functions().size());
    for (std::uint32_t f = 0; f < count; ++f) {
      read_rows(f);
    }
    for (std::uint32_t f = 0; f < count; ++f) {
      find_frames_in_common(f);
    }
    find_jumps_into_fragments();
    for (std::uint32_t f = 0; f < count; ++f) {
      if (apart_[f] && keeps_its_frame(f)) {
        find_slots(f);
      }
    }
  }

 private:
  const Function& function(std::uint32_t f) const { return program_.functions()[f]; }
  const Cfa& row(std::uint32_t instruction) const {
    std::uint32_t f = program_.instructions()[instruction].function;
    return rows_[f][instruction - function(f).first];
  }
  bool at_entry(std::uint32_t instruction) const {
    const Cfa& cfa = row(instruction);
    return cfa.base == Cfa::kRsp && cfa.offset == kReturnAddress;
  }

  // Finds where the frame is at each instruction of the function.
  void read_rows(std::uint32_t f) {
    const Function& it = function(f);
    rows_[f].assign(it.count, Cfa{});
    if (it.frame == kNone32 || !it.left_alone.empty()) {
      apart_[f] = false;
      return;
    }
    const FrameInfo& frame = program_.eh_frame().frames[it.frame];
    auto program =
        read_frame_program(program_.file(), program_.eh_frame().commons[frame.common], frame);
    if (!program || it.begin != frame.begin || it.end != frame.begin + frame.size) {
      apart_[f] = false;
      return;
    }
    Cfa cfa = program->cfa;
    std::size_t step = 0;
    for (std::uint32_t i = 0; i < it.count; ++i) {
      std::uint64_t address = program_.instructions()[it.first + i].address;
      for (; step < program->steps.size() && program->steps[step].at <= address; ++step) {
        cfa = program->steps[step].cfa;
      }
      rows_[f][i] = cfa;
    }
    starts_[f] = it.count != 0 && at_entry(it.first);
    apart_[f] = starts_[f];
  }

  // A compiler may move a part of a function to another place, where it continues in the same
  // frame. Such a part is entered by a jump or as a landing pad.
  void find_frames_in_common(std::uint32_t f) {
    const Function& it = function(f);
    for (std::uint32_t i = it.first; i < it.first + it.count; ++i) {
      const Instruction& in = program_.instructions()[i];
      if (in.flow != Flow::kJump && in.flow != Flow::kConditional && in.flow != Flow::kCounted) {
        continue;
      }
      std::uint32_t to = program_.instruction_at(in.target);
      std::uint32_t other =
          to == kNone32 ? program_.function_at(in.target) : program_.instructions()[to].function;
      if (other == f) {
        continue;
      }
      bool calls = other == kNone32 || (starts_[other] && in.target == function(other).begin);
      if (!calls || !at_entry(i)) {
        apart_[f] = false;
        if (other != kNone32) {
          apart_[other] = false;
        }
      }
    }
    if (it.frame == kNone32) {
      return;
    }
    const FrameInfo& frame = program_.eh_frame().frames[it.frame];
    if (frame.lsda == 0) {
      return;
    }
    auto table = read_exception_table(program_.file(), frame);
    bool inside = table && std::all_of(table->sites.begin(), table->sites.end(), [&](auto& site) {
                    std::uint64_t pad = table->pad_base + site.pad;
                    return site.pad == 0 || (pad >= it.begin && pad < it.end);
                  });
    apart_[f] = apart_[f] && inside;
  }

  // A table of jumps may lead into a part that lies elsewhere, too.
  void find_jumps_into_fragments() {
    bool fragments = false;
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      const Function& it = function(f);
      fragments |= it.frame != kNone32 && it.count != 0 && !starts_[f];
    }
    if (!fragments) {
      return;
    }
    for (std::uint32_t f = 0; f < program_.functions().size(); ++f) {
      const Function& it = function(f);
      for (std::uint32_t i = it.first; i < it.first + it.count; ++i) {
        if (program_.instructions()[i].flow == Flow::kIndirectJump && !at_entry(i)) {
          apart_[f] = false;
        }
      }
    }
  }

  // Whether no instruction gives away an address of the frame, or moves it in a way that the unwind
  // information might not show.
  bool keeps_its_frame(std::uint32_t f) const {
    const Function& it = function(f);
    bool has_pointer = std::any_of(rows_[f].begin(), rows_[f].end(),
                                   [](const Cfa& cfa) { return cfa.base == Cfa::kRbp; });
    std::uint8_t forbidden =
        kTakesRsp | kMovesRsp | (has_pointer ? kTakesRbp | kMovesRbp : kMovesRspToRbp);
    for (std::uint32_t i = it.first; i < it.first + it.count; ++i) {
      const Instruction& in = program_.instructions()[i];
      const Cfa& cfa = row(i);
      if ((in.frame_use & forbidden) != 0 || cfa.base == Cfa::kOther ||
          ((in.frame_use & kPushesRbp) != 0 && cfa.base == Cfa::kRbp)) {
        return false;
      }
    }
    return true;
  }

  void find_slots(std::uint32_t f) {
    const Function& it = function(f);
    std::vector<Slot> slots;
    for (std::uint32_t i = it.first; i < it.first + it.count; ++i) {
      const Instruction& in = program_.instructions()[i];
      if (in.site == kNone32 || in.flow != Flow::kNext) {
        continue;
      }
      const Site& site = program_.sites()[in.site];
      const Operand& operand = site.operand;
      bool plain = (site.flags & (hook::kLocked | hook::kComplex)) == 0 &&
                   site.bit_register == hook::kNoRegister && !site.adds_al &&
                   site.unsupported == Unsupported::kNone && (in.frame_use & kPopsToMemory) == 0;
      std::uint8_t base = row(i).base == Cfa::kRsp ? kRsp : kRbp;
      if (!plain || operand.base != base || operand.index != hook::kNoRegister ||
          operand.address_bits != 64 || operand.rip_relative) {
        continue;
      }
      std::int64_t begin = operand.displacement - row(i).offset;
      std::int64_t end = begin + site.size;
      if (site.size != 0 && end <= -kReturnAddress) {
        slots.push_back({begin, end, site.kind != hook::SiteKind::kWrite,
                         site.kind != hook::SiteKind::kRead, in.site});
      }
    }
    std::sort(slots.begin(), slots.end(),
              [](const Slot& a, const Slot& b) { return a.begin < b.begin; });
    for (std::size_t first = 0; first < slots.size();) {
      std::size_t last = first;
      for (std::int64_t end = slots[first].end; last < slots.size() && slots[last].begin < end;
           ++last) {
        end = std::max(end, slots[last].end);
      }
      choose(slots.data() + first, slots.data() + last);
      first = last;
    }
  }

  // Takes or leaves accesses that overlap together: no value may pass between a hooked and an
  // unhooked one.
  void choose(const Slot* begin, const Slot* end) {
    bool reads = false;
    std::vector<std::pair<std::int64_t, std::int64_t>> written;  // disjoint, in order
    for (const Slot* s = begin; s != end; ++s) {
      reads |= s->reads;
      if (!s->writes) {
        continue;
      }
      if (written.empty() || written.back().second < s->begin) {
        written.emplace_back(s->begin, s->end);
      } else {
        written.back().second = std::max(written.back().second, s->end);
      }
    }
    auto is_written = [&](const Slot& s) {
      auto next =
          std::upper_bound(written.begin(), written.end(),
                           std::make_pair(s.begin, std::numeric_limits<std::int64_t>::max()));
      return next != written.begin() && std::prev(next)->second >= s.end;
    };
    bool all_written = std::all_of(begin, end, [&](const Slot& s) { return is_written(s); });
    for (const Slot* s = begin; s != end && reads && all_written; ++s) {
      program_.make_private(s->site);
    }
  }

  Program& program_;
  std::vector<bool> starts_;            // per function: its code begins where a call enters it
  std::vector<std::vector<Cfa>> rows_;  // per function and instruction
  std::vector<bool> apart_;             // per function: no other code works in its frame
};

}  // namespace

void find_private_frames(Program& program) { PrivateFrames(program).run(); }

}  // namespace rff::instrument
