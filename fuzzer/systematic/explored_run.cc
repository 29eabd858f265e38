#include "fuzzer/systematic/explored_run.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "fuzzer/systematic/near_steps.h"
#include "fuzzer/systematic/outside_steps.h"

namespace rff {
namespace {

constexpr std::size_t kNoStep = ~std::size_t{0};
// A place that stops a run so often is no scheduling point any more from then on (libsched/memory).
constexpr std::size_t kMostStopsOfAPlace = 4096;

// Operations without an effect on others, which are not steps but when a timeout ends them.
bool can_be_no_step(OpKind op) {
  using enum OpKind;
  return contains(op_set(kThreadCreate, kThreadStart, kThreadJoin, kWake, kYield), op);
}

constexpr std::uint64_t kObject = 1;  // the size of synchronization objects, which do not overlap
bool is_object(OpKind op) { return !op_accesses(op) && op != OpKind::kAllocate; }

Touch touch_of(const Step& step, const AbstractEvent& event) {
  std::uint64_t size = op_accesses(event.op) ? std::max<std::uint64_t>(event.size, 1) : kObject;
  return {step.address, step.address + size, event.reads(), event.writes(), is_object(event.op)};
}

// The values in memory, as far as accesses have shown them.
class KnownValues {
 public:
  // `value`: in place, in the word that the access begins in. Returns whether it was known to be
  // there before.
  bool access(const Touch& touch, std::uint64_t value) {
    std::uint64_t first = touch.begin / 8, last = (touch.end - 1) / 8;
    if (first != last) {
      for (std::uint64_t word = first; word <= last && touch.writes; ++word) {
        words_.erase(word);
      }
      return false;
    }
    std::uint64_t from = touch.begin % 8 * 8, bits = (touch.end - touch.begin) * 8;
    std::uint64_t mask = (bits == 64 ? 0 : std::uint64_t{1} << bits) - 1;
    mask <<= from;
    Word& w = words_[first];
    bool same = (w.known & mask) == mask && ((w.value ^ value) & mask) == 0;
    w.value = (w.value & ~mask) | (value & mask);
    w.known |= mask;
    return same;
  }

 private:
  struct Word {
    std::uint64_t value = 0, known = 0;
  };
  std::unordered_map<std::uint64_t, Word> words_;
};

}  // namespace

// Reads the record. Blocks are steps and what is none, in order.
class ExploredRun::Reader {
 public:
  Reader(ExploredRun& result, const RunSummary& run) : result_(result), run_(run) {}

  void read() {
    blocks.reserve(run_.steps.size());
    result_.steps_.reserve(run_.steps.size());
    for (std::size_t i = 0; i < run_.steps.size() && result_.problem_.empty(); ++i) {
      add(run_.steps[i]);
      add_values(i + 1);
    }
    if (at_ < run_.considered.size() && result_.problem_.empty()) {
      read_pending();
    }
  }

  std::vector<ExploredStep> blocks;
  std::vector<std::size_t> number;  // of each block as a step, or kNoStep

 private:
  void add(const Step& step) {
    if (step.event >= run_.events.size()) {
      result_.problem_ = "the record of a run is damaged";
      return;
    }
    const AbstractEvent& event = run_.events[step.event];
    Touch touch = touch_of(step, event);
    if (op_accesses(event.op)) {
      touch.silent = values_.access(touch, step.value) && touch.writes;
    }
    if ((step.check & Step::kPoint) != 0) {
      begin_block(step, event, touch);
    } else if (last_block_.contains(step.thread)) {
      blocks[last_block_[step.thread]].touches.push_back(touch);
    }
  }

  void begin_block(const Step& step, const AbstractEvent& event, const Touch& touch) {
    ExploredStep block;
    block.thread = step.thread;
    block.check = static_cast<std::uint16_t>(step.check & ~Step::kPoint);
    block.op = event.op;
    block.touches.push_back(touch);
    bool may_be_passed = op_accesses(event.op) || event.op == OpKind::kCall;
    if (++stops_[event.site.packed()] > kMostStopsOfAPlace && may_be_passed) {
      result_.problem_ = "a place stops a run more than 4,096 times";
      result_.cut_loop_ = true;
    }
    bool is_step = take_choice(block);
    if (!is_step && !can_be_no_step(event.op)) {
      result_.problem_ = "the record of a run has a step without a choice";
    }
    last_block_[step.thread] = blocks.size();
    passes_[step.thread].push_back({blocks.size(), result_.steps_.size()});
    number.push_back(is_step ? result_.steps_.size() : kNoStep);
    // Only the step has the options, which are many.
    ExploredStep& same = blocks.emplace_back();
    same.thread = block.thread;
    same.check = block.check;
    same.op = block.op;
    same.touches = block.touches;
    same.awaited = block.awaited;
    if (is_step) {
      result_.steps_.push_back(std::move(block));
    }
  }

