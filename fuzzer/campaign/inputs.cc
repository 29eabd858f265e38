#include "fuzzer/campaign/inputs.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "command_line/command_line.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/core/dictionary.h"
#include "schedule/input_parts.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

constexpr char kPlanFile[] = "inputs.bin";

bool has_mark(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& a) { return a.find(kInputMark) != std::string::npos; });
}

// Returns the number of parts that the arguments name, as the name of the input; empty if they name
// none.
std::string parts_named_by(const std::vector<std::string>& arguments) {
  bool whole = false;
  std::set<std::size_t> named;
  for (const std::string& argument : arguments) {
    for (std::size_t at = argument.find(kInputMark); at != std::string::npos;
         at = argument.find(kInputMark, at)) {
      at += kInputMark.size();
      std::size_t end = at;
      while (end < argument.size() && argument[end] >= '0' && argument[end] <= '9') {
        ++end;
      }
      if (end == at) {
        whole = true;
        continue;
      }
      std::string number = argument.substr(at, end - at);
      if (number.size() != 1 || number == "0") {
        throw bad_usage("@@" + number + ": the parts of an input are @@1 to @@" +
                        std::to_string(kMostParts));
      }
      named.insert(static_cast<std::size_t>(number[0] - '0'));
    }
  }
  if (whole && !named.empty()) {
    throw bad_usage("the arguments contain @@ and @@" + std::to_string(*named.begin()) +
                    ": the input is one text, @@, or has numbered parts");
  }
  for (std::size_t part = 1; part <= named.size(); ++part) {
    if (!named.contains(part)) {
      throw bad_usage("the arguments contain @@" + std::to_string(*named.rbegin()) + " and no @@" +
                      std::to_string(part) + ": number the parts of the input from 1");
    }
  }
  return named.empty() ? "" : std::to_string(named.size());
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
  if (marked) {
    input.name = parts_named_by(options.arguments);
  }
  return input;
}

std::string read_input(const fs::path& path) {
  std::optional<std::string> bytes = read_file(path);
  if (!bytes) {
    throw bad_usage("cannot read the input " + path.string() + ": " + std::strerror(errno));
  }
  return std::move(*bytes);
}

// An input of several parts may be a folder with a file for each of them; one that is missing is
// empty.
std::string read_parts(const fs::path& folder, std::size_t count) {
  std::vector<std::string> parts(count);
  std::error_code error;
  for (std::size_t part = 0; part < count; ++part) {
    fs::path path = folder / std::to_string(part + 1);
    parts[part] = fs::exists(path, error) ? read_input(path) : "";
  }
  return join_parts(parts);
}

std::vector<std::string> read_folder(const std::string& folder, const InputPlan& plan) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw bad_usage("--inputs " + shown(folder) +
                    ": no such folder (--inputs none begins with an empty input)");
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) || (entry.is_directory(error) && parts_of(plan.input) > 0)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const fs::path& path : files) {
    std::string bytes =
        fs::is_directory(path, error) ? read_parts(path, parts_of(plan.input)) : read_input(path);
    if (bytes.size() > plan.most) {
      throw bad_usage("the input " + path.string() + " has " + std::to_string(bytes.size()) +
                      " bytes: make it smaller, or allow more with --max-input");
    }
    inputs.push_back(std::move(bytes));
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
  ProgramInput input = plan.input;
  for (const std::string& bytes : plan.first) {
    input.bytes = bytes;
    if (!arrives_whole(input)) {
      throw bad_usage(
          "an input with a zero byte cannot be an argument or a variable: give it as a file");
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
    plan.first = read_folder(options.inputs, plan);
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

namespace {
void write_plain(const fs::path& path, const std::string& bytes) {
  if (int error = write_file(path, bytes); error != 0) {
    throw tool_failed("cannot write " + path.string() + ": " + std::strerror(error));
  }
}
}  // namespace

std::string give_first_input(const InputPlan& plan, const OutputFolder& output, Target& target) {
  using Way = ProgramInput::Way;
  const std::string& bytes = plan.first.front();
  fs::path path = output / "plain" / "input";
  write_plain(path, bytes);
  bool by_name = plan.input.way == Way::kFile;
  if (by_name || plan.input.way == Way::kArgument) {
    ProgramInput input = plan.input;
    input.bytes = bytes;
    std::vector<std::string> texts = program_texts(input);
    for (std::size_t part = 0; part < texts.size(); ++part) {
      std::string name = part_mark(path.string(), input, part);
      write_plain(name, texts[part]);
      for (std::string& argument : target.arguments) {
        argument = replace_mark(argument, part_mark(kInputMark, input, part),
                                by_name ? name : texts[part]);
      }
    }
  } else if (plan.input.way == Way::kStandardInput) {
    target.standard_input = path.string();
  } else if (plan.input.way == Way::kVariable) {
    return plan.input.name + "=" + bytes;
  }
  return "";
}

}  // namespace rff
