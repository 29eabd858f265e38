#include "schedule/search_choice.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

SearchChoice parsed(std::string_view text) {
  ParsedChoice result = parse_search(text);
  EXPECT_EQ(result.error, "") << text;
  return result.choice.value_or(SearchChoice{});
}

std::string error(std::string_view text) {
  ParsedChoice result = parse_search(text);
  EXPECT_FALSE(result.choice) << text;
  return result.error;
}

TEST(SearchChoice, EveryTextMeansWhatItSays) {
  EXPECT_EQ(parsed("rff"), SearchChoice{});
  EXPECT_EQ(parsed("pct:depth=5").depth, 5u);
  EXPECT_EQ(parsed("delay:bound=0").bound, 0u);
  EXPECT_EQ(parsed("rff:only=flips").only, SearchChoice::Part::kFlips);
  EXPECT_FALSE(parsed("rff:feedback=off,only=all").feedback);
  for (const std::string& name : search_names()) {
    EXPECT_EQ(scheduler_name(parsed(name).scheduler), name);
  }
}

TEST(SearchChoice, ItsTextGivesItBack) {
  for (std::string_view text : {"rff", "rff:only=values", "rff:only=mutants,feedback=off", "pos",
                                "pct:depth=9", "delay:bound=7", "surw", "surw:set=site",
                                "surw:set=locks", "surw:set=a/file", "ql", "ql-rf"}) {
    EXPECT_EQ(search_text(parsed(text)), text);
  }
  EXPECT_EQ(search_text(parsed("pct")), "pct:depth=3");  // with all parameters
}

TEST(SearchChoice, AnErrorSaysWhatItMustBe) {
  EXPECT_EQ(error("horse"), error(""));
  EXPECT_EQ(error("window"), error("horse"));  // for the search's own use
  EXPECT_NE(error("horse").find("rff, pos, bpos, pct"), std::string::npos);
  EXPECT_EQ(error("pct:"), "NAME:KEY=VALUE,...");
  EXPECT_EQ(error("pct:width=3"), "pct with depth, which has no parameter 'width'");
  EXPECT_EQ(error("pct:length=3"), "pct with depth, which has no parameter 'length'");
  EXPECT_EQ(error("pos:depth=3"), "pos, which has no parameter 'depth'");
  EXPECT_EQ(error("pct:depth=0"), "a whole number from 1 to 4294967295 for depth");
  EXPECT_EQ(error("pct:depth=3x"), error("pct:depth=0"));
  EXPECT_EQ(error("rff:only=horses"),
            "all, flips, values, states, mutants, random or turns for only");
  EXPECT_EQ(error("surw:set="), "places, site or locks or the path of a file for set");
  EXPECT_EQ(error("urw:set=locks"), "urw, which has no parameter 'set'");
  EXPECT_EQ(error("rff:feedback=maybe"), "on or off for feedback");
}

TEST(SearchChoice, HelpNamesEverySearchAndItsSource) {
  std::string help = "\n" + searches_help();
  for (const std::string& name : search_names()) {
    EXPECT_NE(help.find("\n" + name + " "), std::string::npos) << name;
    EXPECT_FALSE(scheduler_row(*scheduler_from_name(name)).source.empty()) << name;
  }
}

}  // namespace
}  // namespace rff
