// Handles Ctrl-C: the first one ends the program in good order, the second one also abandons the
// work in progress.
#pragma once

#include <atomic>

namespace rff {

void catch_interrupts();
const std::atomic<bool>& interrupted();
const std::atomic<bool>& give_up();

}  // namespace rff
