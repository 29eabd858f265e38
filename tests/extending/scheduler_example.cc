// Newest first: of the threads that can run, the one that was created last.
#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

class NewestFirst : public Scheduler {
 public:
  Thread* pick(const PendingThreads& threads) override {
    const ThreadSet& able = threads.eager();
    return &threads[able.at(able.size() - 1)];
  }
};

}  // namespace

std::unique_ptr<Scheduler> make_newest_first(const Schedule&, LastWriters&) {
  return std::make_unique<NewestFirst>();
}

}  // namespace rff
