// Types in debug information: the parts of an object, and the pointees of pointers.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rff {

// Names the part at `offset` in an object of the type: ".next", "[3].key"; "" for the object
// itself. `size`: bytes accessed, 0 for an object.
std::string part_of(Dwarf_Die type, std::uint64_t offset, std::uint64_t size);

// The same with the type's name and an index before it: "Node.next", "int[3]". Omits types of the
// C++ library that wrap the program's object. Empty if the part has no useful name.
std::string named_part(Dwarf_Die type, const std::string& index, std::uint64_t offset,
                       std::uint64_t size);

// Returns the type that DW_AT_type refers to.
std::optional<Dwarf_Die> type_of(Dwarf_Die die);
// Removes typedefs and qualifiers from a type. Returns nothing for void.
std::optional<Dwarf_Die> bare_type(Dwarf_Die type);
std::optional<std::uint64_t> size_of(Dwarf_Die type);
// Returns the program's name of the type; empty if it has none.
std::string type_name(Dwarf_Die type);

// Returns the part of an object that has no further parts and begins at `offset`. Nothing if that
// is not certain, as in unions.
std::optional<Dwarf_Die> scalar_at(Dwarf_Die type, std::uint64_t offset);
// Returns the type of the first member or base of a record, or of an array's first element.
std::optional<Dwarf_Die> first_part(Dwarf_Die type);
// Returns the type that a pointer of this type points to; nothing for void and bytes, which carry
// no information.
std::optional<Dwarf_Die> pointee(Dwarf_Die type);
// Returns the argument of a template for the parameter of this name.
std::optional<Dwarf_Die> template_argument(Dwarf_Die type, const std::string& parameter);
// If the type is a buffer of bytes in which the library keeps an object, returns the object's type;
// otherwise the same type.
Dwarf_Die without_buffer(Dwarf_Die type);

}  // namespace rff
