// The runtime's end of the connection to the interactive driver (schedule/driver_channel.h).
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/engine/driver.h"
#include "libsched/memory/modules.h"
#include "schedule/driver_channel.h"

namespace rff {

class DriverPort final : public Driver {
 public:
  // `channel`: the number of the inherited socket, `stop`: the point at which a debugger stops;
  // both may be null. Moves the socket out of the program's way.
  void connect(const char* channel, const char* stop, const Modules& modules);
  bool connected() const { return connected_ || stop_ != kNever; }

  // Ends the process if the driver is gone.
  std::uint32_t choose(const Point& point) override;
  void stopped(const Thread& t, const StopContext& where) override;

 private:
  // The callers of an operation at which a thread stopped.
  struct Callers {
    OpKind op = OpKind::kNone;
    CodeName site;
    std::uint32_t count = 0;
    CodeName frames[driving::PointThread::kMostFrames] = {};
  };
  struct ThreadCallers {
    Callers now, before;
  };

  void send(const Point& point);
  driving::PointThread describe(const Thread& t, const Point& point);
  ThreadCallers& callers_of(const Thread& t);

  bool connected_ = false;
  std::uint64_t stop_ = kNever;
  std::uint64_t silent_until_ = 0;  // the point up to which the schedule decides
  std::vector<char> message_;
  const Modules* modules_ = nullptr;
  std::vector<ThreadCallers> callers_;  // by the thread's index
};

}  // namespace rff
