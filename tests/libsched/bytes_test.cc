// Tests that reads-from goes from the bytes that a thread receives to those who sent them. The
// oracle is the content: each sender's bytes say who it was.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/runner.h"

namespace rff::test {
namespace {

constexpr int kRuns = 12;  // of each kind
const char kProgram[] = RFF_PROGRAMS "/bytes_of_writers.patched";

// Returns the threads from which each receive of the main thread got something, in order: "12".
std::vector<std::string> senders(const Trace& trace) {
  std::vector<std::string> all;
  auto further = trace.further_sources.begin();
  for (const trace::EventInfo& e : trace.events) {
    if (e.event.op != OpKind::kReceive || e.thread != 0 || e.event.place == LocationKind::kNone ||
        (e.flags & trace::kReadsFromKnown) == 0 ||
        static_cast<OpKind>(e.source_op) != OpKind::kSend) {
      continue;
    }
    std::string threads = std::to_string(trace.at_step(e.reads_from)->thread);
    EXPECT_EQ(e.source_thread == 0 ? trace.at_step(e.reads_from)->thread : e.source_thread,
              trace.at_step(e.reads_from)->thread);
    for (; further != trace.further_sources.end() && further->step <= e.step; ++further) {
      std::string thread = std::to_string(further->thread);
      EXPECT_EQ(further->step, e.step);
      EXPECT_EQ(trace.at_step(further->source_step)->thread, further->thread);
      threads += threads.find(thread) == std::string::npos ? thread : "";
    }
    all.push_back(threads);
  }
  return all;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

class Bytes : public testing::TestWithParam<const char*> {};

TEST_P(Bytes, CarryTheirWriter) {
  for (const char* carrier : {"fiber", "thread"}) {
    std::size_t several = 0;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      SCOPED_TRACE(std::string(carrier) + ", seed " + std::to_string(seed));
      rff::Runner runner({.launcher = launcher(),
                          .carrier = carrier,
                          .tracing = rff::Runner::Tracing::kShared,
                          .keep_output = true});
      Schedule s;
      s.scheduler = seed % 2 == 0 ? SchedulerKind::kPos : SchedulerKind::kRandom;
      s.seed = seed;
      s.target.path = kProgram;
      s.target.arguments = {GetParam(), std::to_string(seed)};
      rff::Run run = runner.run(s);
      ASSERT_EQ(run.outcome, RunOutcome::kNormal);
      std::vector<std::string> expected = words(run.output);
      ASSERT_EQ(senders(run.trace), expected);
      several += static_cast<std::size_t>(
          std::count_if(expected.begin(), expected.end(),
                        [](const std::string& threads) { return threads.size() > 1; }));
    }
    EXPECT_EQ(several > 0, std::string(GetParam()) != "datagrams");
  }
}

INSTANTIATE_TEST_SUITE_P(Through, Bytes,
                         testing::Values("pipe", "stream", "datagrams", "connection"));

}  // namespace
}  // namespace rff::test
