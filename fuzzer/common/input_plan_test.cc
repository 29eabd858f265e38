#include "fuzzer/common/input_plan.h"

#include <gtest/gtest.h>

#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

TEST(InputPlan, AFileHoldsAllOfIt) {
  InputPlan plan{.input = {ProgramInput::Way::kVariable, "NAME", ""},
                 .first = {"", std::string("a\0b", 3)},
                 .dictionary = {"word"},
                 .most = 77,
                 .fuzzes_inputs = false,
                 .fuzzes_schedules = true};
  std::string bytes = encode_input_plan(plan);
  EXPECT_EQ(decode_input_plan(bytes), plan);
  EXPECT_THROW(decode_input_plan(bytes.substr(0, bytes.size() - 1)), ToolError);
  EXPECT_THROW(decode_input_plan(bytes + "x"), ToolError);
}

}  // namespace
}  // namespace rff
