#include "fuzzer/campaign/inputs.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "command_line/command_line.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/core/dictionary.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

constexpr char kPlanFile[] = "inputs.bin";

bool has_mark(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& a) { return a.find(kInputMark) != std::string::npos; });
}

// How the program gets its input, by --input-as and by its arguments.
ProgramInput way_of(const Options& options, const TargetFile& file) {
  using Way = ProgramInput::Way;
  bool marked = has_mark(options.arguments);
  ProgramInput input;
  if (!options.input_variable.empty()) {
    input.way = Way::kVariable;
    input.name = options.input_variable;
  } else if (options.input_as_argument) {
    if (!marked) {
      throw bad_usage("--input-as argument: no argument of the program is @@, where it would go");
    }
    input.way = Way::kArgument;
  } else if (marked) {
    input.way = Way::kFile;
  } else if (file.has_properties) {
    input.way = Way::kProperty;
    input.name = options.property;
  } else {
    input.way = Way::kStandardInput;
  }
  if (marked && input.way == Way::kVariable) {
    throw bad_usage("the input is both @@ and a variable: give one of them");
  }
  return input;
}

std::vector<std::string> read_folder(const std::string& folder, std::size_t most) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw bad_usage("--inputs " + shown(folder) +
                    ": no such folder (--inputs none begins with an empty input)");
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const fs::path& path : files) {
    std::optional<std::string> bytes = read_file(path);
    if (!bytes) {
      throw bad_usage("cannot read the input " + path.string() + ": " + std::strerror(errno));
    }
    if (bytes->size() > most) {
      throw bad_usage("the input " + path.string() + " has " + std::to_string(bytes->size()) +
                      " bytes: make it smaller, or allow more with --max-input");
    }
    inputs.push_back(std::move(*bytes));
  }
  return inputs;
}

void read_dictionary(const std::string& path, std::vector<std::string>& words) {
  std::optional<std::string> text = read_file(path);
  if (!text) {
    throw bad_usage("-x " + shown(path) + ": " + std::strerror(errno));
  }
  ParsedDictionary parsed = parse_dictionary(*text);
  if (!parsed.error.empty()) {
    throw bad_usage("-x " + shown(path) + ": " + parsed.error);
  }
  words.insert(words.end(), parsed.words.begin(), parsed.words.end());
}

void check(const InputPlan& plan, const Options& options) {
  if (options.search.scheduler == SchedulerKind::kSystematic) {
    throw bad_usage(
        "the systematic search explores the schedules of one input: leave --inputs out and give "
        "the program that input");
  }
  if (plan.input.is_text()) {
    for (const std::string& bytes : plan.first) {
      if (bytes.find('\0') != std::string::npos) {
        throw bad_usage(
            "an input with a zero byte cannot be an argument or a variable: give it as a file");
      }
    }
  }
}

}  // namespace

InputPlan plan_inputs(const Options& options, const TargetFile& file, const OutputFolder& output) {
  if (options.resume && options.inputs.empty()) {
    std::optional<std::string> kept = read_file(output / kPlanFile);
    return kept ? decode_input_plan(*kept) : InputPlan{};
  }
  bool wanted = !options.inputs.empty();
  if (!options.property.empty() && !file.has_properties) {
    throw bad_usage("--property " + shown(options.property) + ": " + file.path +
                    " has no properties (rff/property.h)");
  }
  if (!wanted && has_mark(options.arguments)) {
    throw bad_usage(
        "an argument contains @@, which stands for a fuzzed input: give --inputs DIR, or name the "
        "file itself");
  }
  if (!wanted && !file.has_properties) {
    return {};
  }
  InputPlan plan;
  plan.input = way_of(options, file);
  plan.most = options.max_input;
  plan.fuzzes_inputs = !options.schedule_only;
  plan.fuzzes_schedules = !options.input_only;
  if (wanted && options.inputs != "none") {
    plan.first = read_folder(options.inputs, plan.most);
  }
  if (plan.first.empty()) {
    plan.first.emplace_back();
  }
  for (const std::string& path : options.dictionaries) {
    read_dictionary(path, plan.dictionary);
  }
  check(plan, options);
  return plan;
}

std::string write_input_plan(const InputPlan& plan, const OutputFolder& output) {
  fs::path path = output / kPlanFile;
  if (int error = write_file(path, encode_input_plan(plan)); error != 0) {
    throw tool_failed("cannot write " + path.string() + ": " + std::strerror(error));
  }
  return path.string();
}

std::string give_first_input(const InputPlan& plan, const OutputFolder& output, Target& target) {
  using Way = ProgramInput::Way;
  const std::string& bytes = plan.first.front();
  fs::path path = output / "plain" / "input";
  if (int error = write_file(path, bytes); error != 0) {
    throw tool_failed("cannot write " + path.string() + ": " + std::strerror(error));
  }
  bool by_name = plan.input.way == Way::kFile;
  if (by_name || plan.input.way == Way::kArgument) {
    for (std::string& argument : target.arguments) {
      argument = replace_mark(argument, kInputMark, by_name ? path.string() : bytes);
    }
  } else if (plan.input.way == Way::kStandardInput) {
    target.standard_input = path.string();
  } else if (plan.input.way == Way::kVariable) {
    return plan.input.name + "=" + bytes;
  }
  return "";
}

}  // namespace rff
