// Tests that addresses are the same in every process, inside a container (in_container.c) and
// outside, so that a finding from one side fails in the same way on the other.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "fuzzer/common/files.h"
#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class LayoutTest : public ReplayTest {
 protected:
  static std::string program(const std::string& name) {
    return (build_folder() / "test-programs" / name).string();
  }
  static Words container() { return {program("in_container")}; }
  static Words launch(const std::string& name) { return {tool("rff-launch"), program(name)}; }
  // Returns the command, preceded by the commands of a shell.
  static Words with(const std::string& commands, const Words& command) {
    return Words{"/bin/sh", "-c", commands + " && exec \"$@\"", "sh"} + command;
  }
  static std::string output(const Words& command) {
    Output o = run_command(command);
    EXPECT_EQ(o.exit_status, 0) << o.out << o.err;
    return o.out;
  }
  // Expects one line and exit status 3: it is not a failure of the program.
  static void expect_failed(const Output& o, const std::string& text) {
    EXPECT_EQ(o.exit_status, 3) << o.out << o.err;
    EXPECT_NE(o.err.find(text), std::string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
};

TEST_F(LayoutTest, RandomisationIsOnWhereTheseTestsRun) {
  EXPECT_EQ(read_file("/proc/sys/kernel/randomize_va_space"), "2\n");
  Words plain = container() + Words{program("show_layout")};
  EXPECT_NE(output(plain), output(plain));
}

TEST_F(LayoutTest, TwoHundredProcessesAreMappedTheSame) {
  for (const char* name : {"show_layout", "show_layout_at_fixed_place"}) {
    std::string expected = output(launch(name));
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(output(launch(name)), expected) << name << ", process " << i;
      ASSERT_EQ(output(container() + launch(name)), expected) << name << " in a container";
    }
  }
}

TEST_F(LayoutTest, NeitherLimitsNorTheEnvironmentMoveAnything) {
  std::string expected = output(launch("show_layout"));
  EXPECT_EQ(output(with("ulimit -S -v 4000000", container() + launch("show_layout"))), expected);
  for (const char* setting : {"export A_LONG_ONE=$(seq 3000)",
                              "for i in $(seq 900); do export V$i=1; done", "ulimit -S -n 64"}) {
    EXPECT_EQ(output(with(setting, container() + launch("show_layout"))), expected) << setting;
  }
  auto without_stack = [](const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      bool stack = line.find("[stack]") != line.npos || line.find(" ---p ") != line.npos;
      kept += stack ? "" : line + "\n";
    }
    return kept;
  };
  for (const char* limit : {"unlimited", "1000000", "100000", "1000"}) {
    std::string command = std::string("ulimit -s ") + limit;
    EXPECT_EQ(without_stack(output(with(command, container() + launch("show_layout")))),
              without_stack(expected))
        << limit;
  }
}

TEST_F(LayoutTest, TheProgramSeesWhatItsUserHasSet) {
  Words show = launch("show_layout") + Words{"surroundings"};
  std::string own = "LD_AUDIT=\nGLIBC_TUNABLES=\nLD_PRELOAD=\nRFF_PLACED=\nRFF_LAUNCHER=\n";
  std::string file = "first word " + program("show_layout") + "\nexecutable " +
                     fs::canonical(program("show_layout")).string() + "\n";
  std::string seen = output(show);
  EXPECT_NE(seen.find(own + file), std::string::npos) << seen;
  seen = output(
      with("ulimit -s unlimited && export LD_AUDIT=/nowhere.so GLIBC_TUNABLES=glibc.malloc.check=0",
           show));
  EXPECT_NE(seen.find("stack limit -1,"), std::string::npos) << seen;
  EXPECT_NE(seen.find("LD_AUDIT=/nowhere.so\nGLIBC_TUNABLES=glibc.malloc.check=0\n"),
            std::string::npos)
      << seen;
}

