#include "instrument/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "schedule/hook.h"

namespace rff::instrument {

namespace {

// Relocation types whose stored value is "load bias + addend".
constexpr std::uint32_t kRelative = R_X86_64_RELATIVE;
constexpr std::uint32_t kIndirectRelative = R_X86_64_IRELATIVE;

}  // namespace

Result<ElfFile> ElfFile::open(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not block
  if (fd < 0) {
    return Error{errno == ENOENT   ? "no such file"
                 : errno == EACCES ? "permission denied"
                                   : std::string("cannot be opened: ") + std::strerror(errno)};
  }
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd);
    return Error{"not a regular file"};
  }
  // Added segments lie behind everything else and must be within reach of a 32-bit distance.
  if (status.st_size >= std::int64_t{1} << 31) {
    close(fd);
    return Error{"larger than 2 GiB; strip its debug information first"};
  }
  std::vector<std::uint8_t> image(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < image.size()) {
    ssize_t n = ::read(fd, image.data() + done, image.size() - done);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      break;
    }
    done += static_cast<std::size_t>(n);
  }
  close(fd);
  if (done != image.size()) {
    return Error{"cannot be read"};
  }
  return parse(std::move(image));
}

Result<ElfFile> ElfFile::parse(std::vector<std::uint8_t> image) {
  ElfFile file;
  file.image_ = std::move(image);
  if (std::string problem = file.check(); !problem.empty()) {
    return Error{problem};
  }
  file.read_sections();
  return file;
}

std::string ElfFile::check() {
  if (image_.size() < SELFMAG || std::memcmp(image_.data(), ELFMAG, SELFMAG) != 0) {
    return "not an ELF file";
  }
  if (image_.size() < EI_NIDENT) {
    return "truncated ELF header";
  }
  if (image_[EI_CLASS] == ELFCLASS32) {
    return "a 32-bit ELF file; only x86_64 is supported";
  }
  if (image_[EI_CLASS] != ELFCLASS64 || image_[EI_DATA] != ELFDATA2LSB) {
    return "not a little-endian 64-bit ELF file; only x86_64 is supported";
  }
  if (image_.size() < sizeof(Elf64_Ehdr)) {
    return "truncated ELF header";
  }
  std::memcpy(&header_, image_.data(), sizeof(header_));
  if (header_.e_machine != EM_X86_64) {
    return "for another architecture (ELF machine " + std::to_string(header_.e_machine) +
           "); only x86_64 is supported";
  }
  if (header_.e_type != ET_EXEC && header_.e_type != ET_DYN) {
    return "neither an executable nor a shared library; link it first";
  }
  return read_segments();
}

std::string ElfFile::read_segments() {
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum == 0 ||
      header_.e_phnum == PN_XNUM) {
    return "no usable program headers";
  }
  if (!in_file(header_.e_phoff, std::uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr))) {
    return "truncated: the program headers lie beyond the end of the file";
  }
  segments_ = copy_table<Elf64_Phdr>(image_, header_.e_phoff, header_.e_phnum);
  std::uint64_t last_end = 0;
  for (const Elf64_Phdr& segment : segments_) {
    std::string problem;
    if (segment.p_type == PT_LOAD) {
      problem = check_loaded(segment, last_end);
      last_end = segment.p_vaddr + segment.p_memsz;
    } else if (segment.p_type == PT_DYNAMIC) {
      problem = read_dynamic(segment);
    } else if (segment.p_type == PT_NOTE) {
      already_patched_ |= is_patch_note(segment);
    }
    if (!problem.empty()) {
      return problem;
    }
  }
  return check_linkage();
}

std::string ElfFile::check_loaded(const Elf64_Phdr& segment, std::uint64_t last_end) const {
  if (!in_file(segment.p_offset, segment.p_filesz)) {
    return "truncated: a segment lies beyond the end of the file";
  }
  if (segment.p_memsz < segment.p_filesz || segment.p_vaddr < last_end ||
      segment.p_vaddr + segment.p_memsz < segment.p_vaddr ||
      segment.p_vaddr + segment.p_memsz > (std::uint64_t{1} << 46) ||
      ((segment.p_vaddr - segment.p_offset) & 0xfff) != 0) {
    return "malformed: its segments overlap, are not in order or not aligned";
  }
  if ((segment.p_flags & (PF_W | PF_X)) == (PF_W | PF_X)) {
    return "has a segment that is both writable and executable; such code may change itself";
  }
  return "";
}

