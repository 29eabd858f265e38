// The units of a file's debug information by the code they describe. Made from the units
// themselves: compilers need not write a table of them (.debug_aranges), and clang does not.
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
  // What the code is part of, innermost first: blocks and functions inlined into one another; the
  // last one is the function that was compiled as such. Empty if unknown.
  std::vector<Dwarf_Die> scopes(std::uint64_t address);
  // The code of the functions among them, in the same order; the last one is the whole function.
  std::vector<CodeRanges> function_ranges(std::uint64_t address);
  // By the number that a DIE of the unit at the address uses for it; empty if there is none.
  std::string file(std::uint64_t address, std::size_t number);
  // The DIE of each unit, with split DWARF the one in its .dwo file.
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
    std::map<std::uint64_t, Function> functions;  // by where they begin
  };
  struct Range {
    std::uint64_t end = 0;
    std::size_t unit = 0;
  };

  Unit* find(std::uint64_t address);
  static void list_functions(Unit& unit, Dwarf_Die* parent);

  std::vector<Unit> units_;
  std::map<std::uint64_t, Range> ranges_;  // by where they begin
};

}  // namespace rff
