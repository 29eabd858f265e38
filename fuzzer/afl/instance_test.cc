#include "fuzzer/afl/instance.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>

#include "fuzzer/common/corpus_folder.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/overflow.h"
#include "fuzzer/common/shared_mapping.h"
#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

struct RecordingLink : CampaignLink {
  std::vector<Report> reports;
  Reply reply = Reply::kConfirmed;
  void send(const Report& report) override { reports.push_back(report); }
  Reply ask(const Report& report) override {
    reports.push_back(report);
    return reply;
  }
};

class InstanceTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rff-instance-XXXXXX";
    folder_ = ::mkdtemp(name);
    fs::create_directories(fs::path(folder_) / "inbox");
    fs::create_directories(fs::path(folder_) / "corpus");
    campaign_memory_ = SharedMapping::create(sizeof(CampaignMemory));
    shared_memory_ = SharedMapping::create(sizeof(SharedMemory));
    shared().initialize();
    campaign().seed = 1;
    campaign().search = {};
    campaign().folder.set(folder_);
    start();
  }
  void TearDown() override { fs::remove_all(folder_); }

  void start() { instance_ = std::make_unique<Instance>(campaign(), 0, shared(), link_); }
  CampaignMemory& campaign() { return *campaign_memory_.as<CampaignMemory>(); }
  SharedMemory& shared() { return *shared_memory_.as<SharedMemory>(); }

  // Writes the record that the runtime would write.
  void run(RunOutcome outcome, std::uint32_t write_site = 1) {
    RunRecord& r = shared().run;
    r.event_list.clear();
    r.pairs.clear();
    Location x = test_data::variable(8);
    r.event_list.append(test_data::write_at(x, write_site));
    r.event_list.append(test_data::read_at(x, 2));
    r.pairs.append({0, 1});
    r.outcome.store(outcome);
    r.finding = outcome == RunOutcome::kFinding ? FindingKind::kCrash : FindingKind::kNone;
    r.place = outcome == RunOutcome::kFinding ? CodeName{7, 99} : CodeName{};
    r.state.store(RunState::kEnded);
  }
  // Handles one test case as afl-fuzz does. Returns false when the campaign is over.
  bool step(RunOutcome outcome = RunOutcome::kNormal, std::uint32_t write_site = 1) {
    std::string bytes(instance_->next());
    if (bytes.empty()) return false;
    for (int calibration = 0; calibration < 4; ++calibration) {
      EXPECT_EQ(instance_->about_to_run(bytes), bytes);
      if (calibration == 0) run(outcome, write_site);
    }
    return true;
  }

  std::string folder_;
  SharedMapping campaign_memory_;
  SharedMapping shared_memory_;
  RecordingLink link_;
  std::unique_ptr<Instance> instance_;
};

TEST_F(InstanceTest, RemembersWhichListsOverflowedInAnyRun) {
  EXPECT_TRUE(step());
  shared().run.decisions.overflowed.store(3);
  EXPECT_TRUE(step());
  EXPECT_EQ(campaign().instance[0].overflowed.load(), kDecisionsOverflowed);
  shared().run.decisions.clear();
  EXPECT_TRUE(step());
  instance_->finish();
  EXPECT_EQ(campaign().instance[0].overflowed.load(), kDecisionsOverflowed);
}

TEST_F(InstanceTest, AFindingWithMoreDecisionsThanRecordedIsRepeatedFromItsSeed) {
  shared().run.decisions.append({1, 2});
  shared().run.decisions.overflowed.store(1);
  EXPECT_TRUE(step(RunOutcome::kFinding));
  instance_->finish();
  ASSERT_FALSE(link_.reports.empty());
  DecodeResult decoded = decode_schedule(*read_file(std::string(link_.reports[0].path.view())));
  ASSERT_TRUE(decoded.schedule && decoded.schedule->finding) << decoded.error;
  EXPECT_TRUE(decoded.schedule->finding->decisions.empty());
}

TEST_F(InstanceTest, CountsEachScheduleOnceHoweverOftenItIsRepeated) {
  campaign().max_schedules = 5;
  int steps = 0;
  while (step()) ++steps;
  EXPECT_EQ(steps, 5);
  EXPECT_EQ(campaign().instance[0].schedules.load(), 5u);
  EXPECT_EQ(campaign().stop.load(), 1u);
}

TEST_F(InstanceTest, TakesInTheLastRunWhenItEnds) {
  step();
  EXPECT_EQ(campaign().instance[0].schedules.load(), 0u);
  instance_->finish();
  EXPECT_EQ(campaign().instance[0].schedules.load(), 1u);
}

TEST_F(InstanceTest, ForgetsARunThatWasCutOffByTheEnd) {
  step();
  shared().run.state.store(RunState::kStarted);
  campaign().stop.store(1);
  instance_->finish();
  EXPECT_EQ(campaign().instance[0].schedules.load(), 0u);
}

TEST_F(InstanceTest, AsksAboutAFailureOnceAndThenCounts) {
  for (int i = 0; i < 4; ++i) step(RunOutcome::kFinding);
  instance_->finish();
  ASSERT_EQ(link_.reports.size(), 4u);
  EXPECT_EQ(link_.reports[0].kind, ReportKind::kFinding);
  EXPECT_EQ(link_.reports[0].schedule, 1u);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(link_.reports[i].kind, ReportKind::kSameFinding);

  DecodeResult decoded =
      decode_schedule(read_file(std::string(link_.reports[0].path.view())).value_or(""));
  ASSERT_TRUE(decoded.schedule) << decoded.error;
  EXPECT_TRUE(decoded.schedule->points.listed);
  EXPECT_EQ(decoded.schedule->finding->kind, FindingKind::kCrash);
}

