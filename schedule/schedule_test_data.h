// A schedule with every field set, for the tests of the binary and the JSON form.
#pragma once

#include <algorithm>

#include "schedule/schedule_file.h"

namespace rff::test_data {

inline MemoryError full_memory_error() {
  MemoryErrorFacts memory;
  memory.op = OpKind::kWrite;
  memory.allocated_with = AllocatorFamily::kNewArray;
  memory.freed_with = AllocatorFamily::kNew;
  memory.area = MemoryArea::kGlobal;
  memory.thread = 1;
  memory.address = 0x8000;
  memory.size = 8;
  memory.wrong = 0x8004;
  memory.block = 0x7ff0;
  memory.block_size = 20;
  memory.freed_by = 2;
  memory.allocated_by = 0;
  memory.step = 70;
  memory.freed_step = 60;
  memory.freed_at = {9, 0x1300};
  memory.allocated_at = {9, 0x1100};
  return MemoryError{memory, "main.1", "main.2", "main"};
}

inline Schedule full_schedule() {
  Location x{LocationKind::kGlobal, 0xabcdef01, 0x4040};
  Location y{LocationKind::kHeap, 0x1234567800001000ULL, 24};
  Schedule s;
  s.prefix = {{0, 17}, {2, 0x8001}};
  s.constraints.insert(
      {AbstractEvent::init(x), AbstractEvent::make(OpKind::kRead, x, 4, {9, 0x1200}), true});
  s.constraints.insert({AbstractEvent::make(OpKind::kUnlock, y, 0, {9, 0x1300}),
                        AbstractEvent::make(OpKind::kLock, y, 0, {9, 0x1204}), false});
  s.scheduler = SchedulerKind::kPct;
  s.pct_depth = 5;
  s.pct_length = 400;
  s.estimates = {0x77, {{3, 100}, {9, 20}}, {EventSelection::By::kListed, {{9, 4}, {9, 8}}}};
  s.learned = {LearnedValue::make(5, 6, 700), LearnedValue::make(7, 8, 900)};
  std::sort(s.learned.begin(), s.learned.end());
  s.exploration = {{{1, 44}, {0, 0}}, {2, 0, 1}, {3}, Exploration::Rest::kRandom, 5, true};
  s.stream = std::string("\0\1b", 3);
  s.timeouts = kAnyPreemption;
  s.exit_is_finding = true;
  s.seed = 0xfedcba9876543210ULL;
  s.max_steps = 1'000'000'007;
  s.points = {true, false, true, 3, {{9, 0x1200}, {9, 0x1300}}, {{9, 0x1400}}, {}};
  s.points.stops = {{"primitives", StopRule::Kind::kPrimitives, {}, {}},
                    {"file:a.c in:f",
                     StopRule::Kind::kCode,
                     {{9, 0x1200, 0x1300}, {9, 0x1300, 0x1301}},
                     {{8, 1, 2}}},
                    {"variable:x", StopRule::Kind::kMemory, {{9, 0x4040, 0x4044}}, {}}};
  s.target = {"/opt/prog.patched",
              {"-x", "input file"},
              "00ff17",
              42,
              "input.txt",
              {"libz.so.1"},
              3,
              {kCheckMemory | kCheckStrict, 16, {"peek"}, {{9, 0x1200, 0x1240}}}};
  s.input = {ProgramInput::Way::kVariable, "VALUE", std::string("a\0\xff=", 4)};
  s.finding = Finding{FindingKind::kDeadlock, {9, 0x1204}, 99, {{0, 1}, {1, 2}, {0, 3}}, {}};
  Failure& f = s.finding->failure;
  f.facts = {
      CrashCause::kException, 0, kInsideLibrary | kAccessedAddress, 6, 3, 0, 0x1234, {9, 0x77}};
  f.words = "prog.c:12: main: assertion `x == 1' failed";
  FailureWait wait;
  wait.thread = 1;
  wait.holder = 2;
  wait.op = OpKind::kLock;
  wait.object = WaitObject::kMutex;
  wait.address = 0x7f00;
  wait.site = {9, 0x1204};
  wait.held_since = {9, 0x1300};
  wait.thread_name = "main.1";
  wait.holder_name = "main.1.1";
  f.waits = {wait, {}};
  f.repeated_reads = {{1, 0, {9, 0x1200}}};
  f.stacks = {{1, {{9, 0x1203}, {9, 0x1400}}}, {2, {}}};
  f.modules = {{9, "prog.patched"}};
  f.memory = full_memory_error();
  return s;
}

}  // namespace rff::test_data
