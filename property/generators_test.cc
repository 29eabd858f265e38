// Every generator: any bytes decode, equal bytes give equal values, zero is the simplest value, and
// values print themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "property/every_generator.h"
#include "rff/property.h"

namespace {

using rff::test::depth_of;
using rff::test::every_generator;
using rff::test::trees;

using Bytes = std::vector<unsigned char>;

template <class T>
struct Drawn {
  T value;
  std::string text;
};

template <class T>
Drawn<T> draw(const rff::Generator<T>& generator, const Bytes& bytes) {
  rff_source raw{bytes.data(), bytes.size(), 0};
  rff::Source source(&raw);
  T value = generator(source);
  return {std::move(value), source.text};
}

template <class T>
T value(const rff::Generator<T>& generator, const Bytes& bytes) {
  return draw(generator, bytes).value;
}

template <class T>
std::string text(const rff::Generator<T>& generator, const Bytes& bytes) {
  return draw(generator, bytes).text;
}

struct Point {
  int x;
  std::string name;
};

TEST(Arbitrary, NumbersHaveTheWidthOfTheirType) {
  EXPECT_EQ(value(rff::arbitrary<int>(), {1, 2}), 0x201);
  EXPECT_EQ(value(rff::arbitrary<int>(), {0, 0, 0, 0x80}), -1);
  EXPECT_EQ(value(rff::arbitrary<short>(), {0, 0x80, 5}), -1);
  EXPECT_EQ(value(rff::arbitrary<std::uint16_t>(), {1, 0xff}), 0xff01);
  EXPECT_EQ(value(rff::arbitrary<bool>(), {3}), true);
  EXPECT_EQ(value(rff::arbitrary<char>(), {'x'}), 'x');
  EXPECT_EQ(value(rff::arbitrary<float>(), {1, 1}), 0.5F);
}

TEST(Arbitrary, StringsLieInTheInputAsTheyAre) {
  EXPECT_EQ(value(rff::arbitrary<std::string>(), {'a', 'b', 'c'}), "abc");
  EXPECT_EQ(value(rff::arbitrary<std::string>(), {'a', 0, 'b'}), "a");
  EXPECT_EQ(value(rff::arbitrary<std::string>(), {'a', 0, 0xff, 'b'}), std::string("a\0b", 3));
}

TEST(Arbitrary, ContainersTakeAByteBeforeEachElement) {
  EXPECT_EQ(value(rff::arbitrary<std::vector<int>>(), {1, 101}), std::vector<int>{101});
  EXPECT_EQ(value(rff::arbitrary<std::list<bool>>(), {1, 1, 1, 0, 8, 1}),
            (std::list<bool>{true, false}));
  EXPECT_EQ(value(rff::arbitrary<std::set<char>>(), {1, 'b', 1, 'a', 1, 'b'}),
            (std::set<char>{'a', 'b'}));
  EXPECT_EQ((value(rff::arbitrary<std::map<char, bool>>(), {1, 'b', 1})),
            (std::map<char, bool>{{'b', true}}));
  EXPECT_EQ((value(rff::arbitrary<std::array<char, 2>>(), {'x', 'y'})),
            (std::array<char, 2>{'x', 'y'}));
  EXPECT_EQ(value(rff::arbitrary<Bytes>(), {2, 0, 5, 0, 7}), (Bytes{5, 0}));
}

TEST(Generators, ChooseAmongValuesAndGenerators) {
  auto colours = rff::element_of<std::string>({"red", "green"});
  EXPECT_EQ(value(colours, {}), "red");
  EXPECT_EQ(value(colours, {1}), "green");
  auto either = rff::one_of(rff::in_range(1, 3), rff::in_range(10, 12));
  EXPECT_EQ(value(either, {}), 1);
  EXPECT_EQ(value(either, {1, 12}), 12);
  EXPECT_EQ(value(rff::optional_of(colours), {}), std::nullopt);
  EXPECT_EQ(value(rff::optional_of(colours), {1, 1}), "green");
}

TEST(Generators, RangesHoldForEveryType) {
  EXPECT_EQ(value(rff::in_range<signed char>(-128, -100), {}), -100);
  EXPECT_EQ(value(rff::in_range<std::uint64_t>(0, UINT64_MAX), Bytes(8, 0xff)), UINT64_MAX);
  EXPECT_EQ(value(rff::in_range('a', 'z'), {}), 'a');
  EXPECT_EQ(value(rff::in_range(-2.0, 2.0), {1, 1}), 0.5);
  double far =
      value(rff::in_range(-1e308, 1e308), {3, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f, 0, 0, 0, 0x80});
  EXPECT_TRUE(std::isfinite(far));
}

TEST(Generators, SizesHold) {
  auto numbers = rff::vector_of(rff::arbitrary<char>(), 2, 3);
  EXPECT_EQ(value(numbers, {}).size(), 2u);
  EXPECT_EQ(value(numbers, Bytes(100, 1)).size(), 3u);
  EXPECT_EQ(value(rff::string_of(rff::in_range('a', 'c'), 1, 4), Bytes(100, 1)).size(), 4u);
  EXPECT_EQ(value(rff::string_of(5), Bytes(100, 'x')), "xxxxx");
  EXPECT_LE(value(rff::bytes_of(5), Bytes(100, 0xff)).size(), 5u);
}

TEST(Generators, MapFilterAndFlatMap) {
  auto even = rff::map(rff::in_range(0, 50), [](int i) { return 2 * i; });
  EXPECT_EQ(value(even, {7}), 14);
  EXPECT_EQ(text(even, {7}), "14");
  auto odd = rff::filter(rff::arbitrary<unsigned char>(), [](unsigned char c) { return c % 2; });
  EXPECT_EQ(value(odd, {2, 4, 9}), 9);
  EXPECT_EQ(text(odd, {2, 4, 9}), "9");
  auto sized = rff::flat_map(rff::in_range(1, 3),
                             [](int n) { return rff::vector_of(rff::arbitrary<bool>(), n, n); });
  EXPECT_EQ(value(sized, {2, 1}), (std::vector<bool>{true, false}));
  EXPECT_EQ(text(sized, {2, 1}), "{true, false}");
}

TEST(Generators, RecursiveOnesEndHoweverLongTheInput) {
  EXPECT_EQ(depth_of(value(trees(), {})), 1u);
  EXPECT_EQ(depth_of(value(trees(), {1, 3, 1, 0, 5})), 2u);
  EXPECT_LE(depth_of(value(trees(), Bytes(100000, 1))), rff::kMostDepth + 1);
}

TEST(Texts, AreThoseOfTheValues) {
  EXPECT_EQ(text(rff::arbitrary<std::string>(), {'a', '"', '\\', 10}), "\"a\\\"\\\\\\x0a\"");
  EXPECT_EQ(text(rff::arbitrary<char>(), {'\''}), "'\\''");
  EXPECT_EQ(text(rff::arbitrary<double>(), {2, 100}), "0.1");
  EXPECT_EQ(text(rff::arbitrary<std::vector<int>>(), {1, 1, 0, 0, 0, 1, 2}), "{1, 2}");
  EXPECT_EQ(text(rff::arbitrary<std::set<char>>(), {1, 'b', 1, 'a', 1, 'b'}), "{'a', 'b'}");
  EXPECT_EQ((text(rff::arbitrary<std::map<char, bool>>(), {1, 'b', 1})), "{('b', true)}");
  EXPECT_EQ(text(rff::optional_of(rff::arbitrary<bool>()), {}), "none");
  EXPECT_EQ(text(rff::tuple_of(rff::arbitrary<bool>(), rff::arbitrary<char>()), {1, 'x'}),
            "(true, 'x')");
}

TEST(Texts, OfStructsAreThoseOfTheirMembers) {
  auto points = rff::struct_of<Point>(rff::named("x", rff::in_range(0, 9)),
                                      rff::named("name", rff::arbitrary<std::string>()));
  EXPECT_EQ(text(points, {4, 'p'}), "{x = 4, name = \"p\"}");
  EXPECT_EQ(text(rff::vector_of(points), {1, 4, 'p', 0}), "{{x = 4, name = \"p\"}}");
  EXPECT_EQ(text(trees(), {1, 3, 1, 0, 5}), "{3, {{5}}}");
}

TEST(Texts, OfMappedValuesWithoutTextAreThoseOfTheirOrigin) {
  auto boxes = rff::map(rff::in_range(0, 9), [](int i) {
    return std::make_shared<Point>(Point{i, ""});
  });
  EXPECT_EQ(text(boxes, {4}), "4");
}

TEST(Texts, OfArgumentsHaveTheirNames) {
  std::string parameters = "(int i, const std::map<int, std::vector<int>>& table, Point*p, int)";
  EXPECT_EQ(rff::internal::parameter_name(parameters, 0), "i");
  EXPECT_EQ(rff::internal::parameter_name(parameters, 1), "table");
  EXPECT_EQ(rff::internal::parameter_name(parameters, 2), "p");
  EXPECT_EQ(rff::internal::parameter_name(parameters, 3), "argument 4");
}

Bytes random_bytes(std::mt19937& random) {
  Bytes bytes(random() % (random() % 8 == 0 ? 2000 : 60));
  unsigned mask = random() % 2 == 0 ? 0xff : 0x03;
  for (auto& b : bytes) b = static_cast<unsigned char>(random() & mask);
  return bytes;
}

TEST(Generators, DecodeAnyBytesAndEqualBytesToEqualValues) {
  auto generator = every_generator();
  std::mt19937 random(1);
  for (int i = 0; i < 20000; i++) {
    Bytes bytes = random_bytes(random);
    std::string first = text(generator, bytes);
    ASSERT_FALSE(first.empty());
    ASSERT_EQ(text(generator, Bytes(bytes)), first);
    bytes.resize(bytes.size() + random() % 9);
    ASSERT_EQ(text(generator, bytes), first) << "zero bytes at the end make no difference";
  }
}

TEST(Generators, GiveTheSimplestValueForNoBytes) {
  EXPECT_EQ(text(every_generator(), {}), "(0, 0, {}, {}, {}, {}, 0, 0, \"\", 1)");
}

}  // namespace
