// Names of global data: "queue.slots[3].next" where the debug information tells, "queue+0x38" where
// only the symbol table does.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rff {

class Variables {
 public:
  // `symbols` may be null. The biases turn a link-time address into one of the DWARF's and of the
  // symbol table's.
  Variables(const std::vector<Dwarf_Die>& units, Dwfl_Module* symbols, std::uint64_t dwarf_bias,
            std::uint64_t symbol_bias);

  // Empty if nothing is known there. `size`: bytes accessed, 0 for an object.
  std::string name(std::uint64_t address, std::uint64_t size);

  // Where that byte of a variable of that name (as the whole-variable names above have it) lies.
  std::optional<std::uint64_t> find(const std::string& name, std::uint64_t offset);
  struct Found {
    std::string name;
    std::uint64_t offset = 0;
    std::optional<Dwarf_Die> type = {};
  };
  std::optional<Found> containing(std::uint64_t address);

 private:
  struct Variable {
    std::string name;
    std::uint64_t size = 0;
    std::optional<Dwarf_Die> type = {};
    std::uint64_t offset = 0;  // in it, of what lies there
  };

  void collect(Dwarf_Die* die, const std::string& scope);
  void add(Dwarf_Die* die, const std::string& scope);
  void collect_symbols();

  std::uint64_t dwarf_bias_;
  std::uint64_t symbol_bias_;
  Dwfl_Module* symbols_;
  std::map<std::uint64_t, Variable> variables_;  // by link-time address
};

}  // namespace rff
