#include "fuzzer/core/input_traits.h"

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
  for (const ComparedOperands& c : read_comparisons(run)) {
    auto [at, fresh] = index.try_emplace(c.site.packed(), hints.size());
    if (fresh) {
      hints.push_back({.place = c.site.packed()});
    }
    PlaceHints& place = hints[at->second];
    place.agreed |= c.first == c.second && c.first_bytes == c.second_bytes;
    for (Substitution& s : substitutions(input, c, kMostOfOne)) {
      place.substitutions.push_back(std::move(s));
    }
    add_words(c, place.words);
  }
  return hints;
}

}  // namespace rff
