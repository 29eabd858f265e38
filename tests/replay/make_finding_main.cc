// make_finding OUT.bin SCHEDULER [FIRST:]SEEDS PROG [ARGS…]: makes a schedule file for experiments.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "fuzzer/common/finding_words.h"
#include "tests/replay/make_finding.h"

int main(int argc, char** argv) {
  auto kind = argc >= 5 ? rff::scheduler_from_name(argv[2]) : std::nullopt;
  if (!kind) {
    std::fprintf(stderr, "usage: make_finding OUT.bin SCHEDULER [FIRST:]SEEDS PROG [ARGS...]\n");
    return 2;
  }
  const char* colon = std::strchr(argv[3], ':');
  auto schedule = rff::test::make_finding({argv + 4, argv + argc}, *kind,
                                          std::atoi(colon != nullptr ? colon + 1 : argv[3]),
                                          colon != nullptr ? std::atoi(argv[3]) : 1);
  if (!schedule) {
    std::fprintf(stderr, "make_finding: no seed fails\n");
    return 1;
  }
  std::ofstream(argv[1], std::ios::binary) << rff::encode_schedule(*schedule);
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(schedule->seed),
              rff::finding_words(*schedule->finding).c_str());
  return 0;
}
