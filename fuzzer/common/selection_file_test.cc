#include "fuzzer/common/selection_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "fuzzer/common/files.h"
#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

SearchChoice choice_of(const std::string& set) { return *parse_search("surw:set=" + set).choice; }

class SelectionFile : public testing::Test {
 protected:
  std::string file(std::string_view text) {
    std::string path = folder_ / "places";
    write_file(path, text);
    return path;
  }
  std::string error(const std::string& set) {
    try {
      selection_of(choice_of(set));
    } catch (const ToolError& e) {
      EXPECT_EQ(e.status, kBadUsage);
      return e.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(SelectionFile, ListsPlacesInCode) {
  EventSelection selection =
      selection_of(choice_of(file("# two places\nprog+0x1189\n\n  a+b.so+0x10 # the other\n")));
  EXPECT_EQ(selection.by, EventSelection::By::kListed);
  std::vector<CodeName> expected = {{module_hash("prog"), 0x1189}, {module_hash("a+b.so"), 0x10}};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(selection.sites, expected);
}

TEST_F(SelectionFile, WordsNeedNoFile) {
  EXPECT_EQ(selection_of(choice_of("locks")), (EventSelection{EventSelection::By::kLocks, {}}));
  EXPECT_EQ(selection_of(choice_of("site")), (EventSelection{EventSelection::By::kSite, {}}));
  EXPECT_EQ(selection_of(choice_of("places")), EventSelection{});
}

TEST_F(SelectionFile, AnErrorNamesTheLine) {
  std::string path = file("prog+0x10\nprog+16\n");
  EXPECT_EQ(error(path), path + ":2: must be a place in code, PROGRAM+0xOFFSET");
  for (const char* line : {"+0x10", "prog+0x", "prog+0x10z", "prog"}) {
    EXPECT_NE(error(file(line)), "") << line;
  }
  EXPECT_NE(error(file("# none\n")), "");
  EXPECT_NE(error("/nowhere/at/all"), "");
}

TEST_F(SelectionFile, ItsPathBecomesAbsolute) {
  SearchChoice choice = choice_of("places.txt");
  make_selection_absolute(choice);
  EXPECT_EQ(std::string(choice.selected.data()),
            (std::filesystem::current_path() / "places.txt").string());
}

}  // namespace
}  // namespace rff