  // Takes the options of the next choice, if that is this step.
  bool take_choice(ExploredStep& step) {
    std::size_t end = at_;
    const ConsideredAction* chosen = nullptr;
    while (end < run_.considered.size() &&
           run_.considered[end].choice == run_.considered[at_].choice) {
      chosen = run_.considered[end].chosen() ? &run_.considered[end] : chosen;
      ++end;
    }
    if (chosen == nullptr || chosen->thread != step.thread ||
        !step.check.matches(chosen->action & 0x7fff)) {
      return false;
    }
    for (; at_ < end; ++at_) {
      result_.cut_loop_ |= (run_.considered[at_].flags & ConsideredAction::kSpinsLeft) != 0;
      step.options.push_back(run_.considered[at_].thread);
      step.option_checks.push_back(EventCheck::of(run_.considered[at_].action));
    }
    add_flags(step, *chosen);
    if ((chosen->flags & ConsideredAction::kOverruled) != 0) {
      result_.problem_ = "a thread was passed over for so long that it had to run";
    }
    return true;
  }

  void add_flags(ExploredStep& step, const ConsideredAction& action) {
    step.may_wait = (action.flags & ConsideredAction::kMayWait) != 0;
    step.may_write = (action.flags & ConsideredAction::kWrites) != 0;
    step.may_fail = (action.flags & ConsideredAction::kMayFail) != 0;
    if ((action.flags & ConsideredAction::kAwaits) != 0) {
      add_awaited(step, action.state);
    }
  }

  // Adds what the thread has touched since it was about to make the same step.
  void add_awaited(ExploredStep& step, std::uint64_t address) {
    const std::vector<OwnBlock>& own = passes_[step.thread];
    for (std::size_t i = own.size(); i-- > 0;) {
      const ExploredStep& block = blocks[own[i].block];
      for (const Touch& t : block.touches) {
        bool known = std::any_of(
            step.awaited.begin(), step.awaited.end(),
            [&](const AwaitedChange& a) { return a.begin == t.begin && a.end == t.end; });
        if (!known && !touches_nothing(t)) {
          step.awaited.push_back({t.begin, t.end, own[i].steps});
        }
      }
      if (block.touches[0].begin == address && block.check.id_bits() == step.check.id_bits()) {
        return;
      }
    }
    result_.problem_ = "the record of a run has a wait without a loop";
  }

  void add_values(std::size_t steps) {
    for (; value_ < run_.world_choices.size() && run_.world_choices[value_].steps <= steps;
         ++value_) {
      const WorldChoice& c = run_.world_choices[value_];
      if (result_.steps_.empty() || c.bound < 2 || c.value >= c.bound) {
        result_.problem_ = "the program's world chose before the first step";
        return;
      }
      // The choice is that of the step under way, which is the last one.
      result_.steps_.back().values.push_back(c.value);
      result_.steps_.back().bounds.push_back(c.bound);
    }
  }

  void read_pending() {
    for (; at_ < run_.considered.size(); ++at_) {
      const ConsideredAction& a = run_.considered[at_];
      if (a.chosen()) {
        result_.problem_ = "the record of a run has a choice without a step";
      }
      ExploredStep step;
      step.thread = a.thread;
      step.op = a.op;
      step.check = EventCheck::of(a.action);
      add_flags(step, a);
      std::uint64_t size = is_object(a.op) ? kObject : std::max<std::uint64_t>(a.size, 1);
      step.touches.push_back({a.state, a.state + size, true, step.may_write, is_object(a.op)});
      result_.pending_.push_back(std::move(step));
    }
  }

