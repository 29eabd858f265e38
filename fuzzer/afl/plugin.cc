// The custom mutator library that afl-fuzz loads. It forwards AFL++'s calls to an Instance.
//
// AFL++ provides execution, its user interface and the exchange between instances. The Instance
// alone chooses what to run next: it ignores the queue entry that AFL++ offers, so neither AFL++'s
// random numbers nor its clock influence the campaign.
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "fuzzer/afl/instance.h"
#include "fuzzer/common/shared_mapping.h"

namespace {

using namespace rff;

class SocketLink : public CampaignLink {
 public:
  explicit SocketLink(int fd) : fd_(fd) { ::fcntl(fd_, F_SETFD, FD_CLOEXEC); }

  void send(const Report& report) override {
    while (::send(fd_, &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
  }

  // Without an answer rff-fuzz has ended, and the instance stops.
  Reply ask(const Report& report) override {
    send(report);
    Reply reply;
    ssize_t n;
    while ((n = ::recv(fd_, &reply, sizeof reply, 0)) < 0 && errno == EINTR) {
    }
    return n == sizeof reply ? reply : Reply::kStop;
  }

 private:
  int fd_;
};

struct Plugin {
  SharedMapping campaign;
  SharedMapping shared;
  std::unique_ptr<SocketLink> link;
  std::unique_ptr<Instance> instance;
  bool told_afl = false;
  bool bound = false;
  unsigned char nothing[1] = {0};
};

const char* required(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) {
    std::fprintf(stderr, "librff_mutator: %s is not set; start it with rff-fuzz\n", variable);
    std::_Exit(3);
  }
  return value;
}

// Binds afl-fuzz to its processor. Called when the fork server already runs (and has bound itself),
// so that the program inherits the original affinity.
void bind_to_processor() {
  if (const char* number = std::getenv(kProcessorVariable)) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(std::atoi(number)), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
}

// The number of test cases between two rounds of afl-fuzz's own work (exchange with other
// instances, statistics). A small number costs nothing; with a large one afl-fuzz would notice a
// stop late.
constexpr unsigned kStage = 64;

}  // namespace

extern "C" {

void* afl_custom_init(void* /*afl*/, unsigned /*seed*/) {
  auto plugin = std::make_unique<Plugin>();
  plugin->campaign = SharedMapping::open(required(kCampaignVariable), sizeof(CampaignMemory));
  plugin->shared = SharedMapping::open(required(kSharedPathVariable), sizeof(SharedMemory));
  if (!plugin->campaign.valid() || !plugin->shared.valid() ||
      !plugin->shared.as<SharedMemory>()->valid()) {
    std::fprintf(stderr, "librff_mutator: cannot map the memory of the campaign\n");
    std::_Exit(3);
  }
  auto index = static_cast<std::uint32_t>(std::atoi(required(kInstanceVariable)));
  plugin->link = std::make_unique<SocketLink>(std::atoi(required(kSocketVariable)));
  plugin->instance =
      std::make_unique<Instance>(*plugin->campaign.as<CampaignMemory>(), index % kMaxInstances,
                                 *plugin->shared.as<SharedMemory>(), *plugin->link);
  return plugin.release();
}

unsigned afl_custom_fuzz_count(void* /*data*/, const unsigned char* /*buffer*/,
                               std::size_t /*size*/) {
  return kStage;
}

std::size_t afl_custom_fuzz(void* data, unsigned char* /*buffer*/, std::size_t /*size*/,
                            unsigned char** out, unsigned char* /*other*/,
                            std::size_t /*other_size*/, std::size_t max_size) {
  auto* plugin = static_cast<Plugin*>(data);
  if (!plugin->bound) {
    plugin->bound = true;
    bind_to_processor();
  }
  std::string_view bytes = plugin->instance->next();
  if (bytes.empty() ||
      bytes.size() > max_size) {  // the latter does not happen: constraints are few
    if (!plugin->told_afl) {
      plugin->told_afl = true;
      std::raise(SIGINT);  // as a user would: afl-fuzz ends in good order
    }
    *out = plugin->nothing;
    return 0;
  }
  *out = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  return bytes.size();
}

std::size_t afl_custom_post_process(void* data, unsigned char* buffer, std::size_t size,
                                    unsigned char** out) {
  auto* plugin = static_cast<Plugin*>(data);
  std::string_view bytes =
      plugin->instance->about_to_run({reinterpret_cast<const char*>(buffer), size});
  *out = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  return bytes.size();
}

// afl-fuzz has added the last test case to its queue: the map that the runtime fills had a new bit.
unsigned char afl_custom_queue_new_entry(void* data, const unsigned char* /*file*/,
                                         const unsigned char* mother) {
  if (mother != nullptr) {
    static_cast<Plugin*>(data)->instance->found_new_coverage();
  }
  return 0;  // the file is unchanged
}

const char* afl_custom_describe(void* /*data*/, std::size_t /*max_length*/) { return "rff"; }

unsigned char afl_custom_queue_get(void* /*data*/, const unsigned char* /*filename*/) { return 1; }

void afl_custom_deinit(void* data) {
  std::unique_ptr<Plugin> plugin(static_cast<Plugin*>(data));
  plugin->instance->finish();
}
}
