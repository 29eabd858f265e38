// From names in code (module and offset) to what a person reads: function, file and line.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "schedule/event.h"
#include "schedule/schedule_file.h"

namespace rff {

class SourceMap {
 public:
  SourceMap();
  ~SourceMap();

  // The file whose debug information explains the module. The first one told of a module stays.
  void add_module(std::uint32_t hash, const std::string& path);

  struct Place {
    std::string module;    // file name; its hash if unknown
    std::string function;  // empty if unknown
    std::string file;      // empty if unknown
    int line = 0;
  };
  Place find(CodeName code);
  // "check (reorder.c:21)", or as much of it as is known: "reorder_3+0x1189".
  std::string describe(CodeName code);
  // Intercepted calls are known by where they return to, accesses and faults by their own address.
  std::string describe_call(CodeName code);
  std::string describe_site(const AbstractEvent& event);
  std::string describe_finding(FindingKind kind, CodeName place);
  std::string module_name(std::uint32_t hash) const;

 private:
  struct Module;
  std::map<std::uint32_t, std::unique_ptr<Module>> modules_;
};

}  // namespace rff
