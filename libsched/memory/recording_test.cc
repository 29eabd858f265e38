// Unit tests of recording.cc: sources of reads, effects of writes, and what listeners receive.
#include <gtest/gtest.h>

#include <algorithm>

#include "libsched/memory/patched_program.h"

namespace rff {
namespace {

alignas(256) std::uint64_t memory[128];
std::uint64_t& x = memory[0];
std::uint64_t& y = memory[1];
std::uint64_t& flag = memory[64];
const auto kX = reinterpret_cast<std::uint64_t>(&x);

// Logs what it receives, with the letters x and y for the words.
class Listener : public EventListener {
 public:
  void event(const Thread&, const Operation& op, std::uint64_t) override {
    add(std::string(op_name(op.op)));
  }
  void memory_event(const Thread& t, OpKind op, const AbstractEvent& e, std::uint64_t address,
                    std::uint64_t, std::uint64_t step, bool, const ReadSource& source) override {
    EXPECT_GT(step, last_step_);
    last_step_ = step;
    if (op_accesses(op)) {
      EXPECT_EQ(e.op, op);
      add(std::to_string(t.index) + ":" + std::string(op_name(op)) + " " + word(address));
      last_source = source;
    }
  }
  void further_source(std::uint64_t step, const ReadSource& source) override {
    EXPECT_EQ(step, last_step_);
    further_sources.push_back(source.step);
  }
  void committed(std::uint64_t address, std::uint32_t) override {
    add("commit " + word(address) + "=" +
        std::to_string(*reinterpret_cast<std::uint64_t*>(address)));
  }

  std::string told;
  ReadSource last_source;
  std::vector<std::uint64_t> further_sources;

 private:
  static std::string word(std::uint64_t address) {
    return address == kX ? "x" : address == kX + 8 ? "y" : "?";
  }
  void add(const std::string& text) { told += (told.empty() ? "" : ", ") + text; }
  std::uint64_t last_step_ = 0;
};

class RecordingTest : public testing::Test {
 protected:
  RecordingTest() { std::fill(std::begin(memory), std::end(memory), 0); }

  const Cell& cell_of_x() { return p_.shadow.cell(kX); }
  // Returns pairs of memory accesses as "kind@offset>kind@offset", sorted.
  std::vector<std::string> pairs() {
    std::vector<std::string> texts;
    auto text = [](const AbstractEvent& e) {
      return std::string(op_name(e.op)) + (e.site.offset == 0 ? "" : "@" + hex(e.site.offset));
    };
    for (ReadsFromPair pair : p_.events.pairs()) {
      const AbstractEvent& read = p_.events.event(pair.read);
      if (op_accesses(read.op)) {
        texts.push_back(text(p_.events.event(pair.write)) + ">" + text(read));
      }
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }
  static std::string hex(std::uint32_t v) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%x", v);
    return digits;
  }

