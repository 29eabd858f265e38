#include "libsched/interpose/memory/compared_bytes.h"

#include <strings.h>

#include <algorithm>
#include <cstring>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/memory/memory_functions.h"

namespace rff::compared_bytes {
namespace {

bool reported(const void* caller) {
  if (!controlled() || !runtime->run.branches.active() || InsideRuntime::active()) {
    return false;
  }
  const Module* m = runtime->process.modules.find(reinterpret_cast<std::uint64_t>(caller));
  return m != nullptr && m->patched != nullptr && m->patched->branch_count != 0;
}

// Returns how many bytes to report. The function may look only at the first ones of `most`, so
// nothing behind their page is read.
std::size_t readable(const void* at, std::size_t most) {
  std::size_t rest_of_page = kPageBytes - reinterpret_cast<std::uint64_t>(at) % kPageBytes;
  return std::min({most, std::size_t{ComparedBytes::kMost}, rest_of_page});
}

void report(const void* first, std::size_t first_size, const void* second, std::size_t second_size,
            const void* caller) {
  runtime->run.branches.compare_bytes(runtime->run.execution.current().index, runtime->code(caller),
                                      first, first_size, second, second_size);
}

}  // namespace

void report_memory(const void* first, std::size_t first_size, const void* second,
                   std::size_t second_size, const void* caller) {
  if (reported(caller)) {
    report(first, readable(first, first_size), second, readable(second, second_size), caller);
  }
}

void report_strings(const char* first, const char* second, std::size_t most, const void* caller) {
  if (reported(caller)) {
    report(first, RFF_REAL(strnlen)(first, readable(first, most)), second,
           RFF_REAL(strnlen)(second, readable(second, most)), caller);
  }
}

}  // namespace rff::compared_bytes

using namespace rff;

namespace {

// Returns the number of bytes that a comparison without regard to case reads.
std::size_t compared_folded(const char* a, const char* b, std::size_t most) {
  auto folded = [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; };
  std::size_t n = 0;
  while (n < most && folded(a[n]) == folded(b[n]) && a[n] != 0) {
    ++n;
  }
  return n < most ? n + 1 : most;
}

void reads_folded(const char* a, const char* b, std::size_t most, const void* caller) {
  if (ranges::noticed(caller)) {
    std::size_t n = compared_folded(a, b, most);
    ranges::reads(a, n, caller);
    ranges::reads(b, n, caller);
  }
}

}  // namespace

RFF_EXPORT int strcasecmp(const char* a, const char* b) noexcept {
  reads_folded(a, b, ~std::size_t{0}, RFF_CALLER);
  compared_bytes::report_strings(a, b, ~std::size_t{0}, RFF_CALLER);
  return RFF_REAL(strcasecmp)(a, b);
}

RFF_EXPORT int strncasecmp(const char* a, const char* b, std::size_t n) noexcept {
  reads_folded(a, b, n, RFF_CALLER);
  compared_bytes::report_strings(a, b, n, RFF_CALLER);
  return RFF_REAL(strncasecmp)(a, b, n);
}

RFF_EXPORT void* memmem(const void* in, std::size_t in_size, const void* searched,
                        std::size_t searched_size) noexcept {
  if (ranges::noticed(RFF_CALLER)) {
    ranges::reads(in, in_size, RFF_CALLER);
    ranges::reads(searched, searched_size, RFF_CALLER);
  }
  compared_bytes::report_memory(in, in_size, searched, searched_size, RFF_CALLER);
  return RFF_REAL(memmem)(in, in_size, searched, searched_size);
}
