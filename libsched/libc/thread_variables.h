// Thread-local variables of a fiber: a block below its descriptor for the modules that were loaded
// with the program, and a vector (dtv) with the address of each module's block.
//
// The loader creates them, but in a run that would touch pages of its code and data for nothing
// else. So it is called once, before the runs; its result is the pattern for every fiber, as long
// as the loader would create the same again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rff {

// Returns the size of the variables that every thread has from its start; 0 if this C library is
// unknown.
std::size_t static_variables();

class ThreadVariables {
 public:
  // Returns false if this C library is unknown.
  bool prepare();
  // Size of the block including the descriptor above it.
  std::size_t bytes() const { return bytes_; }
  std::size_t align() const { return align_; }

  void remember_pattern(std::size_t descriptor_bytes);
  void forget_pattern() { pattern_ = 0; }

  // Creates the variables for the descriptor of a new fiber. Requires: the memory below is all
  // zero.
  void give(std::uint64_t descriptor);
  void take_back(std::uint64_t descriptor);

 private:
  struct Entry {
    std::uint64_t value;  // first entry: number of entries; second: generation
    std::uint64_t to_free;
  };
  // Returns the vector, from its second entry on.
  Entry*& vector_of(std::uint64_t descriptor) const {
    return *reinterpret_cast<Entry**>(descriptor + vector_at_);
  }
  // The loader's list of modules with thread-local variables; none if there is more than one list.
  static constexpr std::size_t kModuleBytes = 16;
  struct Modules {
    const unsigned char* list = nullptr;
    std::size_t bytes = 0;
  };
  Modules modules() const;
  bool would_be_the_same() const;

  void* (*allocate_)(void*) = nullptr;
  void (*deallocate_)(void*, bool) = nullptr;
  std::size_t bytes_ = 0;
  std::size_t align_ = 0;
  bool can_have_pattern_ = false;
  const unsigned char* loader_ = nullptr;  // the loader's variables
  // Offsets in structures of the C library.
  std::uint32_t vector_at_ = 0, modules_at_ = 0, count_at_ = 0, next_at_ = 0, first_at_ = 0;

  std::uint64_t pattern_ = 0;       // a descriptor with unused variables; 0: none
  std::uint64_t depth_ = 0;         // distance below it up to which something is not zero
  std::size_t vector_entries_ = 0;  // all
  Modules known_;
  std::vector<unsigned char> known_content_;
};

}  // namespace rff
