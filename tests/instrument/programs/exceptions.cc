// C++ exceptions through instrumented frames: clean-ups, rethrow, nested, virtual calls, std
// containers.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static int depth, destroyed;

struct Guard {
  explicit Guard(int v) : value(v) { ++depth; }
  ~Guard() {
    --depth;
    destroyed += value;
  }
  int value;
};

struct Shape {
  virtual ~Shape() = default;
  virtual int Area(int scale) const = 0;
};
struct Square : Shape {
  int Area(int scale) const override {
    return scale < 0 ? throw std::out_of_range("scale") : 4 * scale;
  }
};
struct Failing : Shape {
  int Area(int) const override {
    Guard g(100);
    throw std::string("failing");
  }
};

__attribute__((noinline)) static int Deep(int n, int fail_at) {
  Guard guard(n);
  if (n == fail_at) throw n;
  if (n == 0) return 1;
  int result = Deep(n - 1, fail_at) + n;
  return result + guard.value;
}

__attribute__((noinline)) static int Rethrow(int n) {
  Guard guard(1000);
  try {
    return Deep(5, n);
  } catch (int v) {
    if (v % 2) throw;
    try {
      Guard inner(1);
      throw std::runtime_error("inner " + std::to_string(v));
    } catch (const std::exception& e) {
      return static_cast<int>(std::string(e.what()).size());
    }
  }
}

int main() {
  long sum = 0;
  for (int i = 0; i < 7; ++i) {
    try {
      sum = sum * 31 + Rethrow(i);
    } catch (int v) {
      sum = sum * 31 - v;
    }
  }
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>());
  shapes.push_back(std::make_unique<Failing>());
  std::map<std::string, int> count;
  for (int scale : {2, -1}) {
    for (const auto& shape : shapes) {
      try {
        sum += shape->Area(scale);
      } catch (const std::string& text) {
        ++count[text];
      } catch (const std::exception& e) {
        ++count[e.what()];
      }
    }
  }
  std::function<int(int)> f = [&](int x) { return x > 2 ? throw 7.5 : static_cast<int>(sum) + x; };
  for (int x = 0; x < 5; ++x) {
    try {
      sum += f(x);
    } catch (double d) {
      sum += static_cast<long>(d * 2);
    }
  }
  for (const auto& [name, n] : count) std::printf("%s %d\n", name.c_str(), n);
  std::printf("%ld depth %d destroyed %d\n", sum, depth, destroyed);
}
