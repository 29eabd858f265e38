// Compares Sharing with a plain definition of races, on random sequences of what threads do: every
// access is compared with every earlier one.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "libsched/memory/patched_program.h"
#include "libsched/memory/sharing.h"
#include "libsched/memory/site_code.h"
#include "schedule/hash.h"

namespace rff {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kLocks = 3;
constexpr std::size_t kWords = 8;  // three of them, and a table that is mostly read
constexpr std::size_t kTable = 3;
constexpr int kSteps = 120;

using Times = std::vector<std::uint32_t>;

void join(Times& mine, const Times& other) {
  for (std::size_t i = 0; i < mine.size(); ++i) {
    mine[i] = std::max(mine[i], other[i]);
  }
}

struct Actor {
  std::unique_ptr<Thread> thread;
  std::unique_ptr<ThreadMemory> memory;
  bool lives = false;
  Times known = Times(kThreads);      // the time up to which it comes after each thread
  Times handed = Times(kThreads);     // the same if locks order, too
  std::map<std::size_t, bool> locks;  // those it holds, and whether exclusively
};

struct Done {
  std::size_t actor, word;
  std::uint32_t time, handed;
  bool writes;
  std::map<std::size_t, bool> locks;
};

class Simulation {
 public:
  // `ordered_from`: the step from which on handing over counts as order.
  Simulation(std::uint64_t seed, int ordered_from) : random_(seed), ordered_from_(ordered_from) {
    p_.accesses.start({.racing = true}, 0, {});
    for (std::size_t i = 0; i < kThreads; ++i) {
      Actor& a = actors_[i];
      a.thread = std::make_unique<Thread>();
      a.thread->index = static_cast<std::uint32_t>(i);
      a.memory = std::make_unique<ThreadMemory>(static_cast<std::uint32_t>(i));
      a.thread->memory = a.memory.get();
      a.known[i] = a.handed[i] = 1;
    }
    actors_[0].lives = true;
  }

  void run() {
    for (int i = 0; i < kSteps; ++i) {
      order().handing_over_orders = i >= ordered_from_;
      step(random_.below(kThreads));
    }
  }

  int accesses = 0, racing = 0, handed_over = 0, lost = 0, needless = 0;

 private:
  SyncOrder& order() { return p_.accesses.sharing.order; }

  void step(std::size_t who) {
    Actor& a = actors_[who];
    if (!a.lives) {
      return;
    }
    std::size_t other = random_.below(kThreads), lock = random_.below(kLocks);
    switch (random_.below(12)) {
      case 0: create(a, who, other); break;
      case 1: end(a, who, other); break;
      case 2: pass_on(a, who); break;
      case 3: take_over(a); break;
      case 4:
      case 5: change_lock(a, who, lock); break;
      case 6:
        for (std::size_t word = kTable; word < kWords; ++word) {
          access(a, who, word, false);
        }
        break;
      case 7: access(a, who, random_.below(kWords), random_.below(9) == 0); break;
      default: access(a, who, random_.below(kTable), random_.below(3) == 0);
    }
  }

  void create(Actor& a, std::size_t who, std::size_t other) {
    if (!actors_[other].lives && !ended_[other]) {
      actors_[other].lives = true;
      join(actors_[other].known, a.known);
      join(actors_[other].handed, a.handed);
      ++a.known[who];
      ++a.handed[who];
      order().created(*a.thread, *actors_[other].thread);
    }
  }

  // `other` ends, and `who` joins it.
  void end(Actor& a, std::size_t who, std::size_t other) {
    Actor& b = actors_[other];
    if (other != 0 && other != who && b.lives && b.locks.empty()) {
      b.lives = false;
      ended_[other] = true;
      join(a.known, b.known);
      join(a.handed, b.handed);
      order().joins(*a.thread, b.thread.get());
      order().ended(*b.thread);
      order().joins(*a.thread, nullptr);
      order().joined(*a.thread, *b.thread);
    }
  }

  void pass_on(Actor& a, std::size_t who) {
    join(token_, a.known);
    join(handed_token_, a.handed);
    ++a.known[who];
    ++a.handed[who];
    order().release(*a.thread, &token_);
  }

  void take_over(Actor& a) {
    join(a.known, token_);
    join(a.handed, handed_token_);
    order().acquire(*a.thread, &token_);
  }

  void change_lock(Actor& a, std::size_t who, std::size_t lock) {
    if (a.locks.erase(lock) != 0) {
      join(lock_tokens_[lock], a.handed);
      ++a.handed[who];
      order().unlocked(*a.thread, &locks_[lock]);
      return;
    }
    bool exclusively = random_.below(2) == 0;
    bool free = std::none_of(std::begin(actors_), std::end(actors_), [&](const Actor& b) {
      auto held = b.locks.find(lock);
      return held != b.locks.end() && (held->second || exclusively);
    });
    if (free) {
      a.locks[lock] = exclusively;
      join(a.handed, lock_tokens_[lock]);
      order().locked(*a.thread, &locks_[lock], exclusively);
    }
  }

  static bool excluded(const Done& d, const Actor& a) {
    return std::any_of(d.locks.begin(), d.locks.end(), [&](const auto& held) {
      auto mine = a.locks.find(held.first);
      return mine != a.locks.end() && (mine->second || held.second);
    });
  }

  void access(Actor& a, std::size_t who, std::size_t word, bool writes) {
    bool races = false, handed = false;
    for (const Done& d : done_) {
      if (d.word == word && d.actor != who && (d.writes || writes) && a.known[d.actor] < d.time &&
          !excluded(d, a)) {
        (a.handed[d.actor] < d.handed ? races : handed) = true;
      }
    }
    handed = handed && !races && !order().handing_over_orders;
    done_.push_back({who, word, a.known[who], a.handed[who], writes, a.locks});
    Cell& c = p_.shadow.cell(reinterpret_cast<std::uint64_t>(&words_[word]));
    std::uint32_t code = site_code(p_.module().index, writes ? kWrite : kRead);
    Sharing::Relation found = p_.accesses.sharing.use(*a.memory, c, writes, code);
    if (writes) {
      p_.shadow.write(c, kWholeWord, code, 0, 1);
    } else {
      c.reader_code = code;
    }
    ++accesses;
    racing += races ? 1 : 0;
    handed_over += handed ? 1 : 0;
    lost += (races && !found.races) || (handed && !found.handed && !found.races) ? 1 : 0;
    needless += (found.races && !races) || (found.handed && !races && !handed) ? 1 : 0;
  }

  Random random_;
  int ordered_from_;
  WatchedProgram p_;
  Actor actors_[kThreads];
  bool ended_[kThreads] = {};
  Times token_ = Times(kThreads), handed_token_ = Times(kThreads);
  Times lock_tokens_[kLocks] = {Times(kThreads), Times(kThreads), Times(kThreads)};
  int locks_[kLocks] = {};
  std::uint64_t words_[kWords] = {};
  std::vector<Done> done_;
};

TEST(SharingOracle, NoRaceIsLostAndFewAreNone) {
  int accesses = 0, racing = 0, handed_over = 0, needless = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Simulation s(seed, seed % 2 == 0 ? kSteps : kSteps / 2);
    s.run();
    EXPECT_EQ(s.lost, 0) << "seed " << seed;
    accesses += s.accesses;
    racing += s.racing;
    handed_over += s.handed_over;
    needless += s.needless;
  }
  EXPECT_GT(racing, accesses / 10);
  EXPECT_LT(racing, accesses / 2);
  EXPECT_GT(handed_over, accesses / 1000);
  EXPECT_LT(needless * 100, accesses);
}

}  // namespace
}  // namespace rff
