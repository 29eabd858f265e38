#include "fuzzer/core/input_mutators.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace rff {
namespace {

constexpr std::size_t kLongestPart = 32;       // that one step inserts, deletes or copies
constexpr std::uint64_t kMostDifference = 35;  // of arithmetic, as in AFL

constexpr std::int64_t kInteresting[] = {
    0,         1,        -1,     2,     10,    16,          32,         64,
    100,       127,      -128,   255,   256,   512,         1000,       1024,
    4096,      32767,    -32768, 65535, 65536, 100'663'045, 2147483647, -2147483648LL,
    INT64_MAX, INT64_MIN};

std::int64_t interesting(Random& random) {
  return kInteresting[random.below(std::size(kInteresting))];
}

// 1, 2, 4 or 8, at most `room`.
std::size_t some_width(std::size_t room, Random& random) {
  std::size_t width = std::size_t{1} << random.below(4);
  while (width > room) {
    width /= 2;
  }
  return width;
}

std::uint64_t word_at(const std::string& input, std::size_t at, std::size_t width, bool swapped) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < width; ++i) {
    std::size_t from = swapped ? width - 1 - i : i;
    word |= std::uint64_t{static_cast<unsigned char>(input[at + from])} << (8 * i);
  }
  return word;
}
void set_word(std::string& input, std::size_t at, std::size_t width, bool swapped,
              std::uint64_t word) {
  for (std::size_t i = 0; i < width; ++i) {
    input[at + (swapped ? width - 1 - i : i)] = static_cast<char>(word >> (8 * i));
  }
}

// A place of a word, and its byte order.
struct Place {
  std::size_t at = 0, width = 0;
  bool swapped = false;
};
Place some_place(const std::string& input, Random& random) {
  Place p;
  p.width = some_width(input.size(), random);
  p.at = random.below(input.size() - p.width + 1);
  p.swapped = random.chance(1, 4);
  return p;
}

void flip_bit(std::string& input, Random& random) {
  if (!input.empty()) {
    std::size_t bit = random.below(input.size() * 8);
    input[bit / 8] = static_cast<char>(input[bit / 8] ^ (1 << bit % 8));
  }
}

void set_byte(std::string& input, Random& random) {
  if (!input.empty()) {
    input[random.below(input.size())] = static_cast<char>(random.below(256));
  }
}

void add_number(std::string& input, Random& random) {
  if (input.empty()) {
    return;
  }
  Place p = some_place(input, random);
  std::uint64_t difference = 1 + random.below(kMostDifference);
  std::uint64_t word = word_at(input, p.at, p.width, p.swapped);
  set_word(input, p.at, p.width, p.swapped,
           random.chance(1, 2) ? word + difference : word - difference);
}

void set_interesting(std::string& input, Random& random) {
  if (!input.empty()) {
    Place p = some_place(input, random);
    set_word(input, p.at, p.width, p.swapped, static_cast<std::uint64_t>(interesting(random)));
  }
}

void insert_part(std::string& input, Random& random) {
  std::size_t length = 1 + random.below(kLongestPart);
  std::string part;
  switch (random.below(3)) {
    case 0: part.assign(some_width(8, random), '\0'); break;
    case 1: part.assign(length, static_cast<char>(random.below(256))); break;
    default:
      for (std::size_t i = 0; i < length; ++i) {
        part += static_cast<char>(random.below(256));
      }
  }
  input.insert(random.chance(1, 2) ? input.size() : random.below(input.size() + 1), part);
}

void delete_part(std::string& input, Random& random) {
  if (!input.empty()) {
    std::size_t at = random.below(input.size());
    input.erase(at, 1 + random.below(std::min(kLongestPart, input.size() - at)));
  }
}

void copy_part(std::string& input, Random& random) {
  if (input.empty()) {
    return;
  }
  std::size_t from = random.below(input.size());
  std::string part =
      input.substr(from, 1 + random.below(std::min(kLongestPart, input.size() - from)));
  std::size_t at = random.below(input.size() + 1);
  if (random.chance(1, 2)) {
    input.insert(at, part);
  } else {
    input.replace(at, part.size(), part);
  }
}

