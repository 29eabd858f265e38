// Files that earlier runs have left behind.
#pragma once

namespace rff {

// Removes a file, or a directory with all that is in it, that belongs to the user of this process.
// Follows no links. Returns false if something is left.
bool remove_left_over(const char* path);

}  // namespace rff
