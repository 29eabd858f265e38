// libFuzzer entry for decoding and shrinking. Not part of the build; to run it for a while:
//   for f in source current_run shrink; do clang -g -O1 -D_GNU_SOURCE
//     -fsanitize=fuzzer-no-link,address,undefined -I. -Iproperty/include -c property/$f.c; done
//   clang++ -std=c++17 -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iproperty/include
//     property/generators_fuzz.cc source.o current_run.o shrink.o -o generators_fuzz
//   ./generators_fuzz -max_total_time=300
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "property/every_generator.h"
#include "property/shrink.h"

static std::string text_of(const std::vector<unsigned char>& bytes) {
  static const auto generator = rff::test::every_generator();
  rff_source raw{bytes.data(), bytes.size(), 0};
  rff::Source source(&raw);
  generator(source);
  return source.text;
}

// An input "fails" if its values have a text of some length: shrinking has much to try.
static int is_long(void* context, const unsigned char* data, std::size_t size) {
  return text_of({data, data + size}).size() >= *static_cast<std::size_t*>(context) ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<unsigned char> bytes(data, data + size);
  std::string text = text_of(bytes);
  std::vector<unsigned char> longer = bytes;
  longer.resize(size + 3);
  if (text_of(bytes) != text || text_of(longer) != text) {
    std::abort();
  }
  std::size_t length = text.size();
  std::vector<unsigned char> smaller = bytes;
  smaller.resize(rff_shrink(smaller.data(), size, is_long, &length, 200));
  if (text_of(smaller).size() < length ||
      rff_smaller_input(data, size, smaller.data(), smaller.size()) != 0) {
    std::abort();
  }
  return 0;
}
