// The tests in a program of a test framework: which there are, and how one of them is run alone.
#pragma once

#include <string>
#include <vector>

namespace rff {

struct ListedTest {
  std::string name;
  std::vector<std::string> arguments;  // that make the program run only this test
  bool disabled = false;

  bool operator==(const ListedTest&) const = default;
};

// Returns gtest, catch2 or libtest; empty if the program looks like none of them. `bytes` are those
// of its file.
std::string framework_of(const std::string& bytes);

// A list of tests, as a framework prints it.
std::vector<ListedTest> gtest_tests(const std::string& json);
std::vector<ListedTest> catch2_tests(const std::string& lines);
std::vector<ListedTest> libtest_tests(const std::string& all, const std::string& ignored);

// Asks the program for its tests, in their order. `framework`: gtest, catch2, libtest or auto.
// Throws ToolError (2) if there are none, or the program does not answer.
std::vector<ListedTest> list_tests(const std::string& program,
                                   const std::vector<std::string>& arguments,
                                   const std::string& framework);

// Whether a name fits a pattern with * and ?.
bool fits(const std::string& pattern, const std::string& name);

}  // namespace rff