TEST_F(LayoutTest, LongAndManyArgumentsReachTheProgram) {
  Words show = launch("show_layout") + Words{"surroundings"};
  Words one = show;
  for (int i = 0; i < 8; ++i) {
    one.push_back(std::string(125'000, 'x'));
  }
  EXPECT_TRUE(output(container() + one).starts_with("10 arguments of 1000012 bytes"));
  EXPECT_TRUE(output(container() + show + Words(20'000, "ab"))
                  .starts_with("20002 arguments of 40012 bytes"));
}

TEST_F(LayoutTest, WithoutPrctlThereIsNoHeapButAllElseStays) {
  Words show = Words{program("in_container"), "--no-set-mm"} + launch("show_layout");
  auto addresses = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  std::string expected = addresses(output(show));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(addresses(output(show)), expected);
  }
}

// Returns a command for the first start, as rff-launch would make it, with these variables.
Words first_start(const std::string& place, const Words& variables) {
  return Words{"/usr/bin/env", "RFF_FIRST_START=" + place} + variables;
}

TEST_F(LayoutTest, ASealedVdsoStaysAndMovesNothing) {
  std::string place = (build_folder() / "lib" / "librff_place.so").string();
  auto start = [&](const std::string& others) {
    return first_start(place, {"LD_AUDIT=" + others + place, "GLIBC_TUNABLES=glibc.pthread.rseq=0",
                               program("show_layout")});
  };
  Output o = run_command(start(program("seal_vdso.so") + ":"));
  if (o.exit_status == 77) {
    GTEST_SKIP() << "this kernel cannot seal mappings";
  }
  EXPECT_EQ(o.exit_status, 0) << o.err;
  EXPECT_NE(o.out.find("[vdso]"), std::string::npos) << o.out;
  // MAP_32BIT is handled by the runtime, which is not loaded here.
  auto places = [](const std::string& text) {
    std::size_t low = text.find("low ");
    return text.substr(0, low) +
           text.substr(text.find("printf"), text.find('\n') - text.find("printf"));
  };
  EXPECT_EQ(places(o.out), places(output(start(""))));
}

TEST_F(LayoutTest, ImpossiblePlacementIsSaidInOneLine) {
  Words show = launch("show_layout");
  expect_failed(run_command(with("ulimit -v 4000000", container() + show)),
                "the limit of address space is 4000000 kB; run it with ulimit -v unlimited");
  std::string place = (build_folder() / "lib" / "librff_place.so").string();
  Words variables = {"LD_AUDIT=" + place, "GLIBC_TUNABLES=glibc.pthread.rseq=0",
                     program("show_layout")};
  expect_failed(run_command(with("ulimit -s unlimited", first_start(place, variables))),
                "the kernel maps memory upwards; set the sysctl vm.legacy_va_layout to 0");
  variables.erase(variables.begin() + 1);
  expect_failed(run_command(first_start(place, variables)), "restartable sequences");
  Words lost = {"/usr/bin/env", "RFF_CONTROL=1",
                "LD_PRELOAD=" + (build_folder() / "lib" / "libsched.so").string(),
                program("show_layout")};
  Output o = run_command(lost);
  EXPECT_NE(o.err.find("the loader did not call librff_place.so"), std::string::npos) << o.err;
  std::string lent = path("lent");
  fs::copy_file(program("show_layout"), lent);
  if (geteuid() == 0) {
    EXPECT_EQ(chown(lent.c_str(), 1, 1), 0);
    EXPECT_EQ(chmod(lent.c_str(), 04755), 0);
    expect_failed(run_command({tool("rff-launch"), lent}), "rights of another user; run a copy");
  }
}

// The program depends on addresses: it deadlocks in the order of hashed pointers.
struct Case {
  const char* name;
  Words arguments;
};

class FindingsTest : public LayoutTest, public testing::WithParamInterface<Case> {
 protected:
  Words make(const std::string& schedule) {
    return Words{(build_folder() / "test-bin" / "make_finding").string(), path(schedule), "pos",
                 "200", patched(program("order_by_address"))} +
           GetParam().arguments;
  }
  void expect_reproduced(const Words& prefix, const std::string& schedule) {
    for (const char* carrier : {"fiber", "thread"}) {
      Output o = run_command(
          prefix + Words{tool("rff-replay"), "--runs", "3", "--carrier", carrier, schedule});
      EXPECT_EQ(o.exit_status, 1) << carrier << o.out << o.err;
      EXPECT_NE(o.out.find("3 the same run event by event"), std::string::npos) << o.out;
    }
  }
};

TEST_P(FindingsTest, ReplayInsideAndOutside) {
  output(container() + make("inside.bin"));
  output(make("outside.bin"));
  EXPECT_EQ(read_file(path("inside.bin")), read_file(path("outside.bin")));
  expect_reproduced({}, path("inside.bin"));
  expect_reproduced(container(), path("outside.bin"));
}

TEST_P(FindingsTest, AreShownByGdbInsideAndOutside) {
  if (run_command({"gdb", "--version"}).exit_status != 0) {
    GTEST_SKIP() << "gdb is not installed";
  }
  output(make("schedule.bin"));
  for (const Words& prefix : {Words{}, container()}) {
    Output o =
        run_command(prefix + Words{tool("rff-replay"), "--gdb", "--gdb-arg=-batch", "--gdb-arg=-ex",
                                   "--gdb-arg=thread apply all backtrace", path("schedule.bin")});
    for (const char* part : {"Thread main.1: waits for", "in transfer", "in main"}) {
      EXPECT_NE(o.out.find(part), std::string::npos) << "no " << part << " in:\n" << o.out << o.err;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, FindingsTest,
                         testing::Values(Case{"Plain", {}}, Case{"OpenPipe", {"pipe"}},
                                         Case{"RemovesItself", {"unlink"}},
                                         Case{"LongArguments", Words(8, std::string(125'000, 'x'))},
                                         Case{"ManyArguments", Words(20'000, "ab")}),
                         [](const auto& parameter) { return parameter.param.name; });

class CampaignInContainerTest : public LayoutTest {};

TEST_F(CampaignInContainerTest, FindsWhatReplaysOutside) {
  Words fuzz = {tool("rff-fuzz"), "-n", "40", "-o", path("out"), "--", program("order_by_address")};
  Output o = run_command(container() + fuzz);
  EXPECT_EQ(o.exit_status, 1) << o.out << o.err;
  EXPECT_EQ(o.out.find("unstable"), std::string::npos) << o.out;
  for (const char* carrier : {"fiber", "thread"}) {
    o = replay(
        {"--runs", "3", "--carrier", carrier, path("out/findings/001-deadlock/schedule.bin")});
    EXPECT_NE(o.out.find("3 the same run event by event"), std::string::npos) << o.out << o.err;
  }
}

TEST_F(CampaignInContainerTest, EndsWithTheReasonWhereItCannotRun) {
  Words fuzz = {tool("rff-fuzz"), "-n", "40", "-o", path("out"), "--", program("order_by_address")};
  Output o = run_command(with("ulimit -v 4000000", container() + fuzz));
  EXPECT_EQ(o.exit_status, 3) << o.out << o.err;
  EXPECT_NE(o.err.find("run it with ulimit -v unlimited"), std::string::npos) << o.out << o.err;
}

}  // namespace
}  // namespace rff::test
