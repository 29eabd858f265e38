// Prints faulty scripts, and what the model expects of each: list_scripts FIRST_SEED NUMBER. One
// line each: seed, kind, offset, first wrong byte, size of the block, script; separated by tabs.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/memory_scripts/script.h"

int main(int argc, char** argv) {
  using namespace rff;
  if (argc != 3) {
    std::fprintf(stderr, "usage: list_scripts FIRST_SEED NUMBER\n");
    return 2;
  }
  std::uint64_t first = std::strtoull(argv[1], nullptr, 0);
  std::uint64_t number = std::strtoull(argv[2], nullptr, 0);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    test::Script script(seed, true, true);
    test::ExpectedError e = script.error.value_or(test::ExpectedError{});
    std::string name(script.error ? finding_name(e.kind) : "none");
    std::printf("%llu\t%s\t%ld\t%ld\t%ld\t%s\n", static_cast<unsigned long long>(seed),
                name.c_str(), e.offset, e.wrong, e.block_size, script.text.c_str());
  }
  return 0;
}
