// The units of a file's debug information, by the code they describe. The index is built from the
// units themselves: compilers need not write a table of them (.debug_aranges), and clang does not.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/debug/code_shape.h"

namespace rff {

class Units {
 public:
  struct Line {
    std::string file;
    int number = 0;
  };

  // `dwarf` may be null and must live as long as this.
  explicit Units(Dwarf* dwarf);

  // Addresses are the DWARF's own.
  std::optional<Line> line(std::uint64_t address);
  // Returns the scopes that contain the code, innermost first: blocks and functions inlined into
  // one another; the last one is the compiled function. Empty if unknown.
  std::vector<Dwarf_Die> scopes(std::uint64_t address);
  // Returns the code of the functions among these, in the same order; the last one is complete.
  std::vector<CodeRanges> function_ranges(std::uint64_t address);
  // Returns the file with the number that a DIE of the unit at the address uses; empty if there is
  // none.
  std::string file(std::uint64_t address, std::size_t number);
  // Returns the DIE of each unit; with split DWARF the one in its .dwo file.
  std::vector<Dwarf_Die> all();

 private:
  struct Function {
    std::uint64_t end = 0;
    Dwarf_Die die{};
  };
  struct Unit {
    Dwarf_Die lines{};   // has the source lines
    Dwarf_Die scopes{};  // has functions and variables
    bool listed = false;
    std::map<std::uint64_t, Function> functions;  // by first address
  };
  struct Range {
    std::uint64_t end = 0;
    std::size_t unit = 0;
  };

  Unit* find(std::uint64_t address);
  static void list_functions(Unit& unit, Dwarf_Die* parent);

  std::vector<Unit> units_;
  std::map<std::uint64_t, Range> ranges_;  // by first address
};

}  // namespace rff
