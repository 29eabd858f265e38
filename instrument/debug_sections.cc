#include "instrument/debug_sections.h"

#include <algorithm>
#include <cstring>

namespace rff::instrument {

namespace {

constexpr char kSectionName[] = ".rff.text";

void align(std::vector<std::uint8_t>& bytes) {
  bytes.resize((bytes.size() + 15) & ~std::size_t{15});
}

template <typename T>
void append(std::vector<std::uint8_t>& bytes, const T& value) {
  const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

// Adds a local symbol with the copy's address for each symbol of a copied function. The new ones
// follow the local symbols, as ELF requires, and share the names of the originals.
std::vector<Elf64_Sym> with_copies(const std::vector<Elf64_Sym>& old, std::uint32_t locals,
                                   const CopiedCode& code, std::uint16_t section) {
  std::vector<Elf64_Sym> symbols(old.begin(), old.begin() + locals);
  for (const Elf64_Sym& symbol : old) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) {
      continue;
    }
    auto function = std::lower_bound(
        code.functions.begin(), code.functions.end(), symbol.st_value,
        [](const CopiedFunction& f, std::uint64_t address) { return f.original < address; });
    if (function == code.functions.end() || function->original != symbol.st_value) {
      continue;
    }
    Elf64_Sym copy = symbol;
    copy.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
    copy.st_other = STV_DEFAULT;
    copy.st_value = function->copy;
    copy.st_size = function->size;
    copy.st_shndx = section;
    symbols.push_back(copy);
  }
  symbols.insert(symbols.end(), old.begin() + locals, old.end());
  return symbols;
}

}  // namespace

DebugSections build_debug_sections(const ElfFile& file, const std::vector<std::uint8_t>& image,
                                   const CopiedCode& code, std::uint64_t offset) {
  DebugSections result;
  const Elf64_Ehdr& header = file.header();
  std::size_t count = file.sections().size();
  if (count == 0 || count + 1 >= SHN_LORESERVE || header.e_shstrndx >= count) {
    return result;
  }
  auto headers = copy_table<Elf64_Shdr>(image, header.e_shoff, count);

  Elf64_Shdr& names = headers[header.e_shstrndx];
  if (file.sections()[header.e_shstrndx].header.sh_size != names.sh_size) {
    return result;  // the reader has dropped the damaged section
  }
  std::vector<std::uint8_t>& bytes = result.bytes;
  bytes.assign(image.begin() + static_cast<std::ptrdiff_t>(names.sh_offset),
               image.begin() + static_cast<std::ptrdiff_t>(names.sh_offset + names.sh_size));
  Elf64_Shdr text{};
  text.sh_name = static_cast<Elf64_Word>(bytes.size());
  bytes.insert(bytes.end(), kSectionName, kSectionName + sizeof(kSectionName));
  names.sh_offset = offset;
  names.sh_size = bytes.size();

  text.sh_type = SHT_PROGBITS;
  text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  text.sh_addr = code.address;
  text.sh_offset = code.offset;
  text.sh_size = code.size;
  text.sh_addralign = 16;

  for (std::size_t i = 0; i < count; ++i) {
    Elf64_Shdr& table = headers[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_entsize != sizeof(Elf64_Sym) ||
        table.sh_size != file.sections()[i].header.sh_size) {
      continue;
    }
    auto old = copy_table<Elf64_Sym>(image, table.sh_offset, table.sh_size / sizeof(Elf64_Sym));
    if (table.sh_info > old.size()) {
      continue;
    }
    std::vector<Elf64_Sym> symbols =
        with_copies(old, table.sh_info, code, static_cast<std::uint16_t>(count));
    align(bytes);
    table.sh_offset = offset + bytes.size();
    table.sh_size = symbols.size() * sizeof(Elf64_Sym);
    table.sh_info += static_cast<Elf64_Word>(symbols.size() - old.size());
    for (const Elf64_Sym& symbol : symbols) {
      append(bytes, symbol);
    }
  }
  headers.push_back(text);
  align(bytes);
  result.table_offset = offset + bytes.size();
  result.count = static_cast<std::uint16_t>(headers.size());
  for (const Elf64_Shdr& section : headers) {
    append(bytes, section);
  }
  return result;
}

}  // namespace rff::instrument
