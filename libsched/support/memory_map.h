// Lists and compares the memory that the program can write to.
#pragma once

#include <cstdint>
#include <vector>

namespace rff {

struct Span {
  std::uint64_t begin = 0, end = 0;
  bool from_file = false;  // pages that were never touched hold what is in a file, else zeros
};

// Mappings that can be written to, without memory of the runtime (places.h), in order. Empty if the
// kernel does not tell.
std::vector<Span> writable_memory();

// Takes [begin, end) out of the spans.
void leave_out(std::vector<Span>& spans, std::uint64_t begin, std::uint64_t end);

// This stands for the content of a page, or of the part of it that a span has. Pages of zeros have
// none.
struct PageContent {
  std::uint64_t begin, end;
  std::uint64_t hash, other_hash;  // two that have nothing in common
  bool operator==(const PageContent&) const = default;
};

// Reads one page or a part of it. Returns false if it cannot be read.
bool page_content(std::uint64_t begin, std::uint64_t end, PageContent* content);
// Reads all spans. Returns false if the kernel does not tell which pages are there.
bool memory_content(const std::vector<Span>& spans, std::vector<PageContent>* content);

}  // namespace rff
