// Proves that a program hangs: that whatever the scheduler does from here on, every thread that can
// run goes through the same states again and again, and no other thread ever can.
//
// From one state of the whole program each thread that can run is run alone until that state is
// there again, byte for byte. Meanwhile nobody has changed anything that another one could see
// (Progress::made), but for locks, whose order decides nothing while nobody asks whether one is
// free; and nobody has been given anything from outside (Progress::looked_outside, and what the
// witness sees). So the threads do not depend on each other: in any other order, too, each of them
// goes through its own loop. A thread that sleeps counts as one that may go on at any time.
//
// The threads are chosen by the state alone, so these decisions are not recorded: a replay finds
// the same proof after the same decisions.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "libsched/engine/listeners.h"
#include "libsched/engine/pending_threads.h"
#include "libsched/engine/progress.h"

namespace rff {

class HangProof {
 public:
  explicit HangProof(Progress& progress) : progress_(progress) {}
  // Without a witness nothing is ever proved.
  void set_witness(StateWitness* witness) { witness_ = witness; }

  // Begins one. Requires: none is under way.
  void begin();
  bool under_way() const { return stage_ != Stage::kNone; }
  // Whether this decides who goes on. The current thread then stops at the place where it began,
  // too (`wants_stop`), scheduling point or not.
  bool steers() const { return stage_ == Stage::kLooping; }
  bool wants_stop(std::uint32_t code, std::uint64_t address) const {
    return place_.code == code && place_.address == address;
  }

  // The current thread has stopped, with these registers; or it goes on.
  void stopped(Thread& t, const StopContext& where);
  void goes_on();
  // Returns the thread that goes on, now that `stops` (null: no thread) has stopped; null leaves
  // that to the scheduler. Then `proved` says whether the proof is complete.
  // `events`: how many there have been.
  Thread* next(const PendingThreads& threads, const Thread* stops, std::uint64_t events);
  bool proved() const { return proved_; }
  void give_up() { fail(); }

 private:
  enum class Stage : std::uint8_t {
    kNone,
    kWaiting,  // until each thread that can run has stopped once
    kLooping,  // each of them alone, until the state is there again
  };
  struct Member {
    Thread* thread;
    std::uint32_t code;  // of what it is about to do
    std::uint64_t address;
    std::set<std::uint64_t> used;     // objects that it uses
    std::set<std::uint64_t> depends;  // of them, those whose state decides what it does
  };

  // Whether a thread can run, or will when time has passed.
  static bool can_go_on(const PendingThreads& threads, const Thread& t) {
    return threads.enabled().contains(t.index) || t.pending->deadline != kNever;
  }
  // The same for right now: time passes only while nobody has anything to do, and not past the end
  // of another one's wait.
  static bool may_run(const PendingThreads& threads, const Thread& t);
  bool ready(const PendingThreads& threads);
  bool start_looping(const PendingThreads& threads);
  // Whether what the threads did since the beginning allows a proof.
  bool still_possible(const PendingThreads& threads) const;
  bool independent() const;
  // The member has stopped. False: there is no proof.
  bool take_stop(Member& m, std::uint64_t events);
  // The current member's loop is closed: the next one's turn, or another round.
  bool closed();
  void begin_turn();
  Thread* run_member(const PendingThreads& threads);
  void wait_for_another_moment();
  void fail();

  Progress& progress_;
  StateWitness* witness_ = nullptr;
  Stage stage_ = Stage::kNone;
  bool proved_ = false;
  std::uint64_t began_ = 0;    // the decision
  std::uint64_t changes_ = 0;  // when it began
  std::uint64_t looks_outside_ = 0;
  std::uint64_t moments_ = 0;  // to begin with that were no good ones
  ThreadSet active_;           // those that could run at some time since it began
  std::vector<Member> members_;
  std::size_t turn_ = 0;
  // These count for the member whose turn it is: its stops, those of them where it began, and the
  // event before the first one.
  std::uint64_t stops_ = 0, visits_ = 0, first_event_ = 0;
  std::uint64_t longest_ = 0;  // visits until a loop was closed
  int rounds_ = 0;             // in which each member had its turn
  bool same_in_round_ = true;  // one state was compared with in this round
  struct Place {
    std::uint32_t code = 0;
    std::uint64_t address = 0;
  } place_;  // where it began
};

}  // namespace rff
