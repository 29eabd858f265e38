// Finds names and source lines of code addresses in the file's symbols and debug information.
#pragma once

#include <cstdint>
#include <string>

struct Dwfl;
struct Dwfl_Module;

namespace rff::instrument {

class Symbolizer {
 public:
  explicit Symbolizer(const std::string& path);
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // Return an empty string if unknown.
  std::string function(std::uint64_t address) const;
  std::string source_line(std::uint64_t address) const;

 private:
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  std::uint64_t bias_ = 0;
};

}  // namespace rff::instrument
