#include "instrument/symbol_names.h"

#include <cstring>

namespace rff::instrument {

std::vector<std::string_view> symbol_names(const ElfFile& file) {
  std::vector<std::string_view> names;
  for (const Section& section : file.sections()) {
    const Elf64_Shdr& table = section.header;
    if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) ||
        table.sh_link >= file.sections().size()) {
      continue;
    }
    const Elf64_Shdr& strings = file.sections()[table.sh_link].header;
    if (strings.sh_type != SHT_STRTAB) {
      continue;
    }
    std::string_view texts(reinterpret_cast<const char*>(file.image().data()) + strings.sh_offset,
                           strings.sh_size);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, file.image().data() + table.sh_offset + at, sizeof symbol);
      if (symbol.st_name < texts.size()) {
        std::string_view name = texts.substr(symbol.st_name);
        names.push_back(name.substr(0, name.find('\0')));
      }
    }
  }
  return names;
}

}  // namespace rff::instrument
