// Lists and compares the memory that the program can write to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rff {

struct Span {
  std::uint64_t begin = 0, end = 0;
  bool from_file = false;  // untouched pages have the content of a file, otherwise zeros
  bool shared = false;     // with other processes
  bool executable = false;
};

// Reads a line of /proc/self/maps. Returns whether the program can write to the mapping.
bool writable(std::string_view line, Span* span);

// Returns the writable mappings in order, without memory of the runtime (places.h). Empty if the
// kernel does not list them.
std::vector<Span> writable_memory();

// Removes [begin, end) from the spans.
void leave_out(std::vector<Span>& spans, std::uint64_t begin, std::uint64_t end);

// Hash of a page, or of the part of it that is in a span. Pages of zeros have none.
struct PageContent {
  std::uint64_t begin, end;
  std::uint64_t hash, other_hash;  // two independent hashes
  bool operator==(const PageContent&) const = default;
};

// Reads one page or a part of it. Returns false if it is not readable.
bool page_content(std::uint64_t begin, std::uint64_t end, PageContent* content);
// Reads all spans. Returns false if the kernel does not say which pages are present.
bool memory_content(const std::vector<Span>& spans, std::vector<PageContent>* content);

}  // namespace rff
