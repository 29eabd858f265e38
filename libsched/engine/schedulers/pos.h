// Partial order sampling: every pending event has a random score, and the lowest runs. Then the
// scores of that event and of the events racing with it are redrawn.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "libsched/engine/schedulers/hand.h"
#include "libsched/engine/schedulers/scheduler.h"
#include "libsched/engine/schedulers/tournament.h"
#include "schedule/flat_map.h"

namespace rff {

enum class Sampling : std::uint8_t {
  kUsual,
  // A thread about to access a place that no thread has written since its own last access is less
  // likely to run: in between, other threads do the most harm. Its probability is never zero, or
  // loops around such a pair would go on forever.
  kWindow,
  kBasic,  // no score is drawn anew
};

class PartialOrderSampling : public Scheduler, protected CrowdListener {
 public:
  explicit PartialOrderSampling(std::uint64_t seed, Sampling sampling = Sampling::kUsual)
      : random_(seed),
        window_(sampling == Sampling::kWindow),
        draws_anew_(sampling != Sampling::kBasic) {}

  CrowdListener* crowds() override { return this; }

  void pending(Thread& t) override {
    bool inside = window_ && inside_window(t);
    Card& card = card_of(t);
    card.hand = number(*t.crowd, inside);
    if (card.hand >= hands_.size()) {
      hands_.resize(card.hand + 1);
    }
    Seat& seat = hands_[card.hand];
    seat.crowd = t.crowd;
    seat.hand.add(card, random_);
    stale(card.hand);
  }

  void withdrawn(Thread& t) override {
    Card& card = *cards_[t.index];
    hands_[card.hand].hand.remove(card);
    stale(card.hand);
  }

  void reconsider(const Crowd& crowd) override {
    for (std::uint32_t n : {number(crowd, false), number(crowd, window_)}) {
      if (n < hands_.size()) {
        stale(n);
      }
    }
  }

  Thread* pick(const PendingThreads&) override {
    refresh();
    return first_in(scores_.best());
  }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    if (draws_anew_) {
      others.for_each_racing(t, [&](const Crowd& c) { draw_anew(c, op.writes()); });
    }
    if (window_ && op.address != 0) {
      remember(t, op);
    }
  }

 protected:
  // Return the thread with the lowest score among `crowds`, and among all others; null if there is
  // none.
  Thread* first_of(std::span<const Crowd* const> crowds) {
    refresh();
    std::uint64_t best = kNoScore;
    std::size_t where = 0;
    for_each_hand(crowds, [&](std::uint32_t n) {
      if (scores_[n] < best) {
        best = scores_[n];
        where = n;
      }
    });
    return best != kNoScore ? first_in(where) : nullptr;
  }
  Thread* first_without(std::span<const Crowd* const> crowds) {
    refresh();
    for_each_hand(crowds, [&](std::uint32_t n) {
      scores_.set(n, kNoScore);
      stale(n);
    });
    std::size_t best = scores_.best();
    return scores_[best] != kNoScore ? first_in(best) : nullptr;
  }

 private:
  // log2 5: as if a uniform score, of which the highest runs first, were divided by 5.
  static constexpr std::uint64_t kWindowPenalty = 41'828'138'011'663'240;

  // The threads of a crowd that are inside a window, or those that are not.
  struct Seat {
    Hand hand;
    const Crowd* crowd = nullptr;
    bool stale = false;
  };

  Card& card_of(Thread& t) {
    if (t.index >= cards_.size()) {
      cards_.resize(t.index + 1);
    }
    std::unique_ptr<Card>& card = cards_[t.index];
    if (card == nullptr) {
      card = std::make_unique<Card>();
      card->thread = &t;
    }
    return *card;
  }

  std::uint32_t number(const Crowd& crowd, bool inside) const {
    return window_ ? 2 * crowd.number + (inside ? 1 : 0) : crowd.number;
  }
  template <typename Visit>
  void for_each_hand(std::span<const Crowd* const> crowds, Visit visit) {
    for (const Crowd* c : crowds) {
      visit(number(*c, false));
      if (window_ && number(*c, true) < hands_.size()) {
        visit(number(*c, true));
      }
    }
  }

  // Marks the hand's score in the tournament as outdated.
  void stale(std::uint32_t n) {
    if (!hands_[n].stale) {
      hands_[n].stale = true;
      stale_.push_back(n);
    }
  }
  void refresh() {
    for (std::uint32_t n : stale_) {
      Seat& seat = hands_[n];
      seat.stale = false;
      bool runs = !seat.hand.empty() && seat.crowd->may_run();
      scores_.set(n, runs ? seat.hand.first(random_).score + penalty(n) : kNoScore);
    }
    stale_.clear();
  }
  std::uint64_t penalty(std::uint32_t n) const {
    return window_ && n % 2 == 1 ? kWindowPenalty : 0;
  }
  Thread* first_in(std::size_t n) { return hands_[n].hand.first(random_).thread; }

  void draw_anew(const Crowd& crowd, bool written) {
    std::uint32_t outside = number(crowd, false);
    hands_[outside].crowd = &crowd;
    hands_[outside].hand.shuffle();
    stale(outside);
    std::uint32_t inside = number(crowd, true);
    if (window_ && inside < hands_.size()) {
      if (written) {
        hands_[outside].hand.take_all(hands_[inside].hand, outside);
      } else {
        hands_[inside].hand.shuffle();
      }
      stale(inside);
    }
  }

  static std::uint64_t key(const Thread& t, std::uint64_t address) {
    return address * 1009 + t.index;
  }

  bool inside_window(const Thread& t) const {
    const auto* mine = used_.find(key(t, t.pending->address));
    if (mine == nullptr) {
      return false;
    }
    const auto* written = written_.find(t.pending->address);
    return written == nullptr || written->value <= mine->value;
  }

  void remember(const Thread& t, const Operation& op) {
    ++now_;
    used_[key(t, op.address)] = now_;
    if (op.writes()) {
      written_[op.address] = now_;
    }
  }

  Random random_;
  bool window_;
  bool draws_anew_;
  std::vector<std::unique_ptr<Card>> cards_;  // by Thread::index
  std::vector<Seat> hands_;
  Tournament scores_;  // lowest score in each hand that may run
  std::vector<std::uint32_t> stale_;
  std::uint64_t now_ = 0;
  FlatMap<std::uint64_t> used_;     // (thread, address) → time of the last access
  FlatMap<std::uint64_t> written_;  // address → time of the last write
};

}  // namespace rff
