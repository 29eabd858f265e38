#include "fuzzer/run/target_file.h"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "schedule/hash.h"
#include "schedule/hook.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

// Copies a T out of the bytes if it lies within them.
template <typename T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void read_notes(std::string_view notes, ElfFacts& facts) {
  auto padded = [](std::uint64_t n) { return (n + 3) & ~std::uint64_t{3}; };
  while (auto header = at<Elf64_Nhdr>(notes, 0)) {
    std::uint64_t name_end = sizeof(Elf64_Nhdr) + padded(header->n_namesz);
    std::uint64_t end = name_end + padded(header->n_descsz);
    if (name_end + header->n_descsz > notes.size()) {
      return;
    }
    std::string_view name = notes.substr(sizeof(Elf64_Nhdr), header->n_namesz);
    if (!name.empty() && name.back() == 0) {
      name.remove_suffix(1);
    }
    std::string_view value = notes.substr(name_end, header->n_descsz);
    if (name == hook::kNoteOwner && header->n_type == hook::kNoteType) {
      facts.patched = true;
      if (at<std::uint32_t>(value, 0) != hook::kHookVersion) {
        facts.error = "was patched by another version of rff-instrument: patch the original again";
      }
    }
    if (name == "GNU" && header->n_type == NT_GNU_BUILD_ID) {
      for (char c : value) {
        constexpr char kDigits[] = "0123456789abcdef";
        facts.build_id += kDigits[static_cast<unsigned char>(c) >> 4];
        facts.build_id += kDigits[c & 15];
      }
    }
    if (end >= notes.size()) {
      return;
    }
    notes.remove_prefix(end);
  }
}

std::string find_program(const std::string& program) {
  std::error_code error;
  if (program.find('/') != std::string::npos || fs::exists(program, error)) {
    return program;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder) / program;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate.string();
    }
  }
  return program;
}

}  // namespace

ElfFacts inspect_elf(std::string_view bytes) {
  ElfFacts facts;
  auto fail = [&](const char* why) {
    facts.error = why;
    return facts;
  };
  if (bytes.starts_with("#!")) {
    return fail("is a script: give the program that it runs");
  }
  auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return fail("is not an ELF program");
  }
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64) {
    return fail("is not an x86_64 program");
  }
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN) {
    return fail("is not an executable (an object file or a core dump?)");
  }
  bool interpreter = false;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    auto segment = at<Elf64_Phdr>(bytes, header->e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
    if (!segment) {
      return fail("is cut off");
    }
    if (segment->p_type == PT_INTERP) {
      interpreter = true;
    }
    if (segment->p_type == PT_NOTE && segment->p_offset <= bytes.size() &&
        segment->p_filesz <= bytes.size() - segment->p_offset) {
      read_notes(bytes.substr(segment->p_offset, segment->p_filesz), facts);
    }
  }
  facts.checks_addresses = bytes.find("__asan_init") != std::string_view::npos;
  if (!interpreter) {
    return fail(
        "is statically linked, so the runtime cannot be loaded into it: link it dynamically");
  }
  // The name stands among those of its dynamic symbols.
  using namespace std::string_view_literals;
  facts.has_properties = bytes.find("\0rff_runtime_input\0"sv) != std::string_view::npos;
  facts.makes_runs = bytes.find("\0rff_run\0"sv) != std::string_view::npos;
  facts.reports_accesses = bytes.find("\0rff_access\0"sv) != std::string_view::npos;
  return facts;
}

TargetFile TargetFile::open(const std::string& program) {
  std::string found = find_program(program);
  std::error_code error;
  if (!fs::exists(found, error)) {
    throw bad_usage(program + ": no such program");
  }
  if (!fs::is_regular_file(found, error)) {
    throw bad_usage(program + " is not a file");
  }
  std::optional<std::string> bytes = read_file(found);
  if (!bytes) {
    throw bad_usage(program + ": cannot read it: " + std::strerror(errno));
  }
  ElfFacts facts = inspect_elf(*bytes);
  if (!facts.error.empty()) {
    throw bad_usage(program + " " + facts.error);
  }
  if (::access(found.c_str(), X_OK) != 0) {
    throw bad_usage(program + " is not executable: chmod +x it");
  }
  constexpr auto kOthersRights = fs::perms::set_uid | fs::perms::set_gid;
  if ((fs::status(found, error).permissions() & kOthersRights) != fs::perms::none) {
    throw bad_usage(program + " is set-user-id or set-group-id: run a copy without that bit");
  }
  return {fs::absolute(found).lexically_normal().string(),
          facts.patched,
          facts.build_id,
          facts.has_properties,
          facts.checks_addresses,
          facts.makes_runs,
          facts.reports_accesses};
}

std::uint64_t input_digest(const std::vector<std::string>& arguments,
                           const std::string& standard_input) {
  std::uint64_t digest = 0;
  auto add_file = [&](const std::string& path) {
    std::error_code error;
    if (!path.empty() && fs::is_regular_file(path, error)) {
      digest = hash_combine(digest, hash_bytes(read_file(path).value_or("")));
    }
  };
  add_file(standard_input);
  for (const std::string& argument : arguments) {
    add_file(argument);
  }
  return digest;
}

}  // namespace rff
