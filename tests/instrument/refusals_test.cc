// Tests that bad input ends with status 2, one line, and no output file.
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "tests/instrument/support.h"

namespace rff::test {
namespace {

class RefusalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    good_ = read_file(std::string(RFF_SUBJECTS) + "/ordinary_O2");
    ASSERT_GT(good_.size(), sizeof(Elf64_Ehdr));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string make(const std::string& content) {
    std::string path = folder_ + "/input";
    write_file(path, content);
    return path;
  }

  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
    std::vector<std::string> command{RFF_INSTRUMENT};
    command.insert(command.end(), arguments.begin(), arguments.end());
    auto before = count();
    Outcome outcome = execute(command);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(count(), before) << "left a file behind";
  }

  std::ptrdiff_t count() const {
    return std::distance(std::filesystem::directory_iterator(folder_),
                         std::filesystem::directory_iterator());
  }

  template <typename T>
  std::string with(std::size_t offset, T value) const {
    std::string image = good_;
    std::memcpy(image.data() + offset, &value, sizeof(value));
    return image;
  }

  std::string folder_, good_;
};

TEST_F(RefusalTest, NoSuchFile) { expect_refused({folder_ + "/nothing"}, "no such file"); }
TEST_F(RefusalTest, Folder) { expect_refused({folder_}, "not a regular file"); }
TEST_F(RefusalTest, Pipe) {
  std::string path = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expect_refused({path}, "not a regular file");
}
TEST_F(RefusalTest, HugeFile) {
  std::string path = make(good_);
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  expect_refused({path}, "larger than 2 GiB");
}
TEST_F(RefusalTest, RunsWithOthersRights) {
  std::string path = make(good_);
  ASSERT_EQ(chmod(path.c_str(), 04755), 0);
  expect_refused({path}, "is set-user-id or set-group-id: patch a copy without that bit");
}
TEST_F(RefusalTest, NoArgument) { expect_refused({}, "no FILE given"); }
TEST_F(RefusalTest, UnknownOption) { expect_refused({"--frobnicate", "x"}, "--help"); }
TEST_F(RefusalTest, UnknownBackend) {
  expect_refused({"--backend", "magic", make(good_)}, "--backend");
}
TEST_F(RefusalTest, TrapsOfTheBackendThatHasNone) {
  expect_refused({"--allow-traps", make(good_)}, "must go with --backend e9patch");
}
TEST_F(RefusalTest, E9PatchThatIsNotThere) {
  expect_refused({"--backend", "e9patch", "--e9patch", folder_ + "/none", make(good_)},
                 "install E9Patch, or name it with --e9patch PATH");
}
TEST_F(RefusalTest, E9PatchThatFails) {
  std::string program = folder_ + "/e9patch";
  write_file(program,
             "#!/bin/sh\n[ \"$1\" = --version ] && echo 'E9Patch 1.0.1' && exit\n"
             "echo ... ; echo 'error: cannot do it' >&2; exit 1\n");
  chmod(program.c_str(), 0755);
  expect_refused({"--backend", "e9patch", "--e9patch", program, make(good_)},
                 "E9Patch failed: error: cannot do it");
}
TEST_F(RefusalTest, NotElf) { expect_refused({make("#!/bin/sh\n")}, "not an ELF file"); }
TEST_F(RefusalTest, EmptyFile) { expect_refused({make("")}, "not an ELF file"); }
TEST_F(RefusalTest, ThirtyTwoBit) {
  expect_refused({make(with<char>(EI_CLASS, ELFCLASS32))}, "32-bit");
}
TEST_F(RefusalTest, OtherArchitecture) {
  expect_refused({make(with<std::uint16_t>(offsetof(Elf64_Ehdr, e_machine), EM_AARCH64))},
                 "another architecture");
}
TEST_F(RefusalTest, ObjectFile) {
  expect_refused({make(with<std::uint16_t>(offsetof(Elf64_Ehdr, e_type), ET_REL))},
                 "neither an executable nor a shared library");
}
TEST_F(RefusalTest, StaticExecutable) {
  expect_refused({std::string(RFF_SUBJECTS) + "/static_executable", "-o", folder_ + "/out"},
                 "statically linked");
}
TEST_F(RefusalTest, StaticPie) {
  expect_refused({std::string(RFF_SUBJECTS) + "/static_pie", "-o", folder_ + "/out"},
                 "statically linked");
}
TEST_F(RefusalTest, TruncatedAnywhere) {
  for (std::size_t size : {5UL, 20UL, 63UL, 100UL, 500UL, good_.size() / 4}) {
    expect_refused({make(good_.substr(0, size))}, "truncated");
  }
}
TEST_F(RefusalTest, AlreadyPatched) {
  patch(make(good_), folder_ + "/patched", folder_ + "/report.json");
  expect_refused({folder_ + "/patched"}, "already patched");
}
TEST_F(RefusalTest, UnreadableFile) {
  std::string path = make(good_);
  chmod(path.c_str(), 0);
  if (geteuid() != 0) {
    expect_refused({path}, "permission denied");
    return;
  }
  // Root can read every file: run as another user.
  chmod(folder_.c_str(), 0755);
  Outcome outcome = execute(
      {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", RFF_INSTRUMENT, path});
  if (outcome.status == 126 || outcome.status == 127) {
    GTEST_SKIP() << "root can read every file, and nobody else may run " << RFF_INSTRUMENT;
  }
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("permission denied"), std::string::npos) << outcome.err;
}
TEST_F(RefusalTest, OutputIsTheInput) {
  std::string path = make(good_);
  expect_refused({path, "-o", path}, "would overwrite the original");
  EXPECT_EQ(read_file(path), good_);
}
TEST_F(RefusalTest, OutputIsNotARegularFile) {
  expect_refused({make(good_), "-o", "/dev/full"}, "not a regular file");
  expect_refused({make(good_), "-o", folder_}, "cannot write");
}
TEST_F(RefusalTest, OutputFolderIsMissing) {
  expect_refused({make(good_), "-o", folder_ + "/none/out"}, "No such file or directory");
}
TEST_F(RefusalTest, NoSpaceLeavesNothingBehind) {
  // A limit on file size stands in for a full disk: the write fails half-way.
  std::string path = make(good_);
  auto before = count();
  Outcome outcome = execute(
      {"/bin/sh", "-c", "ulimit -f 20; trap '' XFSZ; exec \"$0\" \"$@\"", RFF_INSTRUMENT, path});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("cannot write"), std::string::npos) << outcome.err;
  EXPECT_EQ(count(), before);
}