std::string ElfFile::read_dynamic(const Elf64_Phdr& segment) {
  if (!in_file(segment.p_offset, segment.p_filesz)) {
    return "truncated: the dynamic section lies beyond the end of the file";
  }
  dynamic_ = copy_table<Elf64_Dyn>(image_, segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
  return "";
}

bool ElfFile::is_patch_note(const Elf64_Phdr& segment) const {
  if (!in_file(segment.p_offset, segment.p_filesz) || segment.p_filesz < sizeof(Elf64_Nhdr) + 4) {
    return false;
  }
  Elf64_Nhdr note;
  std::memcpy(&note, image_.data() + segment.p_offset, sizeof(note));
  const char* owner =
      reinterpret_cast<const char*>(image_.data()) + segment.p_offset + sizeof(note);
  return note.n_namesz == sizeof(hook::kNoteOwner) && note.n_type == hook::kNoteType &&
         std::memcmp(owner, hook::kNoteOwner, sizeof(hook::kNoteOwner)) == 0;
}

// Refuses files into which the runtime cannot be preloaded or whose code cannot be moved.
std::string ElfFile::check_linkage() const {
  if (segment_of_type(PT_LOAD) == nullptr) {
    return "no loadable segments (a file with debug information only?)";
  }
  if (segment_of_type(PT_DYNAMIC) == nullptr) {
    return "statically linked: the runtime cannot be preloaded into it; link it dynamically";
  }
  if (already_patched_) {
    return "already patched; give the original file";
  }
  if (dynamic(DT_TEXTREL) || (dynamic(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0) {
    return "has relocations in its code (link it with -z text): its code cannot be moved";
  }
  // A static-pie has a dynamic section but no interpreter. DT_FLAGS_1 distinguishes it from a
  // library.
  if (segment_of_type(PT_INTERP) == nullptr && (dynamic(DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0) {
    return "statically linked: the runtime cannot be preloaded into it; link it dynamically";
  }
  return "";
}

// Section headers are optional here, so damaged ones are dropped and are not fatal.
void ElfFile::read_sections() {
  if (header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shnum == 0 ||
      !in_file(header_.e_shoff, std::uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr))) {
    return;
  }
  auto headers = copy_table<Elf64_Shdr>(image_, header_.e_shoff, header_.e_shnum);
  std::string_view names;
  if (header_.e_shstrndx < headers.size()) {
    const Elf64_Shdr& strings = headers[header_.e_shstrndx];
    if (strings.sh_type == SHT_STRTAB && in_file(strings.sh_offset, strings.sh_size)) {
      names = {reinterpret_cast<const char*>(image_.data()) + strings.sh_offset, strings.sh_size};
    }
  }
  for (const Elf64_Shdr& header : headers) {
    Section section{"", header};
    if (header.sh_name < names.size()) {
      std::string_view name = names.substr(header.sh_name);
      section.name = name.substr(0, name.find('\0'));
    }
    if (header.sh_type != SHT_NOBITS && !in_file(header.sh_offset, header.sh_size)) {
      section.header.sh_offset = 0;
      section.header.sh_size = 0;
    }
    sections_.push_back(std::move(section));
  }
}

std::basic_string_view<std::uint8_t> ElfFile::at(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz) {
      std::uint64_t delta = address - segment.p_vaddr;
      return {image_.data() + segment.p_offset + delta, segment.p_filesz - delta};
    }
  }
  return {};
}

std::optional<std::uint64_t> ElfFile::file_offset(std::uint64_t address) const {
  auto bytes = at(address);
  if (bytes.empty()) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(bytes.data() - image_.data());
}

bool ElfFile::is_executable(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
        address - segment.p_vaddr < segment.p_filesz) {
      return true;
    }
  }
  return false;
}

const Section* ElfFile::section_named(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) {
      return &section;
    }
  }
  return nullptr;
}

const Section* ElfFile::section_at(std::uint64_t address) const {
  for (const Section& section : sections_) {
    if (section.contains(address)) {
      return &section;
    }
  }
  return nullptr;
}

const Elf64_Phdr* ElfFile::segment_of_type(std::uint32_t type) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == type) {
      return &segment;
    }
  }
  return nullptr;
}

std::optional<std::uint64_t> ElfFile::dynamic(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == DT_NULL) {
      break;
    }
    if (entry.d_tag == tag) {
      return entry.d_un.d_val;
    }
  }
  return std::nullopt;
}

