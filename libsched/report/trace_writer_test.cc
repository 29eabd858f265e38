// Unit tests of TraceWriter: every record as reported, writes with the values they left.
#include "libsched/report/trace_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "libsched/engine/operation.h"
#include "libsched/report/trace_for_tests.h"

namespace rff {
namespace {

using trace::EventInfo;
using trace::RecordKind;

alignas(64) std::uint64_t words[4];

std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

class TraceWriterTest : public testing::Test {
 protected:
  TraceWriterTest() {
    std::fill(std::begin(words), std::end(words), 0);
    a_.index = 1;
    a_.name = "main.1";
    a_.parent = &main_;
    a_.created_at = {9, 0x90};
    b_.index = 2;
    main_.name = "main";
    writer_.open(file_.path(), false, nullptr);
  }
  ~TraceWriterTest() override { close(highest_descriptor()); }

  static int highest_descriptor() {
    rlimit limit = {};
    getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 901)) - 1;
  }
  void access(const Thread& t, OpKind op, std::uint64_t address, std::uint16_t size = 8,
              std::uint32_t offset = 0x10, const ReadSource& source = {}) {
    AbstractEvent e =
        AbstractEvent::make(op, {LocationKind::kGlobal, 9, address}, size, CodeName{9, offset});
    writer_.memory_event(t, op, e, address, address ^ 1, ++step_, true, source);
  }
  std::vector<EventInfo> events() {
    writer_.flush();
    return file_.all<EventInfo>(RecordKind::kEvent);
  }

  TraceFile file_;
  TraceWriter writer_;
  Thread main_, a_, b_;
  std::uint64_t step_ = 0;
};

TEST_F(TraceWriterTest, BeginsWithMagicAndVersion) {
  writer_.flush();
  trace::TraceHeader header{};
  std::string bytes = file_.bytes();
  ASSERT_EQ(bytes.size(), sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(std::memcmp(header.magic, trace::kMagic, sizeof header.magic), 0);
  EXPECT_EQ(header.version, trace::kVersion);
}

TEST_F(TraceWriterTest, TheFileIsOutOfTheProgramsWayAndClosedByExec) {
  EXPECT_EQ(fcntl(highest_descriptor(), F_GETFD), FD_CLOEXEC);
}

TEST_F(TraceWriterTest, AWriterThatWasNotOpenedWritesNothing) {
  TraceWriter closed;
  EXPECT_FALSE(closed.enabled());
  closed.thread(main_);
  closed.note("a note");
  closed.flush();
  writer_.flush();
  EXPECT_TRUE(file_.records().empty());
}

TEST_F(TraceWriterTest, AFileThatCannotBeWrittenEndsTheProcessWithItsName) {
  EXPECT_DEATH(TraceWriter().open("/nonexistent/trace", false, nullptr), "/nonexistent/trace");
}

TEST_F(TraceWriterTest, ModulesThreadsAndNotesKeepTheirTexts) {
  writer_.module({1, 2, 3, 4}, "/lib/some.so");
  writer_.thread(a_);
  writer_.note("unmodelled");
  writer_.flush();
  std::vector<TraceRecord> records = file_.records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].kind, RecordKind::kModule);
  EXPECT_EQ(records[0].as<trace::ModuleInfo>().end, 4u);
  EXPECT_EQ(records[0].text<trace::ModuleInfo>(), "/lib/some.so");
  EXPECT_EQ(records[1].as<trace::ThreadInfo>().thread, 1u);
  EXPECT_EQ(records[1].as<trace::ThreadInfo>().created_at, (CodeName{9, 0x90}));
  EXPECT_EQ(records[1].text<trace::ThreadInfo>(), "main.1");
  EXPECT_EQ(records[2].payload, "unmodelled");
}

TEST_F(TraceWriterTest, AReadHasItsValueAtOnce) {
  words[0] = 77;
  access(a_, OpKind::kRead, address_of(words));
  words[0] = 78;
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].value, 77u);
  EXPECT_TRUE(events()[0].flags & trace::kValueKnown);
}

TEST_F(TraceWriterTest, AWriteHasTheValueThatWasCommitted) {
  access(a_, OpKind::kWrite, address_of(words));
  words[0] = 5;
  writer_.committed(address_of(words), 8);
  words[0] = 6;
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].value, 5u);
  EXPECT_TRUE(events()[0].flags & trace::kValueKnown);
}

