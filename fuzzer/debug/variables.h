// Names of global data: "queue.slots[3].next" if the debug information has the variable,
// "queue+0x38" if only the symbol table has it.
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
  // `symbols` may be null. The biases convert a link-time address to one of the DWARF and to one of
  // the symbol table.
  Variables(const std::vector<Dwarf_Die>& units, Dwfl_Module* symbols, std::uint64_t dwarf_bias,
            std::uint64_t symbol_bias);

  // Returns an empty name if no variable is known there. `size`: bytes accessed, 0 for an object.
  std::string name(std::uint64_t address, std::uint64_t size);

  // Returns the address of that byte of the variable with that name (without parts).
  std::optional<std::uint64_t> find(const std::string& name, std::uint64_t offset);
  struct Found {
    std::string name;
    std::uint64_t offset = 0;
    std::optional<Dwarf_Die> type = {};
  };
  std::optional<Found> containing(std::uint64_t address);
  struct Range {
    std::string name;
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Range> all() const;

 private:
  struct Variable {
    std::string name;
    std::uint64_t size = 0;
    std::optional<Dwarf_Die> type = {};
    std::uint64_t offset = 0;  // offset of this piece in the variable
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
