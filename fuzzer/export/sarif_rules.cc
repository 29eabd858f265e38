#include "fuzzer/export/sarif_rules.h"

#include <iterator>

namespace rff {
namespace {

struct Rule {
  const char* kind;
  const char* id;
  const char* name;
  const char* shortly;
  const char* fully;
};

constexpr Rule kRules[] = {
    {"", "RFF1000", "ConcurrencyFailure", "The program fails under some thread schedule.",
     "Under the recorded schedule of its threads the program fails, and it fails again each time "
     "that schedule is replayed."},
    {"assert", "RFF1001", "AssertionFailure", "An assertion fails under some thread schedule.",
     "Under the recorded schedule of its threads the program violates one of its own assertions. "
     "The code flow shows which values the failing thread had read and who had written them."},
    {"crash", "RFF1002", "Crash", "The program crashes under some thread schedule.",
     "Under the recorded schedule of its threads the program is ended by a signal, an uncaught "
     "exception or a sanitizer. The code flow shows the accesses that led there."},
    {"deadlock", "RFF1003", "Deadlock", "Threads wait for each other forever.",
     "Under the recorded schedule every live thread waits for something that cannot happen any "
     "more: for a lock that another waiting thread holds, or for a signal that has already come."},
    {"hang", "RFF1004", "Hang", "Threads run forever without progress.",
     "Under the recorded schedule the state of the whole program repeats: its threads go on and "
     "can never reach their end."},
    {"exit", "RFF1005", "FailingExitStatus",
     "The program ends with another exit status under some thread schedule.",
     "By itself the program ends with status 0; under the recorded schedule of its threads it "
     "ends with another one, as a test does that reports a failure."},
    {"use-after-free", "RFF1006", "UseAfterFree", "A thread uses memory that was freed.",
     "Under the recorded schedule a thread reads or writes a block of the heap, or uses a lock in "
     "it, after the block was freed. The report has the stacks of the use, the release and the "
     "allocation."},
    {"heap-overflow", "RFF1007", "HeapOverflow", "An access goes beyond the end of a block.",
     "Under the recorded schedule a thread accesses memory behind the end of a block of the heap."},
    {"heap-underflow", "RFF1008", "HeapUnderflow", "An access goes before the start of a block.",
     "Under the recorded schedule a thread accesses memory in front of a block of the heap."},
    {"double-free", "RFF1009", "DoubleFree", "A block is freed twice.",
     "Under the recorded schedule a block of the heap is freed that was freed before."},
    {"invalid-free", "RFF1010", "InvalidFree", "Something is freed that is no block.",
     "Under the recorded schedule an address is freed at which no block of the heap begins."},
    {"mismatched-free", "RFF1011", "MismatchedFree",
     "A block is released in another way than it was allocated.",
     "Under the recorded schedule a block is released by a function that does not belong to the "
     "one that allocated it."},
};

Json text(const std::string& words) { return {{"text", words}}; }

}  // namespace

std::size_t rule_index(const std::string& kind) {
  for (std::size_t i = 1; i < std::size(kRules); ++i) {
    if (kind == kRules[i].kind) {
      return i;
    }
  }
  return 0;
}

std::string rule_id(std::size_t index) { return kRules[index].id; }

Json sarif_rules() {
  Json rules = Json::array();
  for (const Rule& rule : kRules) {
    std::string help = std::string(rule.fully) +
                       " Replay the finding with rff-replay and the schedule.bin of its folder: it "
                       "explains the run and stops in the debugger with --gdb.";
    rules.push_back({{"id", rule.id},
                     {"name", rule.name},
                     {"shortDescription", text(rule.shortly)},
                     {"fullDescription", text(rule.fully)},
                     {"help", {{"text", help}, {"markdown", help}}},
                     {"defaultConfiguration", {{"level", "error"}}},
                     {"properties",
                      {{"precision", "very-high"},
                       {"problem.severity", "error"},
                       {"tags", {"concurrency", "correctness"}}}}});
  }
  return rules;
}

}  // namespace rff