void take_from_other(std::string& input, const std::string& other, Random& random) {
  if (other.empty()) {
    return;
  }
  std::size_t from = random.below(other.size());
  std::string part = other.substr(from, 1 + random.below(other.size() - from));
  std::size_t at = random.below(input.size() + 1);
  if (random.chance(1, 2)) {
    input.erase(at);
    input += part;
  } else {
    input.replace(at, part.size(), part);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One place of those that have some of `Member`; null: none has. Every other time one where the
// operands never agreed, if there is one.
template <auto Member>
const PlaceHints* some_place_with(const InputHints& hints, Random& random) {
  const bool unsolved = random.chance(1, 2);
  for (bool only_unsolved : {unsolved, false}) {
    std::vector<const PlaceHints*> places;
    for (const PlaceHints& p : hints) {
      if (!(p.*Member).empty() && !(only_unsolved && p.agreed)) {
        places.push_back(&p);
      }
    }
    if (!places.empty()) {
      return places[random.below(places.size())];
    }
  }
  return nullptr;
}

// What a comparison asks for matters where it was made.
void follow(const PlaceHints& place, Mutant& mutant) {
  if (std::shared_ptr<const Schedule> schedule = place.reached_by.lock()) {
    mutant.schedule = std::move(schedule);
  }
}

void put_word(Mutant& mutant, const std::vector<std::string>& dictionary, const InputHints& hints,
              Random& random) {
  const PlaceHints* place = dictionary.empty() || random.chance(1, 2)
                                ? some_place_with<&PlaceHints::words>(hints, random)
                                : nullptr;
  if (place == nullptr && dictionary.empty()) {
    return;
  }
  if (place != nullptr) {
    follow(*place, mutant);
  }
  std::string& input = mutant.bytes;
  const std::vector<std::string>& words = place != nullptr ? place->words : dictionary;
  const std::string& word = words[random.below(words.size())];
  std::size_t at = random.below(input.size() + 1);
  if (random.chance(1, 2)) {
    insert_word(input, at, word);
  } else {
    input.replace(at, word.size(), word);
  }
}

// Replaces a decimal number by another one.
void change_number(std::string& input, Random& random) {
  std::vector<std::size_t> numbers;  // where they begin
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (is_digit(input[i]) && (i == 0 || !is_digit(input[i - 1]))) {
      numbers.push_back(i);
    }
  }
  if (numbers.empty()) {
    return;
  }
  std::size_t at = numbers[random.below(numbers.size())];
  std::size_t end = at;
  while (end < input.size() && is_digit(input[end])) {
    ++end;
  }
  std::uint64_t value = 0;
  std::from_chars(input.data() + at, input.data() + end, value);
  switch (random.below(3)) {
    case 0: value += 1 + random.below(kMostDifference); break;
    case 1: value -= 1 + random.below(kMostDifference); break;
    default: value = static_cast<std::uint64_t>(interesting(random));
  }
  input.replace(at, end - at, std::to_string(static_cast<std::int64_t>(value)));
}

// One step. A step that has nothing to work on changes nothing.
void change(Mutant& mutant, const std::string& other, const InputHints& hints,
            const InputRules& rules, Random& random) {
  std::string& input = mutant.bytes;
  switch (random.below(10)) {
    case 0: flip_bit(input, random); break;
    case 1: set_byte(input, random); break;
    case 2: add_number(input, random); break;
    case 3: set_interesting(input, random); break;
    case 4: insert_part(input, random); break;
    case 5: delete_part(input, random); break;
    case 6: copy_part(input, random); break;
    case 7: take_from_other(input, other, random); break;
    case 8: put_word(mutant, rules.dictionary, hints, random); break;
    default: change_number(input, random);
  }
}

bool overlap(const Substitution& a, const Substitution& b) {
  return a.position < b.position + std::max<std::size_t>(b.length, 1) &&
         b.position < a.position + std::max<std::size_t>(a.length, 1);
}

// Puts what comparisons ask for at up to `count` positions that do not overlap. Positions are those
// of the parent.
void substitute(Mutant& mutant, const InputHints& hints, std::size_t count, Random& random) {
  std::vector<const Substitution*> chosen;
  for (std::size_t k = 0; k < count; ++k) {
    const PlaceHints* place = some_place_with<&PlaceHints::substitutions>(hints, random);
    if (place == nullptr) {
      return;
    }
    const std::vector<Substitution>& all = place->substitutions;
    const Substitution& s = all[std::min(random.below(all.size()), random.below(all.size()))];
    if (std::none_of(chosen.begin(), chosen.end(),
                     [&](const Substitution* other) { return overlap(s, *other); })) {
      chosen.push_back(&s);
      follow(*place, mutant);
    }
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const Substitution* a, const Substitution* b) { return a->position > b->position; });
  for (const Substitution* s : chosen) {
    mutant.bytes = rff::apply(*s, mutant.bytes);
  }
}

}  // namespace

void insert_word(std::string& input, std::size_t at, std::string word) {
  if (at > 0 && is_digit(input[at - 1]) && is_digit(word.front())) {
    word.insert(word.begin(), ' ');
  }
  if (at < input.size() && is_digit(input[at]) && is_digit(word.back())) {
    word += ' ';
  }
  input.insert(at, word);
}

void fit(std::string& input, const InputRules& rules) {
  if (rules.text) {
    std::erase(input, '\0');
  }
  input.resize(std::min(input.size(), rules.most));
}

Mutant mutate_input(const std::string& parent, const std::string& other, const InputHints& hints,
                    const InputRules& rules, Random& random) {
  constexpr int kTries = 8;
  Mutant mutant = {parent};
  for (int i = 0; i < kTries && mutant.bytes == parent; ++i) {
    std::size_t steps = std::size_t{1} << random.below(4);
    mutant.schedule = nullptr;
    // Half of the inputs get exactly the operands that comparisons ask for, some of the others get
    // them before they change in other ways.
    const bool exact = !hints.empty() && random.chance(1, 2);
    if (exact) {
      substitute(mutant, hints, steps, random);
    } else if (!hints.empty() && random.chance(1, 3)) {
      substitute(mutant, hints, 1, random);
    }
    for (std::size_t k = 0; k < (exact ? 0 : steps); ++k) {
      change(mutant, other, hints, rules, random);
    }
    fit(mutant.bytes, rules);
  }
  return mutant;
}

}  // namespace rff
