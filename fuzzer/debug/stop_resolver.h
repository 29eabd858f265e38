// Finds the code and the memory that the stop points which a user chose mean in a program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fuzzer/common/stop_spec.h"
#include "fuzzer/debug/debug_info.h"
#include "schedule/schedule_file.h"

namespace rff {

class StopResolver {
 public:
  // `files`: the patched program, and libraries; those that are not patched are not looked at.
  StopResolver(DebugInfo& debug, const std::vector<std::string>& files);

  // Throws ToolError (2) with the nearest names if a pattern matches nothing.
  StopRule resolve(const StopSpec& spec);
  std::vector<StopRule> resolve(const std::vector<StopSpec>& specs);

  // Whether entries of functions are hooked.
  bool has_calls() const;

 private:
  struct Function {
    std::string name;
    ModuleRange range;
  };
  struct File {
    std::string path;
    std::uint32_t hash;
    DebugModule* module;
  };

  // Adds the sites for which `wanted` is true.
  using Wanted = std::function<bool(const hook::SiteRecord&)>;
  static void add_sites(const File& file, std::vector<ModuleRange>& ranges, const Wanted& wanted);
  static void add_code(const StopSpec& spec, const File& file, std::vector<ModuleRange>& ranges);
  std::vector<ModuleRange> entries(const StopSpec& spec);
  std::vector<ModuleRange> lines(const StopSpec& spec);
  std::vector<ModuleRange> variables(const StopSpec& spec);
  std::vector<ModuleRange> functions_like(const StopSpec& spec, const std::string& pattern);
  const std::vector<Function>& functions();
  [[noreturn]] void nothing(const StopSpec& spec, const std::string& what,
                            const std::string& pattern, std::vector<std::string> names);

  DebugInfo& debug_;
  std::vector<File> files_;
  std::vector<Function> functions_;
  bool functions_known_ = false;
};

}  // namespace rff