TEST_F(TraceWriterTest, ValuesAreThoseOfTheBytesAccessedAcrossWordsToo) {
  words[0] = 0x1122334455667788;
  words[1] = 0x99aabbccddeeff00;
  access(a_, OpKind::kRead, address_of(words) + 1, 2);
  access(a_, OpKind::kRead, address_of(words) + 6, 4);
  ASSERT_EQ(events().size(), 2u);
  EXPECT_EQ(events()[0].value, 0x6677u);
  EXPECT_EQ(events()[1].value, 0xff001122u);
}

TEST_F(TraceWriterTest, WritesOfOneInstructionGetTheirValuesInOrder) {
  access(a_, OpKind::kWrite, address_of(&words[0]));
  access(a_, OpKind::kWrite, address_of(&words[1]));
  words[0] = 1;
  words[1] = 2;
  writer_.committed(address_of(&words[0]), 8);
  writer_.committed(address_of(&words[1]), 8);
  ASSERT_EQ(events().size(), 2u);
  EXPECT_EQ(events()[0].value, 1u);
  EXPECT_EQ(events()[1].value, 2u);
}

TEST_F(TraceWriterTest, AWriteThatIsNeverCommittedIsTracedWithoutAValue) {
  access(a_, OpKind::kWrite, address_of(words));
  access(b_, OpKind::kRead, address_of(words));
  std::vector<EventInfo> all = events();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].thread, 1u);
  EXPECT_FALSE(all[0].flags & trace::kValueKnown);
  EXPECT_EQ(all[1].thread, 2u);
}

TEST_F(TraceWriterTest, AnEventSaysWhereItsValueCameFrom) {
  ReadSource source{true, false, 12, {9, 0x44}, 2, OpKind::kWrite};
  access(a_, OpKind::kRead, address_of(words), 8, 0x10, source);
  access(a_, OpKind::kRead, address_of(words), 8, 0x10, {.unseen = true});
  std::vector<EventInfo> all = events();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].flags & trace::kReadsFromKnown);
  EXPECT_EQ(all[0].reads_from, 12u);
  EXPECT_EQ(all[0].source_thread, 2u);
  EXPECT_EQ(all[0].source_site, (CodeName{9, 0x44}));
  EXPECT_FALSE(all[1].flags & trace::kReadsFromKnown);
  EXPECT_TRUE(all[1].flags & trace::kFromUnseen);
}

TEST_F(TraceWriterTest, TheFirstEventAfterASwitchSaysSo) {
  for (const Thread* t : {&a_, &a_, &b_, &a_}) {
    access(*t, OpKind::kRead, address_of(words));
  }
  std::vector<bool> switched;
  for (const EventInfo& e : events()) {
    switched.push_back((e.flags & trace::kSwitchedHere) != 0);
  }
  EXPECT_EQ(switched, (std::vector{true, false, true, true}));
}

TEST_F(TraceWriterTest, OperationsComeAfterTheWritesBeforeThemWithTheirOutcome) {
  access(a_, OpKind::kWrite, address_of(words));
  Operation op;
  op.op = OpKind::kYield;
  op.timed_out = op.failed = true;
  op.event.op = OpKind::kYield;
  writer_.event(a_, op, 2);
  std::vector<EventInfo> all = events();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].step, 1u);
  EXPECT_EQ(all[1].step, 2u);
  EXPECT_EQ(all[1].flags, trace::kSchedulingPoint | trace::kTimedOutFlag | trace::kFailedFlag);
}

TEST_F(TraceWriterTest, ADecisionAgainstAThreadThatCouldGoOnIsAPreemption) {
  Operation op;
  a_.stop_with(op);
  b_.stop_with(op);
  writer_.decision(3, a_, b_, 2);
  writer_.decision(4, a_, a_, 2);
  a_.spin.spinning = true;
  writer_.decision(5, a_, b_, 2);
  writer_.flush();
  auto all = file_.all<trace::DecisionInfo>(RecordKind::kDecision);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].step, 3u);
  EXPECT_EQ(all[0].thread, 2u);
  EXPECT_EQ(all[0].previous, 1u);
  EXPECT_EQ(all[0].enabled, 2u);
  EXPECT_EQ(all[0].preempted, 1u);
  EXPECT_EQ(all[1].preempted, 0u);
  EXPECT_EQ(all[2].preempted, 0u);
}

TEST_F(TraceWriterTest, ALongTraceReachesTheFileBeforeItsEnd) {
  for (int i = 0; i < 3000; ++i) {
    access(a_, OpKind::kRead, address_of(words));
    writer_.note("");  // checks how much is buffered
  }
  EXPECT_GT(file_.bytes().size(), std::size_t{1} << 16);
  EXPECT_EQ(events().size(), 3000u);
}

}  // namespace
}  // namespace rff
