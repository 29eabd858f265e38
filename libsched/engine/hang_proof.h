// Proves that a program hangs: whatever the scheduler does from here on, every enabled thread
// repeats the same states forever, and no other thread is ever enabled.
//
// From one state of the whole program, each enabled thread runs alone until that state is reached
// again, byte for byte. Meanwhile no thread has changed anything visible to another one
// (Progress::made), except for locks, whose order decides nothing while no thread asks whether one
// is free; and no thread has received anything from outside (Progress::looked_outside, and what the
// witness sees). So the threads do not depend on each other: each repeats its own loop in any other
// order, too. A sleeping thread counts as one that may go on at any time.
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
  // Without a witness, nothing is ever proved.
  void set_witness(StateWitness* witness) { witness_ = witness; }

  // Begins a proof. Requires: none is under way.
  void begin();
  bool under_way() const { return stage_ != Stage::kNone; }
  // True while the proof decides which thread runs. The current thread then also stops at the place
  // where its loop began (`wants_stop`), even if that is no scheduling point.
  bool steers() const { return stage_ == Stage::kLooping; }
  bool wants_stop(std::uint32_t code, std::uint64_t address) const {
    return place_.code == code && place_.address == address;
  }

  // Call when the current thread has stopped, with its registers, and when it goes on.
  void stopped(Thread& t, const StopContext& where);
  void goes_on();
  // Returns the thread to run next, after `stops` (null: none) has stopped; null leaves that to the
  // scheduler. Afterwards `proved` says whether the proof is complete. `events`: number of events
  // so far.
  Thread* next(const PendingThreads& threads, const Thread* stops, std::uint64_t events);
  bool proved() const { return proved_; }
  void give_up() { fail(); }

 private:
  enum class Stage : std::uint8_t {
    kNone,
    kWaiting,  // until each thread that can run has stopped once
    kLooping,  // each member runs alone until the state repeats
  };
  struct Member {
    Thread* thread;
    std::uint32_t code;  // of the pending operation
    std::uint64_t address;
    std::set<std::uint64_t> used;     // objects that the thread uses
    std::set<std::uint64_t> depends;  // those of `used` whose state decides what the thread does
  };

  // Returns whether a thread can run now, or will when time has passed.
  static bool can_go_on(const PendingThreads& threads, const Thread& t) {
    return threads.enabled().contains(t.index) || t.pending->deadline != kNever;
  }
  // Returns whether a thread can run right now. Time passes only while no other thread can run, and
  // not past an earlier deadline.
  static bool may_run(const PendingThreads& threads, const Thread& t);
  bool ready(const PendingThreads& threads);
  bool start_looping(const PendingThreads& threads);
  // Returns whether what the threads did since the proof began still allows it.
  bool still_possible(const PendingThreads& threads) const;
  bool independent() const;
  // Processes a stop of the member. Returns false if no proof is possible.
  bool take_stop(Member& m, std::uint64_t events);
  // Call when the current member's loop is closed. Begins the next turn or round, or completes the
  // proof.
  bool closed();
  void begin_turn();
  Thread* run_member(const PendingThreads& threads);
  void wait_for_another_moment();
  void fail();

  Progress& progress_;
  StateWitness* witness_ = nullptr;
  Stage stage_ = Stage::kNone;
  bool proved_ = false;
  std::uint64_t began_ = 0;    // the decision at which the proof began
  std::uint64_t changes_ = 0;  // Progress::changes() when the proof began
  std::uint64_t looks_outside_ = 0;
  std::uint64_t moments_ = 0;  // attempts to start looping that failed
  ThreadSet active_;           // threads that could run at some time since the proof began
  std::vector<Member> members_;
  std::size_t turn_ = 0;
  // Counters for the current member: its stops, the stops at the place where its loop began, and
  // the event before its first stop.
  std::uint64_t stops_ = 0, visits_ = 0, first_event_ = 0;
  std::uint64_t longest_ = 0;  // the most visits that closed a loop
  int rounds_ = 0;             // rounds in which each member had its turn
  bool same_in_round_ = true;  // all comparisons of this round were with the same state
  struct Place {
    std::uint32_t code = 0;
    std::uint64_t address = 0;
  } place_;  // where the current member's loop began
};

}  // namespace rff
