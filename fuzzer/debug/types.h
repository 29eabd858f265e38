// Types as debug information has them: the parts of an object, and the pointees of pointers.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rff {

// Names the part at `offset` in an object of the type: ".next", "[3].key"; "" for the object
// itself. `size`: bytes accessed, 0 for an object.
std::string part_of(Dwarf_Die type, std::uint64_t offset, std::uint64_t size);

// The same with the type's name and an index before it: "Node.next", "int[3]". Types of the C++
// library around what the program stores are left out. Empty if that says nothing.
std::string named_part(Dwarf_Die type, const std::string& index, std::uint64_t offset,
                       std::uint64_t size);

// By DW_AT_type.
std::optional<Dwarf_Die> type_of(Dwarf_Die die);
// Through typedefs and qualifiers to what the type is made of; nothing for void.
std::optional<Dwarf_Die> bare_type(Dwarf_Die type);
std::optional<std::uint64_t> size_of(Dwarf_Die type);
// As the program calls it; empty if it has no name.
std::string type_name(Dwarf_Die type);

// The part of an object that holds no further parts and begins at `offset`. Nothing if that is not
// certain, as in unions.
std::optional<Dwarf_Die> scalar_at(Dwarf_Die type, std::uint64_t offset);
// The first member or base of a record, or an array's first element.
std::optional<Dwarf_Die> first_part(Dwarf_Die type);
// Returns the type that a pointer of this type points to; nothing for void and bytes, which say
// nothing.
std::optional<Dwarf_Die> pointee(Dwarf_Die type);
// The argument of a template, by the name that its parameter has.
std::optional<Dwarf_Die> template_argument(Dwarf_Die type, const std::string& parameter);
// Where the library keeps an object in a buffer of bytes: the object's type, else the same type.
Dwarf_Die without_buffer(Dwarf_Die type);

}  // namespace rff
