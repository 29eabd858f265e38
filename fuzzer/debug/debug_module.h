// One file's debug information, opened when first needed. Addresses are link-time addresses of the
// original code.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fuzzer/debug/code_shape.h"
#include "fuzzer/debug/patched_file.h"
#include "fuzzer/debug/units.h"
#include "fuzzer/debug/variables.h"

namespace rff {

// Further folders with separate debug files, separated by colons. Their .build-id folders are
// searched if their names are absolute. Unset: only the system's folders are searched.
inline constexpr char kDebugPathVariable[] = "RFF_DEBUG_PATH";

class DebugModule {
 public:
  explicit DebugModule(std::string path) : path_(std::move(path)) {}
  ~DebugModule();
  DebugModule(const DebugModule&) = delete;

  const std::string& path() const { return path_; }
  std::string name() const;  // file name without ".patched"

  // Returns null if the file cannot be read.
  Dwfl_Module* dwfl();
  // Returns the number to add to an address for dwfl's functions.
  std::uint64_t dwfl_bias() { return dwfl() != nullptr ? bias_ : 0; }
  Dwarf* dwarf();  // null without debug information
  std::uint64_t to_dwarf(std::uint64_t address) { return address + bias_ - dwarf_bias_; }
  std::uint64_t from_dwarf(std::uint64_t address) { return address - bias_ + dwarf_bias_; }

  const PatchedFile& patches();
  Variables& variables();
  Units& units();  // their addresses are to_dwarf()
  CodeShapes& shapes();
  // Reads from the file at this address, as many bytes as there are.
  std::string code(std::uint64_t address, std::size_t bytes);
  // Returns begin and end of the function at that address, by the symbol table.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> function_at(std::uint64_t address);

 private:
  void open();

  std::string path_;
  std::string search_path_;
  char* search_path_begin_ = nullptr;
  Dwfl_Callbacks callbacks_{};
  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  std::uint64_t bias_ = 0;
  Dwarf* dwarf_ = nullptr;
  std::uint64_t dwarf_bias_ = 0;
  bool opened_ = false;
  std::unique_ptr<PatchedFile> patches_;
  std::unique_ptr<Variables> variables_;
  std::unique_ptr<Units> units_;
  std::unique_ptr<CodeShapes> shapes_;
};

}  // namespace rff
