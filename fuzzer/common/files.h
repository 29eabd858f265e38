// Reads and writes whole files. Errors are returned as errno values; 0 means success.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rff {

// Fails with EFBIG, without reading, if the file is larger than `most`.
std::optional<std::string> read_file(const std::filesystem::path& path,
                                     std::size_t most = std::numeric_limits<std::size_t>::max());

// Writes atomically: the file appears under its name only when it is complete. Links are followed,
// and what is no file (a pipe, a device) stays what it is and is written to.
int write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace rff