TEST_F(RefusalTest, NoPatchedFileWithoutItsReport) {
  std::string path = make(good_);
  expect_refused({path, "--json", "/dev/full"}, "cannot write /dev/full: No space left on device");
  expect_refused({path, "--json", folder_}, "Is a directory");
  expect_refused({path, "--json", folder_ + "/none/report"}, "No such file or directory");
}
TEST_F(RefusalTest, ReportInPlaceOfAnotherFile) {
  std::string path = make(good_);
  expect_refused({path, "--json", path}, "would overwrite the original");
  EXPECT_EQ(read_file(path), good_);
  expect_refused({path, "-o", folder_ + "/one", "--json", folder_ + "/one"}, "name two files");
}
TEST_F(RefusalTest, ListThatCannotBeWritten) {
  Outcome outcome = execute(
      {"/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/full", RFF_INSTRUMENT, "--list", make(good_)});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("standard output: No space left on device"), std::string::npos);
}

TEST_F(RefusalTest, LinkToTheOutputStays) {
  std::string link = folder_ + "/link";
  write_file(folder_ + "/linked", "old");
  ASSERT_EQ(symlink("linked", link.c_str()), 0);
  patch(make(good_), link, folder_ + "/report.json");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_GT(std::filesystem::file_size(folder_ + "/linked"), good_.size());
}

TEST_F(RefusalTest, PermissionsArePreserved) {
  std::string path = make(good_);
  chmod(path.c_str(), 0751);
  patch(path, folder_ + "/out", folder_ + "/report.json");
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0751U);
}

TEST_F(RefusalTest, ListNamesFunctionsAndLines) {
  Outcome outcome = execute({RFF_INSTRUMENT, "--list", std::string(RFF_SUBJECTS) + "/ordinary_O0"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find(" read 4 Compare "), std::string::npos);
  EXPECT_NE(outcome.out.find("ordinary.c:"), std::string::npos);
}

}  // namespace
}  // namespace rff::test
