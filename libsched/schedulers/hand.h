// The scores of a crowd's pending events, drawn as late as possible.
//
// Partial order sampling asks for the order of random scores and nothing else. With exponentially
// distributed ones, lowest first, the lowest of n that nobody has looked at yet is a single draw
// divided by n; it is anybody's of the n with the same chance; and the others are as far above it
// as new ones would be above zero. So all scores of a crowd are drawn anew in constant time, and
// its first is found in logarithmic time, however many threads it has.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/thread.h"
#include "schedule/hash.h"

namespace rff {

// Scores are multiples of 2^-54.
inline constexpr int kScoreBits = 54;
inline constexpr std::uint64_t kNoScore = ~std::uint64_t{0};

// Exponentially distributed with mean 1. By comparisons alone (von Neumann, 1951), since the
// program may be using the floating-point registers: uniform numbers are drawn while they decrease;
// the first of them is the fraction if that was an odd number of times, else the next run counts
// from one more.
inline std::uint64_t draw_score(Random& random) {
  for (std::uint64_t whole = 0;; ++whole) {
    std::uint64_t first = random.next();
    bool odd = true;
    std::uint64_t last = first;
    for (std::uint64_t next; (next = random.next()) < last; last = next) {
      odd = !odd;
    }
    if (odd) {
      return (whole << kScoreBits) + (first >> (64 - kScoreBits));
    }
  }
}

class Hand {
 public:
  bool empty() const { return hidden_.empty() && drawn_.empty(); }

  void add(Thread& t, Random& random) {
    if (floor_ == 0) {
      hide(t);
    } else {
      t.score = draw_score(random);
      draw(t);
    }
  }

  void remove(Thread& t) {
    if (t.drawn) {
      Thread& last = *drawn_.back();
      drawn_.pop_back();
      if (&last != &t) {
        put(last, t.place_in_hand);
        rise(last);
        sink(last);
      }
    } else {
      Thread& last = *hidden_.back();
      hidden_.pop_back();
      if (&last != &t) {
        hidden_[t.place_in_hand] = &last;
        last.place_in_hand = t.place_in_hand;
      }
    }
    if (empty()) {
      floor_ = 0;
    }
  }

  // All scores are drawn anew.
  void shuffle() {
    for (Thread* t : drawn_) {
      hide(*t);
    }
    drawn_.clear();
    floor_ = 0;
  }

  // The one with the lowest score. Requires: not empty.
  Thread& first(Random& random) {
    if (!hidden_.empty() && (drawn_.empty() || drawn_[0]->score > floor_)) {
      std::size_t n = hidden_.size();
      Thread& lowest = *hidden_[n > 1 ? random.below(n) : 0];
      floor_ += n > 1 ? draw_score(random) / n : draw_score(random);
      hidden_.back()->place_in_hand = lowest.place_in_hand;
      hidden_[lowest.place_in_hand] = hidden_.back();
      hidden_.pop_back();
      lowest.score = floor_;
      draw(lowest);
    }
    return *drawn_[0];
  }

  // Takes all of `other`'s threads, to draw for all of its threads anew; `number` is its own.
  void take_all(Hand& other, std::uint32_t number) {
    shuffle();
    other.shuffle();
    for (Thread* t : other.hidden_) {
      t->hand = number;
      hide(*t);
    }
    other.hidden_.clear();
  }

 private:
  void hide(Thread& t) {
    t.drawn = false;
    t.place_in_hand = static_cast<std::uint32_t>(hidden_.size());
    hidden_.push_back(&t);
  }

  // drawn_ is a heap.
  void draw(Thread& t) {
    t.drawn = true;
    t.place_in_hand = static_cast<std::uint32_t>(drawn_.size());
    drawn_.push_back(&t);
    rise(t);
  }
  void put(Thread& t, std::uint32_t place) {
    drawn_[place] = &t;
    t.place_in_hand = place;
  }
  void rise(Thread& t) {
    std::uint32_t place = t.place_in_hand;
    for (; place > 0 && drawn_[(place - 1) / 2]->score > t.score; place = (place - 1) / 2) {
      put(*drawn_[(place - 1) / 2], place);
    }
    put(t, place);
  }
  void sink(Thread& t) {
    std::uint32_t place = t.place_in_hand;
    for (std::uint32_t child; (child = 2 * place + 1) < drawn_.size(); place = child) {
      child += child + 1 < drawn_.size() && drawn_[child + 1]->score < drawn_[child]->score;
      if (drawn_[child]->score >= t.score) {
        break;
      }
      put(*drawn_[child], place);
    }
    put(t, place);
  }

  std::vector<Thread*> hidden_;  // whose scores are above the floor, and not drawn yet
  std::vector<Thread*> drawn_;
  std::uint64_t floor_ = 0;  // 0: all are hidden
};

}  // namespace rff
