// Whole files in and out. Failures are values: the errno that says why, 0 for none.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rff {

std::optional<std::string> read_file(const std::filesystem::path& path);

// Appears under its name only when it is complete.
int write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace rff
