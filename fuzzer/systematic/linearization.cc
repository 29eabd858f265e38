#include "fuzzer/systematic/linearization.h"

namespace rff {

Linearization::Linearization(const ReadsFrom& reads_from, const std::vector<std::size_t>& set,
                             std::size_t reader, std::size_t writer, bool writes)
    : reads_from_(reads_from), steps_(set), changed_(set.size()), changed_writes_(writes) {
  steps_.push_back(reader);
  place_.assign(reads_from.all(), kNone);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    place_[steps_[i]] = i;
  }
  past_.resize(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Bits& past = i == changed_ ? reads_from.own_past(steps_[i]) : reads_from.past(steps_[i]);
    for (std::size_t k = 0; k < set.size(); ++k) {
      if (past.contains(set[k])) {
        past_[i].insert(k);
      }
    }
  }
  rival_of_.resize(steps_.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (reads_from.reads(set[i])) {
      std::size_t from = reads_from.writer(set[i]);
      add_read(i, from == ReadsFrom::kInitial ? kNone : place_[from]);
    }
  }
  add_read(changed_, writer == ReadsFrom::kInitial ? kNone : place_[writer]);
}

void Linearization::add_read(std::size_t reader, std::size_t writer) {
  Read read = {reader, writer, {}};
  auto add_rival = [&](std::size_t i) {
    if (i != kNone && i != reader && i != writer) {
      read.rivals.push_back(i);
      rival_of_[i].push_back(reads_.size());
    }
  };
  for (std::size_t step : reads_from_.writers_of(steps_[reader])) {
    if (step != steps_[changed_]) {
      add_rival(place_[step]);
    }
  }
  if (changed_writes_ && same_bytes(reads_from_.step(steps_[changed_]).touches[0],
                                    reads_from_.step(steps_[reader]).touches[0])) {
    add_rival(changed_);
  }
  if (writer != kNone) {
    order(writer, reader);
  }
  reads_.push_back(std::move(read));
}

void Linearization::order(std::size_t a, std::size_t b) {
  if (a == b || before(b, a)) {
    possible_ = false;
  }
  if (!possible_ || before(a, b)) {
    return;
  }
  Bits more = past_[a];
  more.insert(a);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (i == b || before(b, i)) {
      past_[i].insert(more);
    }
  }
}

bool Linearization::saturate() {
  for (bool again = true; again && possible_;) {
    again = false;
    for (const Read& r : reads_) {
      for (std::size_t rival : r.rivals) {
        if (before(rival, r.reader) && (r.writer == kNone || !before(rival, r.writer))) {
          if (r.writer == kNone) {
            return false;
          }
          order(rival, r.writer);
          again = true;
        } else if ((r.writer == kNone || before(r.writer, rival)) && !before(r.reader, rival)) {
          order(r.reader, rival);
          again = true;
        }
      }
    }
  }
  return possible_;
}

// Whether all that must come before is placed, and no read is left that must come before.
bool Linearization::can_be_placed(std::size_t i) const {
  if (!is_placed_.contains(past_[i])) {
    return false;
  }
  for (std::size_t n : rival_of_[i]) {
    const Read& r = reads_[n];
    if (!is_placed_.contains(r.reader) && (r.writer == kNone || is_placed_.contains(r.writer))) {
      return false;
    }
  }
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion)
bool Linearization::place() {
  if (placed_.size() == steps_.size()) {
    return true;
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (is_placed_.contains(i) || !can_be_placed(i)) {
      continue;
    }
    if (++attempts_ > kMostAttempts) {
      return false;
    }
    is_placed_.insert(i);
    placed_.push_back(i);
    if (place()) {
      return true;
    }
    placed_.pop_back();
    is_placed_.erase(i);
  }
  return false;
}

std::optional<std::vector<std::size_t>> Linearization::find() {
  if (!saturate() || !place()) {
    return std::nullopt;
  }
  std::vector<std::size_t> order;
  for (std::size_t i : placed_) {
    order.push_back(steps_[i]);
  }
  return order;
}

}  // namespace rff
