#include "fuzzer/common/corpus_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "fuzzer/common/files.h"
#include "fuzzer/common/temporary_folder.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

class CorpusFolderTest : public ::testing::Test {
 protected:
  fs::path file(const char* name) { return folder_ / name; }
  TemporaryFolder folder_;
};

TEST_F(CorpusFolderTest, HasItsSchedulesInTheOrderOfTheirNames) {
  for (const char* name : {"b", "a"}) {
    Schedule s;
    s.seed = name[0] == 'a' ? 1 : 2;
    ASSERT_EQ(write_file(file(name), encode_schedule(s)), 0);
  }
  fs::create_directory(file("folder"));
  fs::create_symlink("a", file("c"));
  CorpusFolder corpus = load_corpus(file(""));
  ASSERT_EQ(corpus.schedules.size(), 3u);
  EXPECT_EQ(corpus.schedules[0].seed, 1u);
  EXPECT_EQ(corpus.schedules[1].seed, 2u);
  EXPECT_EQ(corpus.schedules[2].seed, 1u);
  EXPECT_EQ(corpus.files[1], file("b"));
  EXPECT_TRUE(corpus.left_out.empty());
}

// Reading must not block on any of these files.
TEST_F(CorpusFolderTest, NamesWhatItLeavesOut) {
  ASSERT_EQ(write_file(file("text"), "no schedule"), 0);
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  fs::create_symlink("nowhere", file("link"));
  fs::create_symlink("/dev/zero", file("zero"));
  std::ofstream(file("large")) << "x";
  fs::resize_file(file("large"), std::uintmax_t{6} << 30);
  CorpusFolder corpus = load_corpus(file(""));
  EXPECT_TRUE(corpus.schedules.empty());
  std::vector<std::string> expected = {"large (larger than any schedule (64 MiB))",
                                       "link (a link to nothing)", "pipe (a pipe)",
                                       "text (not a schedule)", "zero (a device)"};
  EXPECT_EQ(corpus.left_out, expected);
}

TEST(ReadFile, StopsAtTheMostThatWasAskedFor) {
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20));
  EXPECT_EQ(errno, EFBIG);
  EXPECT_EQ(read_file("/dev/null", 0), std::string());
}

}  // namespace
}  // namespace rff
