// The scores of a crowd's pending events, drawn as late as possible.
//
// Partial order sampling depends only on the order of random scores. Let them be exponentially
// distributed, lowest first. Then the lowest of n undrawn scores is a single draw divided by n;
// each of the n threads has it with equal probability; and the others are as far above it as new
// ones would be above zero. So all scores of a crowd are redrawn in constant time, and the lowest
// is found in logarithmic time, however many threads there are.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "libsched/engine/thread.h"
#include "schedule/hash.h"

namespace rff {

// State of partial order sampling for one pending thread.
struct Card {
  Thread* thread = nullptr;
  std::uint64_t score = 0;
  std::uint32_t hand = 0;   // number of the hand that holds it
  std::uint32_t place = 0;  // index in that hand
};

// Scores are multiples of 2^-54.
inline constexpr int kScoreBits = 54;
inline constexpr std::uint64_t kNoScore = ~std::uint64_t{0};

// At least one factor is a fraction in units of 2^-64.
constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}

// Avoids the division for small n: it takes as long as the rest of a draw.
inline std::uint64_t divided(std::uint64_t score, std::uint64_t n) {
  static constexpr auto kParts = [] {
    std::array<std::uint64_t, 64> parts = {};
    for (std::uint64_t i = 2; i < parts.size(); ++i) {
      parts[i] = ~std::uint64_t{0} / i;
    }
    return parts;
  }();
  return n < kParts.size() ? times(score, kParts[n]) : score / n;
}

// Draws an exponentially distributed score: minus the binary logarithm of a uniform number. Uses
// integers, since the program may be using the floating-point registers. A polynomial approximates
// the logarithm of the fraction to 2^-15.
inline std::uint64_t draw_score(Random& random) {
  std::uint64_t uniform = random.next() | 1;
  int halvings = std::countl_zero(uniform);
  std::uint64_t f = uniform << halvings << 1;  // uniform = (1 + f) / 2 / 2^halvings
  std::uint64_t p = 0x25ae849f639df000 - times(f, 0x0b58415fb2e34900);
  p = 0x444358f5615e0000 - times(f, p);
  p = 0x711d8bb93d324000 - times(f, p);
  std::uint64_t log = f + times(times(f, ~f), p);  // log2(1 + f)
  return ((static_cast<std::uint64_t>(halvings) + 1) << kScoreBits) - (log >> (64 - kScoreBits));
}

class Hand {
 public:
  bool empty() const { return cards_.empty(); }

  void add(Card& t, Random& random) {
    t.place = size();
    cards_.push_back(&t);
    if (floor_ > 0) {
      t.score = draw_score(random);
      draw(t);
    }
  }

  void remove(Card& t) {
    std::uint32_t free = t.place;
    if (free < drawn_) {
      Card& last = *cards_[--drawn_];
      if (&last != &t) {
        put(last, free);
        rise(last);
        sink(last);
      }
      free = drawn_;
    }
    if (free != size() - 1) {
      put(*cards_.back(), free);
    }
    cards_.pop_back();
    if (cards_.empty()) {
      floor_ = 0;
    }
  }

  // Redraws all scores.
  void shuffle() {
    drawn_ = 0;
    floor_ = 0;
  }

  // Returns the card with the lowest score. Requires: not empty.
  Card& first(Random& random) {
    if (drawn_ < size() && (drawn_ == 0 || cards_[0]->score > floor_)) {
      std::uint32_t n = size() - drawn_;
      std::uint64_t score = draw_score(random);
      Card* lowest = cards_[drawn_];
      if (n > 1) {
        score = divided(score, n);
        lowest = cards_[drawn_ + random.below(n)];
      }
      floor_ += score;
      lowest->score = floor_;
      draw(*lowest);
    }
    return *cards_[0];
  }

  // Moves all cards of `other` here and redraws their scores. `number`: this hand's number.
  void take_all(Hand& other, std::uint32_t number) {
    for (Card* t : other.cards_) {
      t->hand = number;
      t->place = size();
      cards_.push_back(t);
    }
    other.cards_.clear();
    other.shuffle();
    shuffle();
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(cards_.size()); }
  void put(Card& t, std::uint32_t at) {
    cards_[at] = &t;
    t.place = at;
  }

  // Draws the score of a card and moves it into the heap of drawn ones.
  void draw(Card& t) {
    put(*cards_[drawn_], t.place);
    put(t, drawn_++);
    rise(t);
  }
  void rise(Card& t) {
    std::uint32_t at = t.place;
    for (; at > 0 && cards_[(at - 1) / 2]->score > t.score; at = (at - 1) / 2) {
      put(*cards_[(at - 1) / 2], at);
    }
    put(t, at);
  }
  void sink(Card& t) {
    std::uint32_t at = t.place;
    for (std::uint32_t child; (child = 2 * at + 1) < drawn_; at = child) {
      child += child + 1 < drawn_ && cards_[child + 1]->score < cards_[child]->score;
      if (cards_[child]->score >= t.score) {
        break;
      }
      put(*cards_[child], at);
    }
    put(t, at);
  }

  // Cards with drawn scores first, as a heap; then those without, whose scores are above the floor.
  std::vector<Card*> cards_;
  std::uint32_t drawn_ = 0;
  std::uint64_t floor_ = 0;  // 0: no score is drawn
};

}  // namespace rff
