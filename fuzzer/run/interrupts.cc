#include "fuzzer/run/interrupts.h"

#include <signal.h>

#include <initializer_list>

namespace rff {
namespace {

std::atomic<bool> once{false};
std::atomic<bool> twice{false};

void on_interrupt(int) {
  if (once.exchange(true)) {
    twice.store(true);
  }
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

const std::atomic<bool>& interrupted() { return once; }

const std::atomic<bool>& give_up() { return twice; }

}  // namespace rff
