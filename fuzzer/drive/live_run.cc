#include "fuzzer/drive/live_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/launch.h"
#include "schedule/run_finding.h"

namespace rff {
namespace {

// A descriptor number above those that a program uses and those of the fork server.
constexpr int kAbove = 200;
constexpr int kMoment = 20;  // milliseconds
constexpr char kOutputFile[] = "output";

struct Ends {
  int ours = -1;
  int theirs = -1;
};

int open_high(const std::string& path) {
  int low = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int high = low < 0 ? -1 : ::fcntl(low, F_DUPFD_CLOEXEC, kAbove);
  if (high < 0) {
    throw tool_failed("cannot write " + path + ": " + std::strerror(errno));
  }
  ::close(low);
  return high;
}

Ends make_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw tool_failed(std::string("cannot make a socket: ") + std::strerror(errno));
  }
  int high = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kAbove);
  ::close(ends[1]);
  if (high < 0) {
    ::close(ends[0]);
    throw tool_failed(std::string("cannot make a socket: ") + std::strerror(errno));
  }
  return {ends[0], high};
}

}  // namespace

LiveRun::LiveRun(const Schedule& schedule, const std::string& launcher)
    : shared_(SharedMapping::create(sizeof(SharedMemory))) {
  if (!shared_.valid()) {
    throw tool_failed(std::string("cannot make shared memory: ") + std::strerror(errno));
  }
  auto* shared = shared_.as<SharedMemory>();
  shared->initialize();
  shared->cache_disabled.store(1);
  shared->keeps_output = 1;
  std::string path = folder_ / "schedule.bin";
  if (int error = write_file(path, encode_schedule(schedule)); error != 0) {
    throw tool_failed("cannot write " + path + ": " + std::strerror(error));
  }
  int output = open_high(folder_ / kOutputFile);
  Ends ends = make_channel();
  channel_ = ends.ours;
  ChildProcess::Command command = launch_command(launcher, schedule.target, schedule.input);
  command.environment[kSharedPathVariable] = shared_.path();
  command.environment[kSchedulePathVariable] = path;
  command.environment[driving::kChannelVariable] = std::to_string(ends.theirs);
  command.environment[driving::kOutputVariable] = std::to_string(output);
  command.inherit = {ends.theirs, output};
  child_ = ChildProcess(command);
  ::close(ends.theirs);
  ::close(output);
  if (!child_.running()) {
    ::close(channel_);
    throw tool_failed("cannot start " + launcher + ": " + std::strerror(child_.error()));
  }
}

LiveRun::~LiveRun() {
  ::close(channel_);
  child_.kill_group();
}

bool LiveRun::read_exactly(void* to, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    ssize_t n = ::read(channel_, static_cast<char*>(to) + done, bytes - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

LiveRun::Stand LiveRun::wait_a_moment() {
  pollfd fd = {channel_, POLLIN, 0};
  int ready = ::poll(&fd, 1, kMoment);
  if (ready > 0 && (fd.revents & POLLIN) != 0) {
    driving::PointHeader header = {};
    if (read_exactly(&header, sizeof header)) {
      std::vector<driving::PointThread> threads(header.threads);
      if (read_exactly(threads.data(), threads.size() * sizeof threads[0])) {
        point_ = header;
        threads_ = std::move(threads);
        return Stand::kAtPoint;
      }
    }
  }
  if (ready > 0 && !child_.ended()) {
    ::usleep(1000);  // it has closed the socket and is about to end
  }
  return child_.ended() ? Stand::kEnded : Stand::kBusy;
}

void LiveRun::answer(const driving::Answer& answer) {
  (void)!::send(channel_, &answer, sizeof answer, MSG_NOSIGNAL);
}

std::vector<Decision> LiveRun::decisions() const { return complete_decisions(shared().run); }

Run LiveRun::result() const {
  Run run = collect_run(shared());
  run.wait_status = child_.status();
  return run;
}

std::string LiveRun::new_output() {
  std::string text;
  std::ifstream file(folder_ / kOutputFile, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(output_seen_));
  text.assign(std::istreambuf_iterator<char>(file), {});
  output_seen_ += text.size();
  return text;
}

}  // namespace rff