void ElfFile::append_symbols(const Section& table, std::vector<Symbol>& out) const {
  if (table.header.sh_link >= sections_.size()) {
    return;
  }
  const Elf64_Shdr& strings = sections_[table.header.sh_link].header;
  if (strings.sh_type != SHT_STRTAB) {
    return;
  }
  std::string_view names(reinterpret_cast<const char*>(image_.data()) + strings.sh_offset,
                         strings.sh_size);
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.header.sh_size;
       at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, image_.data() + table.header.sh_offset + at, sizeof(symbol));
    int type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || type == STT_TLS ||
        type == STT_FILE || type == STT_SECTION || symbol.st_name >= names.size()) {
      continue;
    }
    std::string_view name = names.substr(symbol.st_name);
    out.push_back({name.substr(0, name.find('\0')), symbol.st_value, symbol.st_size,
                   type == STT_FUNC || type == STT_GNU_IFUNC});
  }
}

std::vector<Symbol> ElfFile::symbols() const {
  std::vector<Symbol> symbols;
  for (const Section& section : sections_) {
    if (section.header.sh_type == SHT_SYMTAB || section.header.sh_type == SHT_DYNSYM) {
      append_symbols(section, symbols);
    }
  }
  return symbols;
}

void ElfFile::append_rela(std::uint64_t address, std::uint64_t size,
                          std::vector<std::uint64_t>& out) const {
  auto symbols = dynamic(DT_SYMTAB);
  for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= size; at += sizeof(Elf64_Rela)) {
    auto entry = read<Elf64_Rela>(address + at);
    if (!entry) {
      return;
    }
    std::uint32_t type = ELF64_R_TYPE(entry->r_info);
    if (type == kRelative || type == kIndirectRelative) {
      out.push_back(static_cast<std::uint64_t>(entry->r_addend));
      continue;
    }
    // Until it is bound, a slot holds an address in the linkage table.
    if (auto unbound = read<std::uint64_t>(entry->r_offset);
        type == R_X86_64_JUMP_SLOT && unbound) {
      out.push_back(*unbound);
    }
    if (std::uint32_t index = ELF64_R_SYM(entry->r_info); index != 0 && symbols) {
      auto symbol = read<Elf64_Sym>(*symbols + std::uint64_t{index} * sizeof(Elf64_Sym));
      if (symbol && symbol->st_shndx != SHN_UNDEF) {
        out.push_back(symbol->st_value + static_cast<std::uint64_t>(entry->r_addend));
      }
    }
  }
}

// DT_RELR packs relative relocations: an even word is an address, an odd one a bitmap of the words
// after it.
void ElfFile::append_relr(std::uint64_t address, std::uint64_t size,
                          std::vector<std::uint64_t>& out) const {
  std::uint64_t where = 0;
  auto add = [&](std::uint64_t location) {
    if (auto value = read<std::uint64_t>(location)) {
      out.push_back(*value);
    }
  };
  for (std::uint64_t at = 0; at + 8 <= size; at += 8) {
    auto word = read<std::uint64_t>(address + at);
    if (!word) {
      return;
    }
    if ((*word & 1) == 0) {
      add(*word);
      where = *word + 8;
      continue;
    }
    for (int bit = 0; bit < 63; ++bit) {
      if (((*word >> (bit + 1)) & 1) != 0) {
        add(where + 8 * static_cast<std::uint64_t>(bit));
      }
    }
    where += std::uint64_t{63} * 8;
  }
}

std::vector<std::uint64_t> ElfFile::relocated_pointers() const {
  std::vector<std::uint64_t> out;
  if (auto table = dynamic(DT_RELA)) {
    append_rela(*table, dynamic(DT_RELASZ).value_or(0), out);
  }
  if (auto table = dynamic(DT_JMPREL)) {
    append_rela(*table, dynamic(DT_PLTRELSZ).value_or(0), out);
  }
  constexpr std::int64_t kRelr = 36;  // DT_RELR and DT_RELRSZ, not in older headers
  constexpr std::int64_t kRelrSize = 35;
  if (auto table = dynamic(kRelr)) {
    append_relr(*table, dynamic(kRelrSize).value_or(0), out);
  }
  for (std::int64_t tag : {DT_INIT, DT_FINI}) {
    if (auto address = dynamic(tag)) {
      out.push_back(*address);
    }
  }
  return out;
}

}  // namespace rff::instrument
