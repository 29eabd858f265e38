// Finds an order of steps in which each of them reads from a given one.
//
// First what must come before what is saturated: a write that comes before a read comes before what
// is read, and one that comes after what is read comes after the read. Then the steps are placed
// one by one, in the order of their run as far as possible, with a search where that fails. To find
// out whether there is such an order at all is NP-complete; after saturation the search hardly ever
// has to go back (Abdulla, Atig, Jonsson, Lång, Ngo, Sagonas: Optimal Stateless Model Checking for
// Reads-From Equivalence under Sequential Consistency, OOPSLA 2019).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fuzzer/systematic/reads_from.h"

namespace rff {

class Linearization {
 public:
  // The steps of `set`, and step `reader`, which is not in it and reads from `writer` of the set or
  // from ReadsFrom::kInitial. `writes`: whether it writes then, too.
  Linearization(const ReadsFrom& reads_from, const std::vector<std::size_t>& set,
                std::size_t reader, std::size_t writer, bool writes);

  // The steps in such an order; nothing if there is none, or if it is not found: see gave_up.
  std::optional<std::vector<std::size_t>> find();
  bool gave_up() const { return attempts_ > kMostAttempts; }

 private:
  static constexpr std::size_t kMostAttempts = 100'000;
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Numbers are places in `steps_` from here on.
  struct Read {
    std::size_t reader, writer;       // kNone: the initial value
    std::vector<std::size_t> rivals;  // other writers of the same
  };
  void add_read(std::size_t reader, std::size_t writer);
  bool before(std::size_t a, std::size_t b) const { return past_[b].contains(a); }
  void order(std::size_t a, std::size_t b);
  bool saturate();
  bool place();
  bool can_be_placed(std::size_t i) const;

  const ReadsFrom& reads_from_;
  std::vector<std::size_t> steps_;
  std::vector<std::size_t> place_;  // of each step of the run in steps_, or kNone
  std::size_t changed_;             // the place of the reader
  bool changed_writes_;
  std::vector<Bits> past_;
  std::vector<Read> reads_;
  std::vector<std::vector<std::size_t>> rival_of_;  // of each step: the reads it must not precede
  bool possible_ = true;
  std::vector<std::size_t> placed_;
  Bits is_placed_;
  std::size_t attempts_ = 0;
};

}  // namespace rff
