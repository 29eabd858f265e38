// Event loops on epoll. Which of the ready descriptors a wait returns, in which order and how many
// at once are choices of the scheduler: an attendant for each registered descriptor hands it out
// while a thread waits.
//
// The kernel says what is ready. What it reports only once (edge-triggered, one-shot) is kept until
// it is handed out. A wait never ends empty while something is ready.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <vector>

#include "libsched/interpose/descriptors/attendant.h"
#include "libsched/interpose/descriptors/description.h"

namespace rff {

class Epoll {
 public:
  // A descriptor that the program has registered.
  class Entry final : public Attendant {
   public:
    // Whether it is ready and not handed out.
    bool ready() const { return of_ != nullptr && !handed_ && ready_ != 0; }

   protected:
    void prepare(Operation& op) override;
    void act() override;
    const char* name() const override { return name_; }

   private:
    friend class Epoll;
    bool reported_once() const { return (events_ & (EPOLLET | EPOLLONESHOT)) != 0; }
    Epoll* of_ = nullptr;  // null: not registered
    int fd_ = -1;
    Description* what_ = nullptr;  // null: the runtime does not know it
    bool handed_ = false;
    Location place_;
    CodeName site_;
    std::uint32_t events_ = 0;
    epoll_data_t data_ = {};
    bool stale_ = false;       // its thread does not know yet what it stands for
    std::uint32_t ready_ = 0;  // events that the kernel has reported and nobody has got
    char name_[24] = {};
  };

  Epoll(int fd, const Location& place) : fd_(fd), place_(place) {}
  ~Epoll();
  Epoll(const Epoll&) = delete;
  Epoll& operator=(const Epoll&) = delete;

  // These make the real call and return its result.
  int add(int fd, const epoll_event& wanted, const void* caller);
  int change(int fd, const epoll_event& wanted);
  int remove(int fd);
  // Returns the number of events, or -1 with errno set. `polls`: does not wait.
  int wait(epoll_event* events, int most, bool polls, std::uint64_t deadline, const void* caller);

  // It has another number now.
  void moved(int fd) { fd_ = fd; }
  // Whether a wait could return something now.
  bool any_ready();
  // Whether only the program can make something ready.
  bool internal() const;

  // Puts the program's own data into events of the kernel.
  static void translate(epoll_event* events, int n) {
    for (int i = 0; i < n; ++i) {
      events[i].data = static_cast<Entry*>(events[i].data.ptr)->data_;
    }
  }
  // The description has ended, and with it its registrations.
  static void forget(const Description& d);

 private:
  Entry* find(int fd) const;
  // Asks the kernel what is ready, at most once for a decision.
  void collect();
  void drop(Entry* e);
  void hand_out(Entry& e);
  // Copies what was handed out.
  int take(epoll_event* events, int most);

  int fd_;
  Location place_;
  std::vector<Entry*> entries_;
  std::vector<epoll_event> handed_;
  std::uint32_t waiting_ = 0;
  std::size_t room_ = 0;
  std::uint64_t collected_at_ = ~std::uint64_t{0};
  std::uint64_t collected_moment_ = 0;
};

}  // namespace rff
