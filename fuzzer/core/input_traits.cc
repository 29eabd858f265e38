#include "fuzzer/core/input_traits.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "fuzzer/common/run_summary.h"
#include "fuzzer/core/comparisons.h"

namespace rff {
namespace {

// How often an edge was taken counts by powers of two.
void add_edges(const RunRecord& run, std::vector<std::uint64_t>& flow) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  for (std::size_t at = 0; at < sizeof run.edges; at += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, run.edges + at, kWord);
    for (std::size_t i = at; word != 0 && i < at + kWord; ++i) {
      if (run.edges[i] != 0) {
        flow.push_back(i * kWord + static_cast<std::uint64_t>(std::bit_width(run.edges[i]) - 1));
      }
    }
  }
}

void add_words(const ComparedOperands& c, std::vector<std::string>& words) {
  if (!c.has_values()) {
    for (const std::string& bytes : {c.first_bytes, c.second_bytes}) {
      if (!bytes.empty()) {
        words.push_back(bytes);
      }
    }
    return;
  }
  if (!c.constant) {
    return;  // values that change from run to run
  }
  std::string bytes(c.width, '\0');
  std::memcpy(bytes.data(), &c.second, c.width);
  words.push_back(std::move(bytes));
  unsigned unused = 64 - 8 * c.width;
  auto value = static_cast<std::int64_t>(c.second << unused) >> unused;
  words.push_back(std::to_string(value));
}

}  // namespace

std::vector<std::uint64_t> control_flow_of(const RunRecord& run) {
  std::vector<std::uint64_t> flow;
  // Threads of one kind take the same edges, whatever each of them does: what they read from each
  // other tells more.
  for_each_pair(summarize(run), [&](const AbstractEvent& write, const AbstractEvent& read) {
    flow.push_back(pair_id(write, read));
    return true;
  });
  if (run.has_branches != 0) {
    add_edges(run, flow);
    return flow;
  }
  for (const AbstractEvent& e : run.event_list) {
    flow.push_back(hash_combine(static_cast<std::uint64_t>(e.op), e.site.packed()));
  }
  return flow;
}

std::vector<Nearness> nearness_of(const RunRecord& run) {
  std::unordered_map<std::uint64_t, std::uint64_t> least;  // by place
  auto differ = [&](CodeName site, std::uint64_t by) {
    auto [at, fresh] = least.try_emplace(site.packed(), by);
    at->second = std::min(at->second, by);
  };
  for (const ComparedValues& v : summarize(run).compared) {
    if (v.constant && v.width > 0 && v.width <= sizeof v.first) {
      unsigned unused = 64 - 8 * v.width;
      std::uint64_t there = (v.first - v.second) << unused >> unused;
      std::uint64_t back = (v.second - v.first) << unused >> unused;
      differ(v.site, std::min(there, back));
    }
  }
  for (const ComparedBytes& b : run.compared_bytes) {
    std::size_t size = std::min({b.first_size, b.second_size, ComparedBytes::kMost});
    std::uint64_t different = ComparedBytes::kMost;
    for (std::size_t i = 0; i < size; ++i) {
      different -= b.first[i] == b.second[i] ? 1 : 0;
    }
    differ(b.site, different);
  }
  std::vector<Nearness> result;
  for (auto [place, difference] : least) {
    result.push_back({place, difference});
  }
  return result;
}

std::vector<std::uint64_t> agreements_of(const RunRecord& run) {
  std::unordered_set<std::uint64_t> places;
  for (const ComparedValues& v : summarize(run).compared) {
    if (v.constant && v.first == v.second) {
      places.insert(v.site.packed());
    }
  }
  return {places.begin(), places.end()};
}

InputHints hints_of(const RunRecord& run, const std::string& input) {
  constexpr std::size_t kMostOfOne = 16;
  InputHints hints;
  std::unordered_map<std::uint64_t, std::size_t> index;  // by place
  const std::vector<ComparedOperands> comparisons = read_comparisons(run);
  for (const ComparedOperands& c : comparisons) {
    auto [at, fresh] = index.try_emplace(c.site.packed(), hints.size());
    if (fresh) {
      hints.push_back({.place = c.site.packed()});
    }
    PlaceHints& place = hints[at->second];
    place.agreed |= c.first == c.second && c.first_bytes == c.second_bytes;
    place.strings |= !c.has_values();
    for (Substitution& s : substitutions(input, c, kMostOfOne)) {
      place.substitutions.push_back(std::move(s));
    }
    add_words(c, place.words);
  }
  // Elsewhere the value is likely to be a part of the input, or to have nothing to do with it.
  for (const ComparedOperands& c : comparisons) {
    PlaceHints& place = hints[index[c.site.packed()]];
    if (c.has_values() && !place.agreed && place.substitutions.empty()) {
      place.substitutions = linear_substitutions(input, c, kMostOfOne);
    }
  }
  return hints;
}

}  // namespace rff
