// Writes the JSON-RPC messages that E9Patch reads, as text: there may be a million of them.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "instrument/builtin/code_buffer.h"

namespace rff::instrument::e9patch {

class MessageWriter {
 public:
  explicit MessageWriter(std::ostream& out) : out_(out) {}

  // Must come first. `version`: the output of `e9patch --version`, without the name.
  void binary(const std::string& file, bool is_library, const std::string& version);
  void options(const std::vector<std::string>& arguments);
  // Defines a trampoline: code given per patch as `$hook`, then the instruction, then a jump back.
  void hook_trampoline();
  // Addresses must be passed in descending order.
  void instruction(std::uint64_t address, std::uint64_t length, std::uint64_t offset);
  void patch(std::uint64_t offset, const builtin::CodeBuffer& hook);
  void emit(const std::string& file);

 private:
  void begin(const char* method);
  void end();

  std::ostream& out_;
  std::uint64_t id_ = 0;
};

}  // namespace rff::instrument::e9patch