  ExploredRun& result_;
  const RunSummary& run_;
  std::size_t at_ = 0;     // in `considered`
  std::size_t value_ = 0;  // in `world_choices`
  std::unordered_map<std::uint16_t, std::size_t> last_block_;
  std::unordered_map<std::uint64_t, std::size_t> stops_;  // by site
  struct OwnBlock {
    std::size_t block;
    std::size_t steps;  // of the run before it
  };
  std::unordered_map<std::uint16_t, std::vector<OwnBlock>> passes_;  // the blocks of each thread
  KnownValues values_;
};

ExploredRun::ExploredRun(const RunSummary& run, bool chosen_points, Detail detail) {
  if (run.cut_short) {
    problem_ = "a run is longer than its record";
    return;
  }
  Reader reader(*this, run);
  reader.read();
  if (problem_.empty()) {
    // A step includes all that its thread did up to the next scheduling point.
    for (std::size_t i = 0; i < reader.blocks.size(); ++i) {
      if (reader.number[i] != kNoStep) {
        steps_[reader.number[i]].touches = reader.blocks[i].touches;
      }
    }
    if (run.failed() && !fails_together(run.finding)) {
      failed_outside_steps_ = reader.number.empty() || reader.number.back() == kNoStep;
      if (!failed_outside_steps_) {
        steps_.back().ends_process = reader.blocks.back().ends_process = true;
      }
    }
    if (chosen_points) {
      std::vector<bool> is_step(reader.number.size());
      std::transform(reader.number.begin(), reader.number.end(), is_step.begin(),
                     [](std::size_t n) { return n != kNoStep; });
      acts_outside_steps_ = conflicts_outside_steps(reader.blocks, is_step);
    }
    if (detail != Detail::kSteps) {
      find_reads_from(reader.blocks, reader.number);
    }
    if (detail != Detail::kOrder) {
      return;
    }
    order_steps(reader.blocks, reader.number);
    order_pending();
    for (std::size_t i = 0; i < reader.blocks.size(); ++i) {
      reads_outside_steps_ |=
          reader.number[i] == kNoStep && reads_what_others_write(reader.blocks[i], reader.blocks);
    }
  }
}

void ExploredRun::order_steps(const std::vector<ExploredStep>& blocks,
                              std::span<const std::size_t> number) {
  // For each block the steps that happen before it, and, at last, itself.
  std::vector<Bits> until(blocks.size());
  std::vector<Bits> by_threads(blocks.size());  // the same by the order of each thread and by joins
  NearSteps near;
  std::map<std::uint16_t, std::size_t> last;
  std::vector<std::size_t> creators = {kNoStep};  // by thread, in order of creation
  closure_.resize(steps_.size());
  own_.resize(steps_.size());
  by_threads_.resize(steps_.size());
  for (std::size_t j = 0; j < blocks.size(); ++j) {
    std::uint16_t thread = blocks[j].thread;
    if (auto it = last.find(thread); it != last.end()) {
      until[j] = until[it->second];
      by_threads[j] = by_threads[it->second];
    } else if (thread < creators.size() && creators[thread] != kNoStep) {
      until[j] = until[creators[thread]];
      by_threads[j] = by_threads[creators[thread]];
    }
    if (number[j] != kNoStep) {
      own_[number[j]] = until[j];
    }
    for (std::size_t k : near.before(blocks, j)) {
      if (blocks[k].thread != thread && conflict(blocks[k], blocks[j])) {
        until[j].insert(until[k]);
        if (number[j] == kNoStep && conflict_with_operation(blocks[k], blocks[j])) {
          by_threads[j].insert(by_threads[k]);
        }
      }
    }
    if (number[j] != kNoStep) {
      closure_[number[j]] = until[j];
      by_threads_[number[j]] = by_threads[j];
      until[j].insert(number[j]);
      by_threads[j].insert(number[j]);
    }
    if (blocks[j].op == OpKind::kThreadCreate) {
      creators.push_back(j);
    }
    last[thread] = j;
  }
  for (const ExploredStep& p : pending_) {
    auto it = last.find(p.thread);
    bool created = p.thread < creators.size() && creators[p.thread] != kNoStep;
    by_threads_.push_back(it != last.end() ? by_threads[it->second]
                          : created        ? by_threads[creators[p.thread]]
                                           : Bits());
  }
}

// Apart from the operation itself.
bool ExploredRun::reads_what_others_write(const ExploredStep& block,
                                          const std::vector<ExploredStep>& blocks) const {
  for (std::size_t n = 1; n < block.touches.size(); ++n) {
    for (const ExploredStep& other : blocks) {
      for (const Touch& t : other.touches) {
        if (other.thread != block.thread && block.touches[n].reads && t.writes &&
            same_bytes(t, block.touches[n])) {
          return true;
        }
      }
    }
  }
  return false;
}

void ExploredRun::order_pending() {
  std::map<std::uint16_t, std::size_t> last;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    last[steps_[i].thread] = i;
  }
  for (const ExploredStep& p : pending_) {
    Bits own;
    if (auto it = last.find(p.thread); it != last.end()) {
      own = closure_[it->second];
      own.insert(it->second);
    }
    Bits all = own;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].thread != p.thread && conflict(steps_[i], p)) {
        all.insert(closure_[i]);
        all.insert(i);
      }
    }
    closure_.push_back(std::move(all));
    own_.push_back(std::move(own));
  }
}

// Also what is read in what is no step counts: the main thread reads when it has joined all others,
// say.
void ExploredRun::find_reads_from(const std::vector<ExploredStep>& blocks,
                                  std::span<const std::size_t> number) {
  std::map<std::uint16_t, std::uint64_t> ordinals;
  std::vector<std::uint64_t> names;  // of the blocks: the thread, and how many steps it made before
  for (std::size_t j = 0; j < blocks.size(); ++j) {
    bool is_step = number[j] != kNoStep;
    std::uint64_t ordinal = ordinals[blocks[j].thread] += is_step ? 1 : 0;
    names.push_back(hash_combine(blocks[j].thread + 1, ordinal));
    reads_from_ += is_step ? mix64(names[j]) : 0;
    for (std::size_t n = is_step ? 0 : 1; n < blocks[j].touches.size(); ++n) {
      const Touch& read = blocks[j].touches[n];
      std::uint64_t writer = 0;
      for (std::size_t i = j; i-- > 0 && writer == 0 && read.reads;) {
        for (const Touch& w : blocks[i].touches) {
          writer = w.writes && same_bytes(w, read) ? names[i] : writer;
        }
      }
      // Whether a read of what nobody has written is in the record depends on who else came near.
      if (writer != 0) {
        reads_from_ += hash_combine(hash_combine(names[j], n == 0 ? 0 : read.begin), writer);
      }
    }
  }
}

}  // namespace rff