  WatchedProgram p_;
};
using Texts = std::vector<std::string>;

TEST_F(RecordingTest, AWriteIsAnnouncedAndCommittedAtTheThreadsNextEvent) {
  Listener trace;
  p_.accesses.start({.racing = true}, 0, {nullptr, &trace, true});
  p_.run([&] {
    p_.access(kWrite, OpKind::kWrite, x);
    EXPECT_EQ(p_.main.memory->announced.address, kX);
    EXPECT_EQ(trace.told, "0:write x");
    EXPECT_FALSE(cell_of_x().known);
    x = 5;
    p_.access(kRead, OpKind::kRead, y);
    EXPECT_EQ(p_.main.memory->announced.address, 0u);
    EXPECT_TRUE(cell_of_x().known);
    EXPECT_EQ(cell_of_x().value, 5u);
    EXPECT_EQ(trace.told, "0:write x, commit x=5, 0:read y");
  });
}

// The runtime works there, in one run more than in another.
TEST_F(RecordingTest, WhatAFunctionWroteIsNotReadAfterItHasReturned) {
  auto hash_of = [](std::uint64_t value, std::uint64_t live_from) {
    WatchedProgram p;
    p.run([&] {
      p.access(kWrite, OpKind::kWrite, x);
      x = value;
      p.main.memory->live_from = live_from;
      p.access(kRead, OpKind::kRead, y);
    });
    return p.accesses.trace_hash();
  };
  EXPECT_NE(hash_of(1, kX), hash_of(2, kX));
  EXPECT_EQ(hash_of(1, kX + 8), hash_of(2, kX + 8));
  EXPECT_EQ(hash_of(1, kX + 4096), hash_of(2, kX + 4096));
  EXPECT_NE(hash_of(1, kX + (1 << 20)), hash_of(2, kX + (1 << 20)));
}

TEST_F(RecordingTest, EachWriteOfOneInstructionIsCommittedInTheirOrder) {
  Listener trace;
  p_.accesses.start({.racing = true}, 0, {nullptr, &trace, true});
  p_.run([&] {
    Accesses::Access list[] = {{OpKind::kWrite, kX, 8}, {OpKind::kWrite, kX + 8, 8}};
    p_.accesses.accesses(p_.main, p_.module(), kString, list, 2);
    x = 1;
    y = 2;
    p_.accesses.commit(p_.main);
  });
  EXPECT_EQ(trace.told, "0:write x, 0:write y, commit x=1, commit y=2");
}

TEST_F(RecordingTest, PrivateAccessesAreTracedOnlyOnRequest) {
  Listener trace;
  p_.accesses.start({.racing = true}, 0, {nullptr, &trace, false});
  p_.run([&] {
    p_.write(kWrite, x, std::uint64_t{1});
    p_.read(kRead, x);
  });
  EXPECT_EQ(trace.told, "");
}

TEST_F(RecordingTest, AReadOfAnothersWriteIsAPair) {
  Listener trace;
  p_.accesses.start({.racing = true}, 0, {nullptr, &trace, false});
  p_.run([&] {
    p_.together({[&] { p_.write(kWrite, x, std::uint64_t{1}); }, [&] { p_.read(kRead, x); }});
  });
  EXPECT_EQ(pairs(), Texts{"write@110>read@100"});
  EXPECT_TRUE(trace.last_source.known);
  EXPECT_EQ(trace.last_source.thread, 1u);
  EXPECT_EQ(trace.last_source.site.offset, 0x110u);
}

TEST_F(RecordingTest, ReadsOfPrivateWordsMakeNoPairs) {
  p_.run([&] {
    p_.together({[&] {
      p_.write(kWrite, x, std::uint64_t{1});
      p_.read(kRead, x);
    }});
  });
  EXPECT_EQ(pairs(), Texts{});
}

TEST_F(RecordingTest, AWordThatNoThreadWroteIsReadFromInit) {
  p_.run([&] { p_.together({[&] { p_.read(kRead, x); }, [&] { p_.read(kRead2, x); }}); });
  EXPECT_EQ(pairs(), Texts{"init>read@104"});
}

TEST_F(RecordingTest, AValueThatNoEventLeftThereIsReadFromUnseen) {
  p_.run([&] {
    p_.together({[&] { p_.write(kWrite, x, std::uint64_t{1}); },
                 [&] {
                   x = 7;
                   p_.read(kRead, x);
                   p_.read(kRead2, x);  // the new value is known now
                 }});
  });
  EXPECT_EQ(pairs(), (Texts{"unseen>read@100", "write@110>read@104"}));
}

TEST_F(RecordingTest, AReadOfSeveralWritersReadsFromAllOfThem) {
  auto& upper = reinterpret_cast<std::uint32_t*>(memory)[1];
  p_.run([&] {
    p_.together({[&] {
                   p_.write(kWrite, x, std::uint64_t{1});
                   p_.write(kWrite4Bytes, upper, 2u);
                 },
                 [&] { p_.read(kRead, x); }});
  });
  EXPECT_EQ(pairs(), (Texts{"write@110>read@100", "write@118>read@100"}));
}

TEST_F(RecordingTest, TheHalvesOfAnUpdateAreAReadAndAWrite) {
  p_.run([&] {
    p_.write(kWrite, x, std::uint64_t{1});
    p_.together({[&] { p_.add(kUpdate, x, 1); }});
    p_.read(kRead, x);
  });
  EXPECT_EQ(pairs(), (Texts{"write@110>read@120", "write@120>read@100"}));
}

TEST_F(RecordingTest, ARangeIsOneEventFromWhichEveryByteIsRead) {
  p_.run([&] {
    p_.together({[&] {
                   p_.accesses.range(p_.current(), OpKind::kWrite, kX, sizeof memory, {1, 0x50});
                   std::fill(std::begin(memory), std::end(memory), 3);
                 },
                 [&] {
                   p_.read(kRead, memory[5]);
                   p_.read(kRead2, memory[100]);
                 }});
  });
  EXPECT_EQ(pairs(), (Texts{"write@50>read@100", "write@50>read@104"}));
}

TEST_F(RecordingTest, StepsHaveTheValuesReadAndWritten) {
  auto record = std::make_unique<RunRecord>();
  p_.events.start(record.get(), nullptr);
  p_.accesses.start({.racing = true, .every_access = true}, 0, {record.get(), nullptr, false});
  p_.run([&] {
    p_.together({[&] {
      p_.write(kWrite, x, std::uint64_t{41});
      p_.read(kRead, x);
      p_.add(kLockedUpdate, x, 1);
    }});
  });
  std::vector<std::uint64_t> values;
  for (const Step& step : record->steps) {
    if (step.address == kX) {
      values.push_back(step.value);
      EXPECT_EQ(step.thread, 1);
      EXPECT_EQ(record->event_list.items[step.event].offset, kX - p_.module().bias);
      EXPECT_NE(step.check & Step::kPoint, 0);
    }
  }
  EXPECT_EQ(values, (std::vector<std::uint64_t>{41, 41, 42}));
}

TEST_F(RecordingTest, AThreadThatReadsTheSameAgainAndAgainMakesWayForOthers) {
  int rounds = 0;
  Thread* spins = nullptr;
  bool seen_spinning = false, released = false;
  p_.module().is_point[kRead] = PatchedModule::kPoint;
  std::string verdict = p_.run([&] {
    spins = &p_.create([&] {
      while (p_.read(kRead, flag) == 0) {
        ++rounds;
      }
    });
    Thread& sets = p_.create([&] {
      seen_spinning = spins->spin.spinning;
      p_.write(kWrite, flag, std::uint64_t{0});  // changes nothing
      p_.read(kRead2, x);
      seen_spinning &= spins->spin.spinning;
      p_.write(kWrite, flag, std::uint64_t{1});
      p_.read(kRead2, x);
      released = !spins->spin.spinning;
    });
    p_.join(*spins);
    p_.join(sets);
  });
  EXPECT_EQ(verdict, "");
  EXPECT_TRUE(seen_spinning);
  EXPECT_TRUE(released);
  EXPECT_GE(rounds, static_cast<int>(SpinWatch::kRounds));
  EXPECT_LT(rounds, 2 * static_cast<int>(SpinWatch::kRounds));
}

// Returns whether a thread spins that enters a critical section again and again and does `body`.
template <typename Body>
bool spins_in_sections(WatchedProgram& p, Body body) {
  bool spun = false;
  FakeMutex m;
  p.run([&] {
    p.together({[&] {
      for (std::uint64_t i = 1; i < std::uint64_t{3} * SpinWatch::kRounds; ++i) {
        p.lock(m, 1);
        body(i);
        p.unlock(m, 2);
        p.write(kWrite2, memory[2], i);  // its own counter
        spun |= p.current().spin.spinning;
      }
    }});
  });
  return spun;
}

TEST_F(RecordingTest, AThreadThatPollsUnderALockSpins) {
  EXPECT_TRUE(spins_in_sections(p_, [&](std::uint64_t) { p_.read(kRead, flag); }));
}

TEST_F(RecordingTest, AThreadThatPollsUnderTwoLocksSpins) {
  FakeMutex inner;
  EXPECT_TRUE(spins_in_sections(p_, [&](std::uint64_t) {
    p_.lock(inner, 3);
    p_.read(kRead, flag);
    p_.unlock(inner, 4);
  }));
}

TEST_F(RecordingTest, AThreadThatChangesSomethingUnderALockDoesNotSpin) {
  EXPECT_FALSE(spins_in_sections(p_, [&](std::uint64_t i) { p_.write(kWrite, x, i); }));
}

TEST_F(RecordingTest, AThreadThatChangesWhatItReadsDoesNotSpin) {
  bool spun = false;
  p_.run([&] {
    p_.read(kRead2, x);
    p_.together({[&] {
      for (std::uint64_t i = 1; i < std::uint64_t{3} * SpinWatch::kRounds; ++i) {
        p_.write(kWrite, x, i);
        p_.read(kRead, x);
        spun |= p_.current().spin.spinning;
      }
    }});
  });
  EXPECT_FALSE(spun);
}

TEST_F(RecordingTest, TheHashOfARunKnowsEveryValueAndEveryThread) {
  auto hash = [](std::uint64_t value, int threads) {
    memory[0] = 0;
    WatchedProgram p;
    p.run([&] {
      std::vector<PatchedProgram::Body> bodies(static_cast<std::size_t>(threads),
                                               [&] { p.write(kWrite, x, value); });
      p.together(bodies);
    });
    return p.accesses.trace_hash();
  };
  EXPECT_EQ(hash(1, 2), hash(1, 2));
  EXPECT_NE(hash(1, 2), hash(2, 2));
  EXPECT_NE(hash(1, 2), hash(1, 1));
}

// More than the record holds is no use to the search, unless threads stop there.
TEST_F(RecordingTest, EventsBeyondTheRecordGetNamesOnlyAtPoints) {
  constexpr std::size_t kWords = RunRecord::kMostEvents;
  static std::uint64_t words[kWords];
  FakeMutex m;
  std::size_t before = 0, after = 0;
  p_.run([&] {
    p_.together({[&] {
                   p_.lock(m, 10);
                   for (std::uint64_t& word : words) {
                     p_.write(kWrite, word, std::uint64_t{1});
                   }
                   p_.unlock(m, 11);
                   p_.write(kWrite2, x, std::uint64_t{1});
                 },
                 [&] {
                   p_.lock(m, 12);
                   for (std::uint64_t& word : words) {
                     p_.read(kRead, word);
                   }
                   before = p_.events.events().size();
                   p_.unlock(m, 13);
                   p_.read(kRead2, x);
                   after = p_.events.events().size();
                 }});
  });
  EXPECT_GT(before, kWords);
  EXPECT_LT(before, kWords + 10);
  EXPECT_GT(after, before);
}

}  // namespace
}  // namespace rff
