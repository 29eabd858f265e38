#include "fuzzer/common/input_plan.h"

#include "fuzzer/common/tool_error.h"
#include "schedule/byte_stream.h"

namespace rff {

std::string encode_input_plan(const InputPlan& plan) {
  std::string out;
  ByteWriter w(out);
  w.number(plan.input.way);
  w.text(plan.input.name);
  w.texts(plan.first);
  w.texts(plan.dictionary);
  w.number(std::uint64_t{plan.most});
  w.boolean(plan.fuzzes_inputs);
  w.boolean(plan.fuzzes_schedules);
  return out;
}

InputPlan decode_input_plan(std::string_view bytes) {
  InputPlan plan;
  ByteReader r(bytes);
  r.enumeration(plan.input.way, ProgramInput::Way::kCount, "way to give an input");
  r.text(plan.input.name, "name");
  r.texts(plan.first, "inputs");
  r.texts(plan.dictionary, "dictionary");
  std::uint64_t most = 0;
  r.number(most, "limit");
  plan.most = most;
  r.boolean(plan.fuzzes_inputs, "choice");
  r.boolean(plan.fuzzes_schedules, "choice");
  if (!r.ok() || !r.at_end()) {
    throw tool_failed("the campaign's inputs cannot be read back: " + r.error());
  }
  return plan;
}

}  // namespace rff
