// Properties in C++17: some hold, each other one fails in its own way.
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "rff/property.h"

namespace {

struct Point {
  int x;
  int y;
};

}  // namespace

template <>
struct rff::Arbitrary<Point> {
  static rff::Generator<Point> make() {
    return rff::struct_of<Point>(rff::named("x", rff::in_range(0, 9)), rff::arbitrary<int>());
  }
};

RFF_PROPERTY(SortSorts, (std::vector<int> numbers)) {
  std::sort(numbers.begin(), numbers.end());
  rff_check(std::is_sorted(numbers.begin(), numbers.end()));
}

RFF_PROPERTY(NoLargeElement,
             (int i, const std::vector<std::string>& names, const std::vector<int>& numbers)) {
  (void)i;
  (void)names;
  for (int n : numbers) {
    rff_check(n <= 100);
  }
}

RFF_PROPERTY(StructsPrint, (Point point, const std::map<int, bool>& unused)) {
  (void)unused;
  rff_check(point.x < 3);
}

RFF_PROPERTY(Throws, (const std::set<int>& numbers)) {
  if (numbers.size() > 1) {
    throw std::runtime_error("two numbers");
  }
}

RFF_PROPERTY(Assumes, (unsigned n)) {
  try {
    rff_assume(n % 2 == 0);
  } catch (...) {
    // The run is discarded all the same.
  }
  rff_check(n % 2 == 0);
}

RFF_PROPERTY(OtherThreads, (unsigned n)) {
  std::thread([n] {
    rff_assume(n != 1);
    rff_check(n < 1000);
  }).join();
}

RFF_PROPERTY(DrawsInside) { rff_check(rff_int(0, 9) < 10); }

static const auto in_words = rff::property(
    "in words", [](int n, const std::string& s) { rff_check(n < 5 || s.empty()); },
    rff::in_range(1, 9), rff::string_of(rff::element_of({'a', 'b'})));
