// Ctrl-C once: end in good order. Twice: do not even finish what is under way.
#pragma once

#include <atomic>

namespace rff {

void catch_interrupts();
const std::atomic<bool>& interrupted();
const std::atomic<bool>& give_up();

}  // namespace rff
