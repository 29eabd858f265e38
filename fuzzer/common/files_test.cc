#include "fuzzer/common/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzzer/common/temporary_folder.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

TEST(Files, APipeIsWrittenToAndStays) {
  TemporaryFolder folder;
  std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(write_file(path, "text"), 0);
  EXPECT_TRUE(fs::is_fifo(path));
  char read[8];
  EXPECT_EQ(::read(reader, read, sizeof read), 4);
  ::close(reader);
}

TEST(Files, ALinkStaysAndItsFileIsWritten) {
  TemporaryFolder folder;
  ASSERT_EQ(write_file(folder / "file", "old"), 0);
  fs::create_symlink("file", folder / "link");
  EXPECT_EQ(write_file(folder / "link", "new"), 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "file"), "new");
}

TEST(Files, WhatCannotBeWrittenLeavesNothing) {
  TemporaryFolder folder;
  fs::create_directory(folder / "taken");
  EXPECT_NE(write_file(folder / "taken", "text"), 0);
  EXPECT_NE(write_file(folder / "missing/file", "text"), 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / ""), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace rff
