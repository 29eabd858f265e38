#include "fuzzer/core/critical_sections.h"

#include <algorithm>

namespace rff {

CriticalSections find_sections(const RunSummary& run, const std::vector<bool>& kept) {
  struct Thread {
    unsigned held = 0;
    std::vector<std::uint32_t> steps;  // steps of its current section
  };
  auto n = static_cast<std::uint32_t>(run.steps.size());
  CriticalSections result{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n)};
  std::unordered_map<std::uint16_t, Thread> threads;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Step& s = run.steps[i];
    result.first[i] = result.last[i] = i;
    if (s.event >= run.events.size()) {
      continue;
    }
    Thread& t = threads[s.thread];
    OpKind op = run.events[s.event].op;
    t.held += acquires(op) ? 1 : 0;
    if (t.held > 0) {
      t.steps.push_back(i);
      result.first[i] = t.steps.front();
    }
    if (releases(op) && t.held > 0 && --t.held == 0) {
      auto last = std::find_if(t.steps.rbegin(), t.steps.rend(),
                               [&](std::uint32_t step) { return kept[step]; });
      for (auto step = last; step != t.steps.rend(); ++step) {
        result.last[*step] = *last;
      }
      t.steps.clear();
    }
  }
  return result;
}

SectionViews::SectionViews(const RunSummary& run, const CriticalSections& sections,
                           const StepsByAddress& writes)
    : run_(run), sections_(sections), writes_(writes) {
  for (std::uint32_t i = 0; i < run.steps.size(); ++i) {
    if (sections.first[i] != i && run.steps[i].event < run.events.size()) {
      add(i);
    }
  }
  for (auto& [first, reads] : reads_) {
    std::vector<std::uint32_t> all = reads;
    std::erase_if(reads, [&](std::uint32_t read) {
      return std::none_of(all.begin(), all.end(), [&](std::uint32_t other) {
        return other != read && share_a_writer(read, other);
      });
    });
  }
}

void SectionViews::add(std::uint32_t step) {
  const AbstractEvent& e = run_.events[run_.steps[step].event];
  if (!op_accesses(e.op) || e.writes() || !writes_.contains(run_.steps[step].address) ||
      word(run_.steps[step].address).lock != run_.steps[sections_.first[step]].address) {
    return;
  }
  std::vector<std::uint32_t>& reads = reads_[sections_.first[step]];
  bool known = std::any_of(reads.begin(), reads.end(), [&](std::uint32_t other) {
    return run_.steps[other].address == run_.steps[step].address;
  });
  if (!known && reads.size() < kMaxReads) {
    reads.push_back(step);
  }
}

const SectionViews::Word& SectionViews::word(std::uint64_t address) {
  auto [it, fresh] = words_.try_emplace(address);
  Word& word = it->second;
  if (!fresh) {
    return word;
  }
  for (std::uint32_t write : writes_.at(address)) {
    bool guarded = sections_.first[write] != write;
    std::uint64_t lock = guarded ? run_.steps[sections_.first[write]].address : 0;
    if (word.writers.empty() && guarded) {
      word.lock = lock;
    } else if (!word.writers.empty() && lock != word.lock) {
      word.writers.clear();
      break;
    }
    std::uint16_t thread = run_.steps[write].thread;
    if (guarded && word.writers.size() < kMaxWriters &&
        std::find(word.writers.begin(), word.writers.end(), thread) == word.writers.end()) {
      word.writers.push_back(thread);
    }
  }
  return word;
}

bool SectionViews::share_a_writer(std::uint32_t read, std::uint32_t other) {
  const Word& mine = word(run_.steps[read].address);
  const Word& theirs = word(run_.steps[other].address);
  return std::any_of(mine.writers.begin(), mine.writers.end(), [&](std::uint16_t thread) {
    return thread != run_.steps[read].thread &&
           std::find(theirs.writers.begin(), theirs.writers.end(), thread) != theirs.writers.end();
  });
}

bool SectionViews::together(std::uint32_t read) const {
  auto found = reads_.find(sections_.first[read]);
  return found != reads_.end() &&
         std::any_of(found->second.begin(), found->second.end(), [&](std::uint32_t r) {
           return run_.steps[r].address == run_.steps[read].address;
         });
}

std::uint64_t SectionViews::at(std::uint32_t read, std::uint32_t place) const {
  constexpr std::uint64_t kNotWritten = 1;
  constexpr std::uint64_t kWritten = 2;
  constexpr std::size_t kMaxOwnWrites = 128;  // passed over
  const std::uint32_t begin = sections_.first[read];
  const std::uint16_t thread = run_.steps[read].thread;
  std::uint64_t view = 0;
  for (std::uint32_t r : reads_.at(begin)) {
    const std::vector<std::uint32_t>& list = writes_.at(run_.steps[r].address);
    auto w = std::lower_bound(list.begin(), list.end(), place);
    // The thread itself has done nothing from the section on there.
    for (std::size_t left = kMaxOwnWrites; left > 0 && w != list.begin() && *(w - 1) >= begin &&
                                           run_.steps[*(w - 1)].thread == thread;
         --left) {
      --w;
    }
    view = hash_combine(view, run_.events[run_.steps[r].event].site.packed());
    view = w == list.begin()
               ? hash_combine(view, kNotWritten)
               : hash_combine(hash_combine(view, kWritten), run_.steps[*(w - 1)].value);
  }
  return view;
}

}  // namespace rff
