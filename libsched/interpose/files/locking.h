// The commands of fcntl that lock files.
#pragma once

namespace rff {

bool is_lock_command(int command);
// Requires: the command is one.
int control_lock(int fd, int command, void* range, const void* caller);

}  // namespace rff
