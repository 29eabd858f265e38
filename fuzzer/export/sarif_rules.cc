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
