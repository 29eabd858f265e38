#include "libsched/memory/library_symbol.h"

#include <elf.h>

#include <algorithm>

namespace rff {
namespace {

template <typename T>
const T* at(std::uint64_t address) {
  return reinterpret_cast<const T*>(address);
}

std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (char c : name) {
    hash = hash * 33 + static_cast<unsigned char>(c);
  }
  return hash;
}

struct Tables {
  std::uint64_t hash = 0, symbols = 0, names = 0;
};

// The loader has replaced the offsets in the dynamic section by addresses where it may write there.
Tables tables_of(std::uint64_t dynamic, std::uint64_t bias) {
  Tables t;
  for (const auto* d = at<Elf64_Dyn>(dynamic); d->d_tag != DT_NULL; ++d) {
    std::uint64_t address = d->d_un.d_ptr < bias ? d->d_un.d_ptr + bias : d->d_un.d_ptr;
    switch (d->d_tag) {
      case DT_GNU_HASH: t.hash = address; break;
      case DT_SYMTAB: t.symbols = address; break;
      case DT_STRTAB: t.names = address; break;
      default: break;
    }
  }
  return t;
}

Tables tables_in(std::uint64_t begin, std::uint64_t bias) {
  const auto* header = at<Elf64_Ehdr>(begin);
  Tables t;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto* segment = at<Elf64_Phdr>(begin + header->e_phoff) + i;
    if (segment->p_type == PT_DYNAMIC) {
      t = tables_of(bias + segment->p_vaddr, bias);
    }
  }
  return t;
}

}  // namespace

// No table says how many symbols there are, but linkers put their names behind them.
bool imports_only(std::uint64_t begin, std::uint64_t bias, KnowsFunction known,
                  const void* context) {
  Tables t = tables_in(begin, bias);
  if (t.symbols == 0 || t.names <= t.symbols) {
    return false;
  }
  const auto* end = at<Elf64_Sym>(t.symbols) + (t.names - t.symbols) / sizeof(Elf64_Sym);
  return std::all_of(at<Elf64_Sym>(t.symbols), end, [&](const Elf64_Sym& symbol) {
    bool function = symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0 &&
                    ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT &&
                    ELF64_ST_TYPE(symbol.st_info) != STT_TLS;
    return !function || known(at<char>(t.names + symbol.st_name), context);
  });
}

std::uint64_t library_symbol(std::uint64_t begin, std::uint64_t bias, std::string_view name) {
  Tables t = tables_in(begin, bias);
  if (t.hash == 0 || t.symbols == 0 || t.names == 0) {
    return 0;
  }
  const auto* hash = at<std::uint32_t>(t.hash);
  std::uint32_t buckets = hash[0], first = hash[1], filter = hash[2];
  const std::uint32_t* bucket = hash + 4 + std::uint64_t{2} * filter;
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t wanted = gnu_hash(name);
  for (std::uint32_t i = bucket[wanted % buckets]; i >= first; ++i) {
    const auto* symbol = at<Elf64_Sym>(t.symbols) + i;
    if (((chain[i - first] ^ wanted) >> 1) == 0 && symbol->st_shndx != SHN_UNDEF &&
        name == at<char>(t.names + symbol->st_name)) {
      return bias + symbol->st_value;
    }
    if ((chain[i - first] & 1) != 0) {
      break;
    }
  }
  return 0;
}

}  // namespace rff
