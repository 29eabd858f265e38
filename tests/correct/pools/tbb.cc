// A parallel loop and a reduction.
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <atomic>
#include <cstdio>

int main() {
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 64, [&](int i) { sum += i; });
  using Range = tbb::blocked_range<int>;
  auto add = [](const Range& range, long before) {
    for (int i : {range.begin(), range.end()}) {
      before += i == range.end() ? 0 : range.end() - i;
    }
    return before;
  };
  long reduced = tbb::parallel_reduce(Range(0, 100), 0L, add, [](long a, long b) { return a + b; });
  std::printf("%ld %ld %d\n", sum.load(), reduced, tbb::info::default_concurrency());
  return sum != 2016 || reduced != 100;
}
