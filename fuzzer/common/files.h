// Whole files in and out. Failures are values: the errno that says why, 0 for none.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rff {

// Fails with EFBIG if there is more than `most`; a file that is too large is not read at all.
std::optional<std::string> read_file(const std::filesystem::path& path,
                                     std::size_t most = std::numeric_limits<std::size_t>::max());

// Appears under its name only when it is complete.
int write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace rff
