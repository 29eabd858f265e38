#include "fuzzer/debug/copy_lines.h"

#include <dwarf.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <vector>

namespace rff {
namespace {

// Writes little-endian numbers and DWARF's variable-length ones.
class Bytes {
 public:
  template <typename T>
  void number(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void unsigned_leb(std::uint64_t value) {
    do {
      std::uint8_t byte = value & 0x7f;
      value >>= 7;
      number<std::uint8_t>(value != 0 ? byte | 0x80 : byte);
    } while (value != 0);
  }
  void signed_leb(std::int64_t value) {
    for (;;) {
      std::uint8_t byte = value & 0x7f;
      value >>= 7;
      bool last = (value == 0 && (byte & 0x40) == 0) || (value == -1 && (byte & 0x40) != 0);
      number<std::uint8_t>(last ? byte : byte | 0x80);
      if (last) {
        return;
      }
    }
  }
  void string(const std::string& text) { text_.append(text.c_str(), text.size() + 1); }
  void raw(std::string_view bytes) { text_ += bytes; }
  // Returns the content after its 32-bit length.
  std::string with_length() const {
    Bytes b;
    b.number(static_cast<std::uint32_t>(text_.size()));
    return b.text_ + text_;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Row {
  std::uint64_t address;
  std::size_t file;  // counted from 1
  int line;
};

struct Function {
  std::string name;
  std::uint64_t original_begin, original_end;
  std::uint64_t begin, end;
};

struct Table {
  std::uint64_t begin, end;  // of the copies
  std::vector<std::string> files;
  std::vector<Row> rows;
  std::vector<Function> functions;
};

Table make_table(DebugModule& module) {
  const PatchedFile& patches = module.patches();
  Table table{patches.code_begin(), patches.code_end(), {}, {}, {}};
  std::map<std::string, std::size_t> file_numbers;
  for (const hook::AddressMapEntry& e : patches.address_map()) {
    std::uint64_t address = e.original + module.dwfl_bias();
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* function =
        dwfl_module_addrinfo(module.dwfl(), address, &offset, &symbol, nullptr, nullptr, nullptr);
    std::string name = function != nullptr ? function : "";
    if (!table.functions.empty()) {
      table.functions.back().end = e.copy;
    }
    bool first = table.functions.empty() || table.functions.back().name != name;
    if (first) {
      std::uint64_t begin = e.original - offset;
      table.functions.push_back({name, begin, begin + symbol.st_size, e.copy, table.end});
    }
    std::optional<Units::Line> line = module.units().line(module.to_dwarf(e.original));
    if (!line || line->number <= 0) {
      continue;
    }
    int number = line->number;
    auto [it, fresh] = file_numbers.try_emplace(line->file, table.files.size() + 1);
    if (fresh) {
      table.files.push_back(line->file);
    }
    if (first || table.rows.empty() || table.rows.back().line != number ||
        table.rows.back().file != it->second) {
      table.rows.push_back({e.copy, it->second, number});
    }
  }
  return table;
}

std::string line_program(const Table& table) {
  Bytes header;  // after header_length
  header.raw({"\x01\x01\x01\xfb\x0e\x0d\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x00\x01", 18});
  header.number<std::uint8_t>(0);  // no folders: file names are absolute
  for (const std::string& file : table.files) {
    header.string(file);
    header.raw({"\0\0\0", 3});
  }
  header.number<std::uint8_t>(0);
  Bytes unit;
  unit.number<std::uint16_t>(4);
  unit.raw(header.with_length());
  auto extended = [&](std::uint8_t opcode, std::uint64_t size) {
    unit.number<std::uint8_t>(0);
    unit.unsigned_leb(size);
    unit.number(opcode);
  };
  extended(DW_LNE_set_address, 9);
  std::uint64_t at = table.begin;
  unit.number(at);
  int line = 1;
  auto advance = [&](std::uint64_t address) {
    unit.number<std::uint8_t>(DW_LNS_advance_pc);
    unit.unsigned_leb(address - at);
    at = address;
  };
  for (const Row& row : table.rows) {
    advance(row.address);
    unit.number<std::uint8_t>(DW_LNS_advance_line);
    unit.signed_leb(row.line - line);
    line = row.line;
    unit.number<std::uint8_t>(DW_LNS_set_file);
    unit.unsigned_leb(row.file);
    unit.number<std::uint8_t>(DW_LNS_copy);
  }
  advance(table.end);
  extended(DW_LNE_end_sequence, 1);
  return unit.with_length();
}

enum Abbreviation : std::uint8_t { kUnit = 1, kFunction };

std::string abbreviations() {
  Bytes b;
  auto entry = [&](std::uint8_t code, std::uint8_t tag, std::uint8_t children,
                   std::initializer_list<std::uint8_t> attributes) {
    b.number(code);
    b.number(tag);
    b.number(children);
    for (std::uint8_t a : attributes) {
      b.number(a);
    }
    b.raw({"\0\0", 2});
  };
  entry(kUnit, DW_TAG_compile_unit, DW_CHILDREN_yes,
        {DW_AT_language, DW_FORM_data1, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
         DW_AT_high_pc, DW_FORM_data8, DW_AT_stmt_list, DW_FORM_sec_offset});
  entry(kFunction, DW_TAG_subprogram, DW_CHILDREN_no,
        {DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8});
  b.number<std::uint8_t>(0);
  return b.text();
}

std::string unit(const Table& table, const std::string& name) {
  Bytes b;
  b.number<std::uint16_t>(4);
  b.number<std::uint32_t>(0);  // abbreviations
  b.number<std::uint8_t>(8);
  b.number<std::uint8_t>(kUnit);
  b.number<std::uint8_t>(DW_LANG_C99);
  b.string(name);
  b.number(table.begin);
  b.number(table.end - table.begin);
  b.number<std::uint32_t>(0);  // lines
  for (const Function& f : table.functions) {
    if (!f.name.empty()) {
      b.number<std::uint8_t>(kFunction);
      b.string(f.name);
      b.number(f.begin);
      b.number(f.end - f.begin);
    }
  }
  b.number<std::uint8_t>(0);
  return b.with_length();
}

// Writes sections one after the other, and the headers at the end.
std::string elf_file(const Table& table,
                     const std::vector<std::pair<std::string, std::string>>& debug) {
  std::string names("\0.text\0.shstrtab\0", 17);
  std::string body(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> sections(2);
  sections[1] = {.sh_name = 1,
                 .sh_type = SHT_NOBITS,
                 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                 .sh_addr = table.begin,
                 .sh_offset = body.size(),
                 .sh_size = table.end - table.begin,
                 .sh_addralign = 16};
  auto add = [&](std::size_t name, std::uint32_t type, const std::string& bytes) {
    sections.push_back({.sh_name = static_cast<std::uint32_t>(name),
                        .sh_type = type,
                        .sh_offset = body.size(),
                        .sh_size = bytes.size(),
                        .sh_addralign = 1});
    body += bytes;
  };
  for (const auto& [name, bytes] : debug) {
    std::size_t at = names.size();
    names.append(name.c_str(), name.size() + 1);
    add(at, SHT_PROGBITS, bytes);
  }
  add(7, SHT_STRTAB, names);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = body.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<std::uint16_t>(sections.size());
  header.e_shstrndx = static_cast<std::uint16_t>(sections.size() - 1);
  std::memcpy(body.data(), &header, sizeof header);
  body.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
  return body;
}

}  // namespace

CopyLines copy_lines(DebugModule& module, std::uint64_t bias) {
  CopyLines lines;
  if (!module.patches().patched() || module.dwfl() == nullptr) {
    return lines;
  }
  Table table = make_table(module);
  if (table.rows.empty()) {
    return lines;
  }
  lines.symbols = elf_file(table, {{".debug_abbrev", abbreviations()},
                                   {".debug_info", unit(table, module.name())},
                                   {".debug_line", line_program(table)}});
  for (const Function& f : table.functions) {
    auto first = std::lower_bound(table.rows.begin(), table.rows.end(), f.begin,
                                  [](const Row& r, std::uint64_t a) { return r.address < a; });
    auto last =
        std::find_if(first, table.rows.end(), [&](const Row& r) { return r.address >= f.end; });
    if (first == last) {
      continue;
    }
    std::ostringstream text;
    text << "(" << f.original_begin + bias << "," << f.original_end + bias << "," << f.begin + bias
         << "," << f.end + bias << ",[";
    for (; first != last; ++first) {
      text << "(" << first->address + bias << "," << first->line << "),";
    }
    lines.functions += text.str() + "]),\n";
  }
  return lines;
}

}  // namespace rff
