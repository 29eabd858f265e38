// Tests that the program's output is kept, without any change that the program can notice.
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "fuzzer/run/runner.h"
#include "tests/replay/replay_fixture.h"
#include "tests/support/program.h"

namespace rff::test {
namespace {

// The program prints in every possible way. What it can learn about itself, its mappings and the
// remains on its stack, becomes values that the threads see.
constexpr char kPrintingProgram[] = R"(
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>
static volatile unsigned long seen, turn;
static unsigned long hash(unsigned long h, const volatile char *p, long n) {
  while (n-- > 0) h = h * 31 + (unsigned char)*p++;
  return h;
}
__attribute__((noinline)) static unsigned long left_on_stack(void) {
  volatile char junk[2000];
  return hash(0, junk, sizeof junk);
}
static unsigned long mappings(void) {
  static char text[1 << 16];
  int fd = open("/proc/self/maps", O_RDONLY);
  long n = read(fd, text, sizeof text), more;
  while (n > 0 && n < (long)sizeof text && (more = read(fd, text + n, sizeof text - n)) > 0) n += more;
  close(fd);
  unsigned long h = 1;
  for (char *line = text; line < text + n; line = strchr(line, '\n') + 1)
    h = hash(h, line, strchr(line, ' ') + 5 - line);  // addresses and rights
  return h;
}
static void *print(void *unused) {
  struct iovec parts[2] = {{"ve", 2}, {"ctor\n", 5}};
  struct stat s;
  fprintf(stderr, "%s %d\n", "stderr", 1);
  seen += left_on_stack();
  printf("line %ld\n", (long)unused);
  seen += left_on_stack();
  write(1, "raw\n", 4);
  seen += left_on_stack();
  writev(2, parts, 2);
  seen += left_on_stack();
  syscall(SYS_write, 1, "call\n", 5);
  dprintf(2, "descriptor %d\n", 2);
  seen += left_on_stack() + mappings();
  fstat(1, &s);
  seen += s.st_rdev * 10 + isatty(1);
  turn = 1;
  return 0;
}
static void *fail(void *unused) {
  printf("not flushed");
  fwrite("", 1, 0, stdout);
  assert(turn == 1);
  return unused;
}
int main(int argc, char **argv) {
  pthread_t a, b;
  setvbuf(stdout, 0, _IOLBF, 0);
  for (int i = 0; argc > 1 && i < 20000; i++) printf("many %d\n", i);
  puts("hello");
  pthread_create(&a, 0, print, 0);
  pthread_create(&b, 0, fail, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)";

class OutputTest : public ReplayTest {
 protected:
  std::string recorded() {
    write("program.c", kPrintingProgram);
    Output o = run_command(
        {RFF_CC, "-O1", "-g", "-pthread", "-w", "-o", path("program"), path("program.c")});
    EXPECT_EQ(o.exit_status, 0) << o.err;
    return finding(path("program"));
  }
};

TEST_F(OutputTest, ShowsTheOutputOfAFailingRun) {
  std::string schedule = recorded();
  auto j = nlohmann::json::parse(replay({"--quick", "--json", schedule}).out);
  std::string text = j["output"]["text"];
  EXPECT_NE(text.find("hello\n"), std::string::npos) << text;
  EXPECT_NE(text.find("not flushed"), std::string::npos) << text;
  EXPECT_NE(text.find("assertion `turn == 1' failed\n"), std::string::npos) << text;
  EXPECT_EQ(j["output"]["left_out"], 0);
  Output o = replay({"--quick", schedule});
  EXPECT_NE(o.out.find("\nThe program printed:\n\n  | "), std::string::npos) << o.out;
}

TEST_F(OutputTest, KeepsEveryKindOfOutputAndTheSameRun) {
  Schedule s = *decode_schedule(*read_file(recorded())).schedule;
  s.finding.reset();
  s.scheduler = SchedulerKind::kSteady;  // each thread runs to its end
  for (const char* carrier : {"fiber", "thread"}) {
    rff::Runner::Settings settings{.launcher = launcher(), .carrier = carrier};
    rff::Run plain = rff::Runner(settings).run(s);
    settings.tee_output = true;
    rff::Run teed = rff::Runner(settings).run(s);
    EXPECT_EQ(plain.output, "");
    EXPECT_EQ(teed.output, "hello\nstderr 1\nline 0\nraw\nvector\ncall\ndescriptor 2\nnot flushed")
        << carrier;
    EXPECT_EQ(plain.finding.kind, FindingKind::kNone);
    EXPECT_EQ(teed.finding.trace_hash, plain.finding.trace_hash) << carrier;
  }
}

TEST_F(OutputTest, KeepsTheEndOfALongRun) {
  Schedule s = *decode_schedule(*read_file(recorded())).schedule;
  s.finding.reset();
  s.scheduler = SchedulerKind::kSteady;
  s.target.arguments = {"long"};
  rff::Run run = rff::Runner({.launcher = launcher(), .tee_output = true}).run(s);
  EXPECT_EQ(run.output.size(), 64u << 10);
  EXPECT_TRUE(run.output.ends_with("not flushed")) << run.output.substr(60000);
  EXPECT_NE(run.output.find("\nmany 19999\nhello\n"), std::string::npos);
  EXPECT_EQ(run.output.find("many 10\n"), std::string::npos);
  EXPECT_GT(run.output_left_out, 100'000u);
}

}  // namespace
}  // namespace rff::test
