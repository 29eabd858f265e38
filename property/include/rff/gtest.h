// Included in one file of a program, it makes every property of the program a test of GoogleTest,
// Property.NAME. EXPECT_ and ASSERT_ may be used in their bodies.
#ifndef RFF_GTEST_H
#define RFF_GTEST_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "rff/property.h"
#include "rff/test_framework.h"

namespace rff::internal {

class PropertyTest : public ::testing::Test {
 public:
  explicit PropertyTest(const rff_property_entry* entry) : entry_(entry) {}

  void TestBody() override {
    std::string filter = "--gtest_filter=Property." + std::string(entry_->name);
    char* report = nullptr;
    rff_test_result result = rff_test_property(entry_, filter.c_str(), &report);
    std::string text = report != nullptr ? report : "";
    std::free(report);
    if (result == RFF_TEST_SKIPPED) {
      GTEST_SKIP() << "the runtime runs another property";
    } else if (result == RFF_TEST_FAILED) {
      ADD_FAILURE_AT(entry_->file, entry_->line) << text;
    } else if (text.find("discarded") != std::string::npos) {
      RecordProperty("rff", text);
    }
  }

 private:
  const rff_property_entry* entry_;
};

inline void add_test(const rff_property_entry* entry) {
  ::testing::RegisterTest("Property", entry->name, nullptr, nullptr, entry->file, entry->line,
                          [entry]() -> PropertyTest* { return new PropertyTest(entry); });
}

inline int run_all_tests(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

struct GoogleTestUse {
  GoogleTestUse() {
    rff_set_other_failure([] { return ::testing::Test::HasFailure() ? 1 : 0; });
    rff_set_main(&run_all_tests);
    rff_on_every_property(&add_test);
  }
};
inline const GoogleTestUse google_test_use;

}  // namespace rff::internal

#endif
