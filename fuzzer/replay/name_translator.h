// Translates names of a program's code and data to another build of the program, through function
// and variable names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_module.h"
#include "schedule/schedule_file.h"

namespace rff {

class NameTranslator {
 public:
  NameTranslator(const std::string& old_program, const std::string& new_program);

  // These return nothing if the new build has no counterpart.
  std::optional<CodeName> code(CodeName old);
  std::optional<AbstractEvent> event(const AbstractEvent& old);
  std::optional<Constraint> constraint(const Constraint& old);
  // These translate what has a counterpart and drop the rest.
  AbstractSchedule constraints(const AbstractSchedule& old);
  SchedulingPoints points(const SchedulingPoints& old);

 private:
  struct Function {
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  static std::optional<Function> containing(DebugModule& m, std::uint64_t address);
  static std::optional<Function> named(DebugModule& m, const std::string& name);
  // Returns the instrumented instructions of a function, in order.
  static std::vector<hook::SiteRecord> sites(DebugModule& m, const Function& f);
  static std::string operand(DebugModule& m, const hook::SiteRecord& s);

  DebugModule old_;
  DebugModule new_;
  std::uint32_t old_hash_;
  std::uint32_t new_hash_;
};

}  // namespace rff
