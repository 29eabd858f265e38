// Where a campaign's inputs come from and how the program gets them. The campaign writes it to a
// file, which its instances read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/program_input.h"

namespace rff {

struct InputPlan {
  ProgramInput input;              // without bytes
  std::vector<std::string> first;  // tried first, in this order
  std::vector<std::string> dictionary;
  std::size_t most = std::size_t{64} << 10;  // bytes of an input
  bool fuzzes_inputs = true;
  bool fuzzes_schedules = true;

  // Whether the campaign has inputs at all.
  bool given() const { return input.given(); }
  bool operator==(const InputPlan&) const = default;
};

std::string encode_input_plan(const InputPlan& plan);
// Throws ToolError if `bytes` are no plan.
InputPlan decode_input_plan(std::string_view bytes);

}  // namespace rff
