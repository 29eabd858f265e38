// The last run as a file and as a line of text.
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "libsched/embedded/door.h"
#include "libsched/support/real.h"
#include "schedule/base64.h"

namespace rff::embedded {
namespace {

Target this_program() {
  Target target;
  char path[PATH_MAX];
  long n = real::syscall6(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                          reinterpret_cast<long>(path), sizeof path);
  target.path.assign(path, n > 0 ? static_cast<std::size_t>(n) : 0);
  long fd = real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/cmdline"),
                           O_RDONLY | O_CLOEXEC);
  std::string words;
  char chunk[4096];
  for (long got = 0; fd >= 0 && (got = real::syscall6(SYS_read, fd, reinterpret_cast<long>(chunk),
                                                      sizeof chunk)) > 0;) {
    words.append(chunk, static_cast<std::size_t>(got));
  }
  real::syscall6(SYS_close, fd);
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = words.find('\0', at);
    end = end == std::string::npos ? words.size() : end;
    if (at > 0) {
      target.arguments.push_back(words.substr(at, end - at));
    }
    at = end + 1;
  }
  return target;
}

// The last run with all of its decisions.
std::string last_run_encoded() {
  const RunRecord& record = door().made().process.shared->run;
  Schedule schedule = schedule_of(door().kept().given);
  std::vector<Decision> decisions(record.decisions.begin(), record.decisions.end());
  schedule.target = this_program();
  if (record.outcome.load() == RunOutcome::kFinding) {
    Finding found;
    found.kind = record.finding;
    found.place = record.place;
    found.trace_hash = record.trace_hash;
    found.decisions = std::move(decisions);
    found.failure.facts = record.failure;
    found.failure.words = record.words.view();
    schedule.finding = std::move(found);
  } else {
    schedule.prefix = std::move(decisions);
  }
  return encode_schedule(schedule);
}

}  // namespace
}  // namespace rff::embedded

using namespace rff;
using namespace rff::embedded;

RFF_EXPORT int rff_save(const char* path) {
  std::string bytes = last_run_encoded();
  long fd = real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path),
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  for (std::size_t at = 0; fd >= 0 && at < bytes.size();) {
    long n = real::syscall6(SYS_write, fd, reinterpret_cast<long>(bytes.data() + at),
                            static_cast<long>(bytes.size() - at));
    if (n <= 0) {
      real::syscall6(SYS_close, fd);
      fd = n;
      break;
    }
    at += static_cast<std::size_t>(n);
  }
  if (fd < 0) {
    errno = static_cast<int>(-fd);
    return -1;
  }
  real::syscall6(SYS_close, fd);
  return 0;
}

RFF_EXPORT const char* rff_last_text() {
  Kept& kept = door().kept();
  std::string text = to_base64(encode_schedule(schedule_of(kept.given)));
  std::size_t bytes = std::min(text.size(), Kept::kMostText - 1);
  std::memcpy(kept.text, text.data(), bytes);
  kept.text[bytes] = 0;
  return kept.text;
}
