// The scores of a crowd's pending events, drawn as late as possible.
//
// Partial order sampling asks for the order of random scores and nothing else. With exponentially
// distributed ones, lowest first, the lowest of n that nobody has looked at yet is a single draw
// divided by n; it is anybody's of the n with the same chance; and the others are as far above it
// as new ones would be above zero. So all scores of a crowd are drawn anew in constant time, and
// its first is found in logarithmic time, however many threads it has.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "libsched/engine/thread.h"
#include "schedule/hash.h"

namespace rff {

// What partial order sampling keeps of a thread while it is pending.
struct Card {
  Thread* thread = nullptr;
  std::uint64_t score = 0;
  std::uint32_t hand = 0;   // the number of the hand it is in
  std::uint32_t place = 0;  // in that hand
};

// Scores are multiples of 2^-54.
inline constexpr int kScoreBits = 54;
inline constexpr std::uint64_t kNoScore = ~std::uint64_t{0};

// One factor, or both, are fractions in units of 2^-64.
constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}

// A division takes as long as the rest of a draw.
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

// Exponentially distributed: above each whole number half as often as above the one before, minus
// the binary logarithm of a uniform number. In integers, since the program may be using the
// floating-point registers. The logarithm of the fraction is by a polynomial, right to 2^-15.
inline std::uint64_t draw_score(Random& random) {
  std::uint64_t uniform = random.next() | 1;
  int halvings = std::countl_zero(uniform);
  std::uint64_t f = uniform << halvings << 1;  // uniform = (1 + f) / 2 / 2^halvings
  std::uint64_t p = 0x25ae849f639df000 - times(f, 0x0b58415fb2e34900);
  p = 0x444358f5615e0000 - times(f, p);
  p = 0x711d8bb93d324000 - times(f, p);
  std::uint64_t log = f + times(times(f, ~f), p);  // of 1 + f
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

  // All scores are drawn anew.
  void shuffle() {
    drawn_ = 0;
    floor_ = 0;
  }

  // The one with the lowest score. Requires: not empty.
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

  // Takes all of `other`'s threads, to draw for all of its threads anew; `number` is its own.
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

  // A thread that was not drawn joins the heap of those that are.
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

  // First those whose scores are drawn, as a heap; then those whose are not, and are above the
  // floor.
  std::vector<Card*> cards_;
  std::uint32_t drawn_ = 0;
  std::uint64_t floor_ = 0;  // 0: none are drawn
};

}  // namespace rff