TEST_F(InstanceTest, StopsAskingAboutWhatNeverRepeats) {
  link_.reply = Reply::kUnstable;
  for (int i = 0; i < 10; ++i) step(RunOutcome::kFinding);
  EXPECT_EQ(link_.reports.size(), 3u);
}

TEST_F(InstanceTest, EndsAtTheFirstBugIfToldTo) {
  campaign().until_bug = true;
  EXPECT_TRUE(step(RunOutcome::kFinding));
  EXPECT_FALSE(step());
  EXPECT_EQ(campaign().instance[0].schedules.load(), 1u);
}

TEST_F(InstanceTest, GivesSchedulesOfOthersItsOwnPoints) {
  step();
  std::string ours(instance_->next());
  instance_->about_to_run(ours);
  run(RunOutcome::kNormal, 1);
  shared().points.append(17);
  Schedule foreign;
  foreign.seed = 5;
  foreign.points = {.every_access = false, .listed = false, .shared_version = 40, .sites = {}};
  // No new schedule runs in its place, and nothing is counted for it.
  EXPECT_EQ(instance_->about_to_run(encode_schedule(foreign)), ours);
  EXPECT_EQ(instance_->about_to_run("no schedule"), ours);

  std::string ran(instance_->next());
  DecodeResult decoded = decode_schedule(ran);
  ASSERT_TRUE(decoded.schedule);
  EXPECT_EQ(decoded.schedule->seed, 5u);
  EXPECT_EQ(decoded.schedule->points.shared_version, 1u);
  std::uint32_t corpus = campaign().instance[0].corpus.load();
  instance_->about_to_run(ran);
  run(RunOutcome::kNormal, 30);
  instance_->finish();
  EXPECT_EQ(campaign().instance[0].schedules.load(), 3u);
  EXPECT_EQ(campaign().instance[0].corpus.load(),
            corpus);  // other instances count their own members
}

// afl-fuzz continues to read the returned bytes while it examines a schedule of another instance.
TEST_F(InstanceTest, AnswersForSchedulesOfOthersStayInPlace) {
  step();
  std::string_view ours = instance_->next();
  instance_->about_to_run(ours);
  run(RunOutcome::kNormal, 1);
  Schedule foreign;
  for (foreign.seed = 0; foreign.seed < 10; ++foreign.seed) {
    std::string_view answer = instance_->about_to_run(encode_schedule(foreign));
    EXPECT_EQ(answer.data(), ours.data());
    EXPECT_EQ(instance_->about_to_run(answer).data(), ours.data());
  }
}

TEST_F(InstanceTest, TheTalliesOfARestartedInstanceAddUp) {
  auto proposals = [&] {
    std::uint64_t n = 0;
    for (const SharedTally& t : campaign().instance[0].search) n += t.proposals.load();
    return n;
  };
  for (int i = 0; i < 4; ++i) step();
  std::uint64_t before = proposals();
  EXPECT_EQ(campaign().instance[0].search[0].strategy.view(), "opening");
  EXPECT_GE(before, 3u);
  start();
  for (int i = 0; i < 4; ++i) step();
  EXPECT_EQ(proposals(), 2 * before);
}

TEST_F(InstanceTest, KeepsItsCorpusOnDisk) {
  campaign().search.paper = true;
  start();
  step(RunOutcome::kNormal, 1);
  step(RunOutcome::kNormal, 1);
  step(RunOutcome::kNormal, 3);
  instance_->finish();
  CorpusFolder kept = load_corpus(folder_ + "/corpus");
  EXPECT_EQ(kept.schedules.size(), 2u);
  EXPECT_TRUE(kept.left_out.empty());
}

TEST_F(InstanceTest, ReportsADiskThatTakesNoMore) {
  fs::remove_all(fs::path(folder_) / "corpus");
  step();
  EXPECT_FALSE(step());
  ASSERT_EQ(link_.reports.size(), 1u);
  EXPECT_EQ(link_.reports[0].kind, ReportKind::kTrouble);
}

TEST_F(InstanceTest, AuditsTheFirstTwentyAndThenOneInAThousand) {
  campaign().audit = true;
  campaign().schedules_before = 0;
  std::set<std::uint64_t> audited;
  for (int i = 0; i < 1005; ++i) step();
  for (const Report& r : link_.reports) {
    if (r.kind == ReportKind::kAudit) audited.insert(r.schedule);
  }
  EXPECT_EQ(audited.size(), 21u);
  EXPECT_TRUE(audited.contains(1) && audited.contains(20) && audited.contains(1000));
}

TEST_F(InstanceTest, EndsWhenTheProgramHasNoThreads) {
  step();
  shared().run.flags = kNoThreads;
  EXPECT_FALSE(step());
}

TEST(SharedIdSet, CountsIdsOnceAndStopsBeforeItIsFull) {
  auto set = std::make_unique<SharedIdSet<64>>();
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t id = 0; id < 30; ++id) EXPECT_EQ(set->insert(id * 977), round == 0);
  }
  EXPECT_EQ(set->size(), 30u);
  for (std::uint64_t id = 1000; id < 2000; ++id) set->insert(id);
  EXPECT_EQ(set->size(), 48u);
}

}  // namespace
}  // namespace rff
