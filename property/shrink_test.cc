// Shrinking: it ends, every step is smaller, and known examples become as small as they can be.
#include "property/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "property/random_input.h"
#include "rff/property.h"

namespace {

using Bytes = std::vector<unsigned char>;
using Fails = std::function<bool(const Bytes&)>;

struct Watched {
  const Fails& fails;
  Bytes last;
  unsigned long tests = 0;
};

int watch(void* context, const unsigned char* data, size_t size) {
  auto& w = *static_cast<Watched*>(context);
  Bytes bytes(data, data + size);
  w.tests++;
  EXPECT_TRUE(rff_smaller_input(data, size, w.last.data(), w.last.size()));
  if (!w.fails(bytes)) return 0;
  w.last = bytes;
  return 1;
}

Bytes shrunk(Bytes bytes, const Fails& fails, unsigned long most = 20000) {
  Watched watched{fails, bytes};
  bytes.resize(rff_shrink(bytes.data(), bytes.size(), watch, &watched, most));
  EXPECT_LE(watched.tests, most);
  EXPECT_EQ(bytes, watched.last);
  return bytes;
}

template <class T>
T decoded(const Bytes& bytes) {
  rff_source raw{bytes.data(), bytes.size(), 0};
  rff::Source source(&raw);
  return rff::arbitrary<T>()(source);
}

// Shrinks many random inputs that fail; expects one result.
template <class T>
void expect_minimal(const std::function<bool(const T&)>& fails, const T& minimal) {
  Fails bytes_fail = [&](const Bytes& bytes) { return fails(decoded<T>(bytes)); };
  int failures = 0;
  for (std::uint64_t run = 0; run < 4000 && failures < 20; run++) {
    Bytes bytes(RFF_MOST_RANDOM_BYTES);
    bytes.resize(rff_random_input(7, run, bytes.data()));
    if (!bytes_fail(bytes)) continue;
    failures++;
    EXPECT_EQ(decoded<T>(shrunk(bytes, bytes_fail)), minimal) << "run " << run;
  }
  EXPECT_GT(failures, 0);
}

TEST(Shrinking, FindsTheSmallestNumber) {
  expect_minimal<long>([](long i) { return i > 100; }, 101);
  expect_minimal<long>([](long i) { return i > 1000; }, 1001);
  expect_minimal<long>([](long i) { return i > 70000; }, 70001);
  expect_minimal<long>([](long i) { return i < 0; }, -1);
  expect_minimal<long>([](long i) { return i < -300; }, -301);
  expect_minimal<double>([](double d) { return d > 100; }, 101);
}

TEST(Shrinking, FindsTheOneElementThatMatters) {
  expect_minimal<std::vector<int>>(
      [](const std::vector<int>& v) {
        for (int i : v) {
          if (i > 100) return true;
        }
        return false;
      },
      {101});
}

TEST(Shrinking, FindsTheShortestString) {
  expect_minimal<std::vector<std::string>>(
      [](const std::vector<std::string>& v) {
        for (const auto& s : v) {
          if (s.size() > 2) return true;
        }
        return false;
      },
      {"\x01\x01\x01"});
}

TEST(Shrinking, ShortensBytesWithTheirLength) {
  expect_minimal<std::pair<Bytes, char>>(
      [](const std::pair<Bytes, char>& p) { return p.first.size() > 1 && p.second > 5; },
      {Bytes{0, 0}, 6});
}

TEST(Shrinking, OfAnInputThatAlwaysFailsEndsWithNothing) {
  EXPECT_EQ(shrunk(Bytes(1000, 0xff), [](const Bytes&) { return true; }), Bytes());
  EXPECT_EQ(shrunk({}, [](const Bytes&) { return true; }), Bytes());
}

TEST(Shrinking, EndsWhateverFails) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; i++) {
    Bytes bytes(random() % 40);
    for (auto& b : bytes) b = static_cast<unsigned char>(random());
    shrunk(
        bytes, [&](const Bytes&) { return random() % 3 != 0; }, 3000);
  }
}

TEST(Shrinking, KeepsToItsNumberOfTests) {
  Bytes bytes(500, 7);
  unsigned long tests = 0;
  shrunk(
      bytes, [&](const Bytes&) { return ++tests > 1000000; }, 50);
  EXPECT_EQ(tests, 50u);
}

TEST(Order, IsFewerBytesThenASmallerNumber) {
  auto smaller = [](const Bytes& a, const Bytes& b) {
    return rff_smaller_input(a.data(), a.size(), b.data(), b.size()) != 0;
  };
  EXPECT_TRUE(smaller({0xff}, {0, 0}));
  EXPECT_TRUE(smaller({0xe9, 3}, {0, 4}));
  EXPECT_FALSE(smaller({0, 4}, {0xe9, 3}));
  EXPECT_FALSE(smaller({1, 2}, {1, 2}));
}

TEST(RandomInputs, BeginWithEveryInputOfAtMostOneByte) {
  std::set<Bytes> seen;
  for (std::uint64_t run = 0; run < 769; run++) {
    Bytes bytes(RFF_MOST_RANDOM_BYTES);
    bytes.resize(rff_random_input(3, run, bytes.data()));
    if (bytes.size() <= 1) seen.insert(bytes);
  }
  EXPECT_EQ(seen.size(), 257u);
}

TEST(RandomInputs, RepeatAndDiffer) {
  Bytes a(RFF_MOST_RANDOM_BYTES);
  Bytes b(RFF_MOST_RANDOM_BYTES);
  EXPECT_EQ(rff_random_input(1, 0, a.data()), 0u);
  int different = 0;
  for (std::uint64_t run = 1; run < 1000; run++) {
    size_t size = rff_random_input(1, run, a.data());
    ASSERT_LE(size, a.size());
    ASSERT_EQ(rff_random_input(1, run, b.data()), size);
    ASSERT_TRUE(std::equal(a.begin(), a.begin() + static_cast<long>(size), b.begin()));
    different += rff_random_input(2, run, b.data()) != size;
  }
  EXPECT_GT(different, 500);
}

}  // namespace
